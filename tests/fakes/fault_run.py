"""Plays the whole table of faults against a real adapter, many at a time in one loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from tests.fakes.answers import PATIENT, Kept, keep, question
from tests.fakes.fault_acts import ELSEWHERE
from tests.fakes.fault_server import FaultServer
from tests.fakes.fault_table import CANARY, Row, acts_for, rows_for
from tests.fakes.wires import Wire
from workbench.domain.secrets import Secret

# All at once would be quicker, and on a busy machine a fault about time might then be met by one of the others.
AT_A_TIME = 12


@dataclass
class Played:
    """How one fault went."""

    row: Row
    kept: Kept
    asked: int
    seconds: float


@dataclass
class Run:
    """How the whole table went; `elsewhere` counts what reached the server to which nothing may be sent."""

    played: dict[str, Played] = field(default_factory=dict)
    elsewhere: int = 0


async def play_table(wire: Wire) -> Run:
    """Every row once."""
    run, gate = Run(), asyncio.Semaphore(AT_A_TIME)
    async with FaultServer({}) as elsewhere, FaultServer(acts_for(wire)) as server:
        ELSEWHERE.port = elsewhere.port
        async with asyncio.TaskGroup() as tasks:
            for row in rows_for(wire):
                tasks.create_task(_play(run, row, wire, server, gate))
        run.elsewhere = elsewhere.connections
    return run


async def _play(run: Run, row: Row, wire: Wire, server: FaultServer, gate: asyncio.Semaphore) -> None:
    async with gate:
        began = asyncio.get_running_loop().time()
        model = wire.model(server.url(row.name), Secret.of_text(CANARY))
        kept = await keep(model.stream(question(timeouts=row.timeouts or PATIENT)))
        await model.close()
        asked = sum(one.path.startswith(f"/{row.name}/") for one in server.asked)
        run.played[row.name] = Played(row, kept, asked, asyncio.get_running_loop().time() - began)
