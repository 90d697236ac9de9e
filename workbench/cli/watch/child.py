"""Runs the watched command as a shell would: with its terminal, its signals, and its exit code."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from workbench.cli.terminal import tell, visible_line

NOT_FOUND, NOT_STARTED = 127, 126
_KILLED = 128


async def run_child(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run it to its end; its exit code, 128 and the signal's number where one ended it."""
    name = visible_line(command[0])
    # Before it is started: a signal in between must end neither of them alone.
    with _passing_signals() as passing:
        try:
            passing.process = await asyncio.create_subprocess_exec(*command, env=dict(environment))
        except FileNotFoundError:
            tell(f"workbench watch: {name} was not found; check its name and PATH")
            return NOT_FOUND
        except OSError as problem:
            tell(f"workbench watch: {name} could not be started: {problem.strerror}")
            return NOT_STARTED
        passing.catch_up()
        code = await passing.process.wait()
    return code if code >= 0 else _KILLED - code


class _Passing:
    """Signals on their way to a process, which may not be there yet."""

    def __init__(self) -> None:
        self.process: Process | None = None
        self._early: list[int] = []

    def pass_on(self, number: int) -> None:
        if self.process is None:
            self._early.append(number)
        elif self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)

    def catch_up(self) -> None:
        for number in self._early:
            self.pass_on(number)


@contextmanager
def _passing_signals() -> Iterator[_Passing]:
    """Signals that are sent to us alone reach the child; those of the terminal it gets itself."""
    passing = _Passing()
    if os.name == "nt":
        yield passing
        return
    loop = asyncio.get_running_loop()
    typed = (signal.SIGINT, signal.SIGQUIT)
    numbers = (*typed, signal.SIGTERM, signal.SIGHUP)
    spared = typed if _in_foreground() else ()
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        loop.add_signal_handler(number, (lambda _: None) if number in spared else passing.pass_on, number)
    try:
        yield passing
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])


def _in_foreground() -> bool:
    """Whether Ctrl-C at a terminal reaches our whole group, and with it the child."""
    try:
        terminal = os.open(os.ctermid(), os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
