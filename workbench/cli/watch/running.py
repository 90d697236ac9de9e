"""One watch from its start to its summary: until the command ends, or until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import errno
import signal
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from workbench.cli.services import Services, WatchParts
from workbench.cli.terminal import tell, visible_line
from workbench.cli.watch.child import run_child
from workbench.cli.watch.keeping import keeping
from workbench.cli.watch.said import Lines, address_lines, nothing_seen
from workbench.domain.errors import InvalidInput
from workbench.engine.tasks import Tasks
from workbench.engine.watch.watcher import Ahead, Watcher
from workbench.files.writing import append_private

if TYPE_CHECKING:
    from workbench.net.watch.proxy import WatchProxy

LAST_BYTES_S = 2.0


async def watch(arguments: argparse.Namespace, services: Services) -> int:
    """Watch, and say at the end what was seen; the exit code."""
    parts = services.watch(arguments.to)
    lines = Lines(_file(arguments.out), arguments.json and not arguments.out)
    try:
        async with keeping(services, not arguments.no_keep) as keeper:
            watcher = Watcher(parts.understand, lines.tell, None if keeper is None else keeper.keep)
            proxy = parts.proxy(watcher.hear)
            if keeper is not None:  # so that a window beside it shows a request that is being answered
                watcher.ahead = Ahead(parts.begin, lambda *one: keeper.begin(*one[:2]), keeper.give_up)
                proxy.asked = watcher.begin
                watcher.first = keeper.remembering(parts.remember, services.utc_now())
            return await _watched(arguments, parts, proxy, watcher, lines)
    finally:
        lines.close()


async def _watched(
    arguments: argparse.Namespace, parts: WatchParts, proxy: WatchProxy, watcher: Watcher, lines: Lines
) -> int:
    try:
        address = await proxy.start(arguments.port)
    except OSError as problem:
        why = "is in use" if problem.errno == errno.EADDRINUSE else f"cannot be used ({problem.strerror})"
        tell(
            f"workbench watch: port {arguments.port} {why}; choose another, or leave out --port for a free one"
        )
        return 1
    if parts.routes.leads_to(int(address.rpartition(":")[2])):
        await proxy.close()
        raise InvalidInput(
            "--port", f"requests would go round in a circle: {address} is where they are sent to"
        )
    tasks = Tasks(lambda _name, problem: None)
    looking = tasks.start("watch: looking", watcher.run())
    try:
        if arguments.program:
            code = await run_child(
                arguments.program, {**parts.environment, **parts.routes.variables(address)}
            )
        else:
            address_lines(address, parts.routes, arguments.json and not arguments.out)
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
        nothing_seen(address, parts.routes, parts.environment if arguments.program else None)
    return code


async def _until_stopped(looking: asyncio.Task[None]) -> int:
    """Until Ctrl-C, or until nobody reads the lines any more."""
    stopped = asyncio.get_running_loop().create_future()

    def stop() -> None:
        if not stopped.done():
            stopped.set_result(None)

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows, where Ctrl-C arrives as a cancelled task
            asyncio.get_running_loop().add_signal_handler(number, stop)
    await asyncio.wait([stopped, looking], return_when=asyncio.FIRST_COMPLETED)
    return 1 if looking.done() else 0


def _file(place: str | None) -> IO[bytes] | None:
    if place is None:
        return None
    try:
        return append_private(Path(place))
    except OSError as problem:
        raise InvalidInput("--out", f"{visible_line(place)} cannot be written: {problem.strerror}") from None
