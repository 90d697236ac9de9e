"""How long each fault of the table keeps a person waiting, and whether it ends as the table says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from tests.benchmarks.running.figures import Figure, Means, at_most
from tests.fakes.fault_run import Played, play_table
from tests.fakes.wires import WIRES

OPT_IN = "it waits for servers that do not answer"


def figures(_means: Means) -> Iterator[Figure]:
    """Wire by wire, the slowest first."""
    for wire in WIRES:
        played = asyncio.run(play_table(wire)).played.values()
        wrong = sum(not _as_told(one) for one in played)
        of_all = f"of {len(played)}"
        yield Figure(f"{wire.name}: faults that end otherwise", wrong, "", goal=at_most(0), against=of_all)
        for one in sorted(played, key=lambda one: -one.seconds):
            outcome = f"{one.kept.state} ({one.kept.kind})" if one.kept.kind else one.kept.state
            outcome += f", asked {one.asked} ×"
            yield Figure(f"{wire.name}: {one.row.name}", one.seconds * 1000, "ms", against=outcome)


def _as_told(one: Played) -> bool:
    kept, row = one.kept, one.row
    return (kept.state, kept.kind, kept.text) == (row.state, row.kind, row.text)
