"""One new message until the request is ready, from 50 to 10,000 turns, beside what langchain and llama-index take.

Fifty files, a budget of 102,000 tokens, the same texts and the same tokenizer for all; laps in turn. Ours keeps the
newest messages within the budget as the others do (and all fifty files); "everything kept" is without a budget.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import TracebackType

from tests.benchmarks.running import peers_child
from tests.benchmarks.running.figures import (
    Figure,
    Means,
    at_least,
    in_turn,
    middle,
    named,
    not_measured,
    ratio,
)
from tests.benchmarks.running.workload import (
    BUDGET_TOKENS,
    ENCODING,
    NARROW,
    WIDE,
    Talk,
    Workload,
    new_builder,
    tokenizer,
    workload,
)
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.building import Preview
from workbench.sources.resources import resource_path

NEEDS_PEERS = True
LENGTHS = (50, 200, 1_000, 3_000, 10_000)
GOALS_AT = 200
OWN = "Context Workbench"
OURS = {OWN: NARROW, f"{OWN}, everything kept": WIDE}
PLAIN, MEMOISED, MEMORY, BUFFER = peers_child.WAYS
GOALS = {PLAIN: at_least(1000), MEMOISED: at_least(3)}
# Further on, one lap of theirs takes minutes, or putting the messages into it does.
LONGEST = {PLAIN: 10_000, MEMOISED: 10_000, MEMORY: 1_000, BUFFER: 200}
LAPS = {50: 15, 200: 15, 1_000: 7, 3_000: 5, 10_000: 3}


class Peers:
    """The other process, which has the same workload in a file."""

    def __init__(self, python: str, load: Workload, folder: Path) -> None:
        path = folder / f"{load.turns}.json"
        given = {**asdict(load), "budget_tokens": BUDGET_TOKENS, "encoding": ENCODING}
        given["encodings"] = str(resource_path("encodings"))
        path.write_text(json.dumps(given), encoding="utf-8")
        self._child = subprocess.Popen(
            [python, peers_child.__file__, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.problems: dict[str, str] = {}

    def lap(self, way: str, question: str) -> float | None:
        """Milliseconds of one; nothing where it fails."""
        if way in self.problems or self._child.stdin is None or self._child.stdout is None:
            return None
        self._child.stdin.write(json.dumps({"way": way, "question": question}) + "\n")
        self._child.stdin.flush()
        answer = json.loads(self._child.stdout.readline() or '{"problem": "its process ended"}')
        if "problem" in answer:
            self.problems[way] = answer["problem"]
            return None
        return float(answer["ms"])

    def __enter__(self) -> Peers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child.stdin is not None:
            self._child.stdin.close()
        self._child.terminate()
        self._child.wait()


class Ours:
    """The program's side: the request, and the list of its messages."""

    def __init__(self, load: Workload, settings: ContextSettings) -> None:
        self._talk, self._preview = Talk(load, new_builder(), settings), Preview(new_builder())
        self.lap(0)

    def lap(self, number: int) -> object:
        """A letter more."""
        ask = self._talk.ask(number)
        return self._preview.prepare(self._talk.conversation, ask).built.envelope.messages


def figures(means: Means) -> Iterator[Figure]:
    """Length by length."""
    tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        for turns in LENGTHS:
            yield from at_length(turns, Path(folder), means)


def at_length(turns: int, folder: Path, means: Means) -> Iterator[Figure]:
    """All that is measured at one length."""
    load = workload(turns)
    ours = {name: Ours(load, settings) for name, settings in OURS.items()}
    ways = [way for way in LONGEST if turns <= LONGEST[way]]
    if not means.peers:
        taken = in_turn(means.laps(40), {name: partial(_lap_after, one, 0) for name, one in ours.items()})
        yield from _rows(taken, turns)
        yield from (not_measured(f"{way}, {turns:,} turns", means.no_peers) for way in ways)
        return
    with Peers(means.peers, load, folder) as peers:
        yield from _beside(peers, ours, ways, load, means.laps(LAPS[turns]))


def _beside(
    peers: Peers, ours: dict[str, Ours], ways: list[str], load: Workload, laps: int
) -> Iterator[Figure]:
    for way in ways:
        peers.lap(way, "Begin.")  # what is loaded and put away once is not counted
    taken: dict[str, list[float]] = {name: [] for name in (*ours, *ways)}
    for number in range(laps):
        own = in_turn(8, {name: partial(_lap_after, one, 8 * number) for name, one in ours.items()})
        for name, times in own.items():
            taken[name] += times
        # The slowest is asked once: its one lap takes as long as all others together.
        for way in ways if number == 0 else [way for way in ways if way != BUFFER]:
            took = peers.lap(way, load.question + "z" * number)
            taken[way] += [] if took is None else [took]
    yield from _rows({name: times for name, times in taken.items() if times}, load.turns)
    yield from (not_measured(f"{way}, {load.turns:,} turns", why) for way, why in peers.problems.items())


def _lap_after(ours: Ours, before: int, number: int) -> object:
    return ours.lap(before + number + 1)


def _rows(taken: dict[str, list[float]], turns: int) -> Iterator[Figure]:
    for name, times in taken.items():
        yield named(middle(f"{name}, {turns:,} turns", times), name, turns)
    for way, times in taken.items():
        if way not in OURS:
            goal = GOALS.get(way) if turns == GOALS_AT else None
            yield ratio(f"{way} ÷ ours, {turns:,} turns", times, taken[OWN], goal, "ours")
