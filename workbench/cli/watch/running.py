"""Runs `workbench watch` from start to summary: until the watched command ends, or Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import errno
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from workbench.cli.services import Services, WatchParts
from workbench.cli.terminal import tell, visible_line
from workbench.cli.watch.rules import keep_changed_rules, watch_rules
from workbench.cli.watch.said import Lines, explain_no_requests, print_address
from workbench.context.watch.redacting import Restorer
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.translation import counted, tr
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.switch import SessionKind
from workbench.engine.tasks import Tasks
from workbench.engine.watch.importing import keep_session
from workbench.engine.watch.limits import keep_within_limits
from workbench.engine.watch.paying import CardOf, PayingPrograms
from workbench.engine.watch.stored_requests import Keeper
from workbench.engine.watch.watcher import Ahead, Watcher
from workbench.files.writing import append_private

if TYPE_CHECKING:
    from workbench.net.watch.proxy import WatchProxy


# Keeps what a watch saw with the chats: beside an open window, and leaving the first place to who comes.


@asynccontextmanager
async def open_keeper(services: Services, wanted: bool) -> AsyncIterator[Keeper | None]:
    """Yields what stores watched requests; None where nothing is to be stored, or (with a message) cannot be."""
    if not wanted:
        yield None
        return
    try:
        store = await services.history().open(writable=True, yielding=True)
    except WorkbenchError as problem:
        tell(tr("workbench watch: nothing is kept: {problem}", problem=problem))
        yield None
        return
    try:
        limits = services.preferences().load().watch
        _, done = await keep_within_limits(store, limits, services.utc_now())
        if done:
            tell(tr("workbench watch: {done}", done=done))
        yield Keeper(store, services.builder.catalogue)
    finally:
        await store.close()


# Runs the watched command as a shell would: with its terminal, its signals, and its exit code.


NOT_FOUND, NOT_STARTED = 127, 126
_KILLED = 128


async def run_child(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs the watched command; returns its exit code, or 128 plus the signal's number where a signal ended it."""
    name = visible_line(command[0])
    # Before it is started: a signal in between must end neither of them alone.
    with _forward_signals() as passing:
        try:
            passing.process = await asyncio.create_subprocess_exec(*command, env=dict(environment))
        except FileNotFoundError:
            tell(tr("workbench watch: {name} was not found; check its name and PATH", name=name))
            return NOT_FOUND
        except OSError as problem:
            tell(
                tr(
                    "workbench watch: {name} could not be started: {strerror}",
                    name=name,
                    strerror=problem.strerror,
                )
            )
            return NOT_STARTED
        passing.forward_early()
        code = await passing.process.wait()
    return code if code >= 0 else _KILLED - code


class _SignalForwarder:
    """Forwards signals to a process; those that arrive before it has started are sent afterwards."""

    def __init__(self) -> None:
        self.process: Process | None = None
        self._early: list[int] = []

    def forward(self, number: int) -> None:
        if self.process is None:
            self._early.append(number)
        elif self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)

    def forward_early(self) -> None:
        for number in self._early:
            self.forward(number)


@contextmanager
def _forward_signals() -> Iterator[_SignalForwarder]:
    """Forwards signals sent to this process alone to the child; those of the terminal reach it anyway."""
    passing = _SignalForwarder()
    if os.name == "nt":
        yield passing
        return
    loop = asyncio.get_running_loop()
    typed = (signal.SIGINT, signal.SIGQUIT)
    numbers = (*typed, signal.SIGTERM, signal.SIGHUP)
    spared = typed if _in_foreground() else ()
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        loop.add_signal_handler(number, (lambda _: None) if number in spared else passing.forward, number)
    try:
        yield passing
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])


def _in_foreground() -> bool:
    """Tells whether Ctrl-C at the terminal reaches our process group, and so the child."""
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


LAST_BYTES_S = 2.0


async def watch(arguments: argparse.Namespace, services: Services) -> int:
    """Watches requests and prints a summary at the end; returns the exit code."""
    parts = services.watch(arguments.to)
    lines = Lines(_open_output(arguments.out), arguments.json and not arguments.out)
    try:
        async with open_keeper(services, not arguments.no_keep) as keeper:
            watcher = Watcher(parts.understand, lines.tell, None if keeper is None else keeper.keep)
            proxy = parts.proxy(watcher.hear)
            if keeper is not None:  # so that a window beside it shows a request that is being answered
                watcher.ahead = Ahead(parts.begin, lambda *one: keeper.begin(*one[:2]), keeper.give_up)
                proxy.asked = watcher.begin
            if (ruling := await watch_rules(arguments, services, keeper)) is not None:
                proxy.changing, proxy.change, proxy.resent = ruling.is_on, ruling.change, ruling.refused
                proxy.restorer, watcher.acted = Restorer, ruling.ended
            if keeper is not None:
                told = (parts.remember, *(() if ruling is None else (ruling.remember,)))
                watcher.first = keeper.remembering(services.utc_now(), *told)
            if parts.card is not None:
                _count(keeper, parts.card, proxy, watcher, services)
            code = await _run_watch(arguments, parts, proxy, watcher, lines)
            if ruling is not None:
                await keep_changed_rules(ruling, services, keeper)
            return code
    finally:
        lines.close()


def _count(
    keeper: Keeper | None, card: CardOf, proxy: WatchProxy, watcher: Watcher, services: Services
) -> None:
    """Counts what requests cost beside the chats, and keeps the caps; without a store neither can be."""
    if keeper is not None:
        gate = PayingPrograms(services.spending(keeper.store), card)
        watcher.paid, proxy.capped, proxy.refuse = gate.ended, gate.is_on, gate.refusal
    elif services.preferences().load().spend.any:
        tell(tr("workbench watch: caps on spending do not hold here, because nothing is kept"))


async def _run_watch(
    arguments: argparse.Namespace, parts: WatchParts, proxy: WatchProxy, watcher: Watcher, lines: Lines
) -> int:
    try:
        address = await proxy.start(arguments.port)
    except OSError as problem:
        why = (
            tr("is in use")
            if problem.errno == errno.EADDRINUSE
            else tr("cannot be used ({strerror})", strerror=problem.strerror)
        )
        tell(
            tr(
                "workbench watch: port {port} {why}; choose another, or leave out --port for a free one",
                port=arguments.port,
                why=why,
            )
        )
        return 1
    if parts.routes.leads_to(int(address.rpartition(":")[2])):
        await proxy.close()
        raise InvalidInput(
            "--port",
            tr("requests would go round in a circle: {address} is where they are sent to", address=address),
        )
    tasks = Tasks(lambda _name, problem: None)
    looking = tasks.start("watch: looking", watcher.run())
    try:
        if arguments.program:
            code = await run_child(
                arguments.program, {**parts.environment, **parts.routes.variables(address)}
            )
        else:
            print_address(address, parts.routes, arguments.json and not arguments.out)
            code = await _until_stopped(looking)
    finally:
        await proxy.close(LAST_BYTES_S if arguments.program else 0.0)
        watcher.finish()
    with suppress(BrokenPipeError):
        await looking
    said = lines.summary(proxy.refused)
    for line in said:
        tell(visible_line(line))
    if not said:
        explain_no_requests(address, parts.routes, parts.environment if arguments.program else None)
    return code


async def _until_stopped(looking: asyncio.Task[None]) -> int:
    """Waits for Ctrl-C, or for the end of the task that writes the lines; returns the exit code."""
    stopped = asyncio.get_running_loop().create_future()

    def stop() -> None:
        if not stopped.done():
            stopped.set_result(None)

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows, where Ctrl-C arrives as a cancelled task
            asyncio.get_running_loop().add_signal_handler(number, stop)
    await asyncio.wait([stopped, looking], return_when=asyncio.FIRST_COMPLETED)
    return 1 if looking.done() else 0


def _open_output(place: str | None) -> IO[bytes] | None:
    if place is None:
        return None
    try:
        return append_private(Path(place))
    except OSError as problem:
        raise InvalidInput(
            "--out",
            tr("{place} cannot be written: {strerror}", place=visible_line(place), strerror=problem.strerror),
        ) from None


# `workbench watch --import-claude` and `--import-codex`: sessions on disk become watched conversations.


def sessions_to_import(arguments: argparse.Namespace) -> tuple[SessionKind, str] | None:
    """Returns which program's sessions to import and from which folder (empty: the usual one); None for no import."""
    if arguments.import_claude is not None:
        return "claude", arguments.import_claude
    return None if arguments.import_codex is None else ("codex", arguments.import_codex)


async def import_sessions(
    kind: SessionKind, folder: str, arguments: argparse.Namespace, services: Services
) -> int:
    """Imports sessions: stores what is not stored yet, and prints what they contained; returns the exit code."""
    lines, kept = Lines(None, arguments.json), 0
    async with open_keeper(services, not arguments.no_keep) as keeper:
        if keeper is not None:
            keeper.imported_utc = services.utc_now()
        for session in services.sessions(kind, folder, arguments.session):
            for note in session.notes:
                tell(visible_line(tr("{file}: {note}", file=session.file, note=note)))
            _, new = await keep_session(session, keeper, lambda turn: lines.tell(_exchange_of(turn), turn))
            kept += new
    said = lines.summary()
    if not said:
        tell(tr("workbench watch: no session with a request was found; name the folder they are in"))
        return 1
    for line in said:
        tell(visible_line(line))
    if not arguments.no_keep:
        tell(tr("Saved: {counted}", counted=counted(kept, "new request")))
    return 0


def _exchange_of(turn: WatchedTurn) -> Exchange:
    """Builds the exchange of a request from a session file, of which only the turn is known."""
    return Exchange(turn.n, turn.request.format, "POST", "", turn.started_at, status=turn.status)
