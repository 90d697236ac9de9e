"""Prints by how many MB the process grew at most while the table of faults was played: run as a process of its own."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path

from tests.fakes.answers import keep, question
from tests.fakes.fault_run import play_table
from tests.fakes.fault_server import FaultServer
from tests.fakes.fault_table import acts_for
from tests.fakes.wires import WIRES, Wire


async def main(wire: Wire) -> float:
    """Play the control first, so that libraries are loaded, and then everything."""
    async with FaultServer(acts_for(wire)) as server:
        model = wire.model(server.url("control"))
        await keep(model.stream(question()))
        await model.close()
    gc.collect()
    before, peak = resident_mb(), 0.0
    playing = asyncio.gather(play_table(wire))
    while not playing.done():
        await asyncio.sleep(0.02)
        peak = max(peak, resident_mb())
    await playing
    return peak - before


def resident_mb() -> float:
    """What the process occupies now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


if __name__ == "__main__":
    print(asyncio.run(main(next(wire for wire in WIRES if wire.name == sys.argv[1]))))
