"""Processes of a chaotic run: forks of a loaded program, servers that misbehave, somebody who swaps files."""

from __future__ import annotations

import asyncio
import ctypes
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.fakes.fault_acts import good
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.fault_table import acts_for
from tests.fakes.wires import MODEL, OpenAiWire

PRELOADED = ctypes.CDLL(None)
"""With `recorder.c` preloaded, its functions are here."""
_WIRE = OpenAiWire()
_WELL = ("good", "slow", "slow", "long")


def fork(work: Callable[[], object]) -> int:
    """Run something in a fork of this process; its exit code is 0 unless it raised."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException as problem:  # noqa: BLE001 - a fork must never return into the parent's code
        import traceback

        traceback.print_exception(problem)
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def descendants(of: int) -> list[int]:
    """Processes that a process started, and those that they did."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with suppress(OSError, IndexError, ValueError):
                parents[int(entry)] = int(
                    Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
                )
    found = [of]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def alive(process: int) -> bool:
    """Whether a process still runs; one that waits to be collected does not."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def command_of(process: int) -> str:
    """The words by which a process was started."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ").strip()
    return "one that has ended"


def wait_for(process: int, seconds: float) -> int | None:
    """The status of a child; None where it goes on after so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return status
        time.sleep(0.005)
    return None


@contextmanager
def model_server() -> Iterator[list[str]]:
    """Names of models of a server that answers well, slowly, and in every wrong way."""
    reading, writing = os.pipe()
    child = fork(lambda: asyncio.run(_serve(writing)))
    os.close(writing)
    port = int(os.read(reading, 16))
    os.close(reading)
    try:
        wrong = sorted(acts_for(_WIRE))
        # As often well as in any of the ways in which a server can be wrong.
        names = [*wrong, *_WELL * (len(wrong) // len(_WELL))]
        yield [f"server:http://127.0.0.1:{port}/{name}/v1#{MODEL}" for name in names]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


async def _serve(writing: int) -> None:
    async def slow(connection: Connection) -> None:
        await _stream(connection, 30, 0.02)

    async def long(connection: Connection) -> None:
        await _stream(connection, 400, 0.002)

    async def fine(connection: Connection) -> None:
        await good(connection, _WIRE)

    async with FaultServer({**acts_for(_WIRE), "slow": slow, "long": long, "good": fine}) as server:
        os.write(writing, str(server.port).encode())
        await asyncio.Event().wait()


async def _stream(connection: Connection, pieces: int, wait_s: float) -> None:
    if not connection.asked.path.endswith("/chat/completions"):
        await connection.whole(b"{}", "application/json", "404 Not Found")
        return
    await connection.head(_WIRE.content_type)
    for number in range(pieces):
        await connection.send(_WIRE.text(f"word{number} "))
        await asyncio.sleep(wait_s)
    await connection.send(_WIRE.finish())


@contextmanager
def vandal(files: Path, seed: int) -> Iterator[None]:
    """Somebody who truncates, swaps, removes and rewrites the files that are being attached."""
    child = fork(lambda: _spoil(files, random.Random(seed)))
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _spoil(files: Path, choice: random.Random) -> None:
    names = sorted(files.iterdir())
    while True:
        one, other = choice.choice(names), choice.choice(names)
        with suppress(OSError):
            match choice.randrange(4):
                case 0:
                    os.truncate(one, choice.randrange(one.stat().st_size + 1))
                case 1:
                    kept = other.with_suffix(".kept")
                    other.rename(kept)
                    one.rename(other)
                    kept.rename(one)
                case 2:
                    one.write_text(f"rewritten {choice.random()} " * choice.randrange(1, 400))
                case _:
                    kept = one.with_suffix(".kept")
                    one.rename(kept)
                    one.symlink_to("/etc/hostname")
                    one.unlink()
                    kept.rename(one)
        time.sleep(choice.random() * 0.02)
