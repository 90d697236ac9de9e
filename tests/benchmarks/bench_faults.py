"""How long each fault of the table keeps a person waiting: `python -m tests.benchmarks.bench_faults`."""

from __future__ import annotations

import asyncio
import sys

from tests.fakes.fault_run import play_table
from tests.fakes.wires import WIRES


def main() -> int:
    """Print every row, the slowest first; the exit code says whether all of them ended as the table says."""
    wrong = 0
    for wire in WIRES:
        played = asyncio.run(play_table(wire)).played.values()
        for one in sorted(played, key=lambda one: -one.seconds):
            kept, row = one.kept, one.row
            right = (kept.state, kept.kind, kept.text) == (row.state, row.kind, row.text)
            wrong += not right
            verdict = "" if right else "  WRONG"
            outcome = f"{kept.state}({kept.kind})" if kept.kind else kept.state
            print(f"{wire.name:7} {row.name:26} {outcome:24} {one.asked} asked {one.seconds:7.3f} s{verdict}")
    print("all as the table says" if not wrong else f"{wrong} WRONG")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
