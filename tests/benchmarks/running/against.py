"""Two versions of the program side by side: this checkout's benchmarks run over both, process by process in turn."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.benchmarks.running.catalogue import ROOT, Benchmark
from tests.benchmarks.running.figures import Figure, Means
from tests.benchmarks.running.machine import machine
from tests.benchmarks.running.measure import Measured, Say, measure
from tests.benchmarks.running.table import number, with_unit

ROUNDS = 2
HEAD = ("name", "before", "after", "after ÷ before")


class NoSuchVersion(Exception):
    """Git does not know it."""


@contextmanager
def checked_out(ref: str, root: Path = ROOT) -> Iterator[Path]:
    """Another version in a folder of its own, which is gone afterwards, whatever happens."""
    place = Path(tempfile.mkdtemp(prefix="workbench-bench-"))
    folder = place / "version"
    try:
        git = ["git", "-C", str(root), "worktree", "add", "--detach", "--quiet", str(folder), ref]
        done = subprocess.run(git, capture_output=True, text=True)
        if done.returncode != 0:
            raise NoSuchVersion(f"{ref} cannot be checked out: {done.stderr.strip()}")
        yield folder
    finally:
        remove = ["git", "-C", str(root), "worktree", "remove", "--force", str(folder)]
        subprocess.run(remove, capture_output=True)
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run(["git", "-C", str(root), "worktree", "prune"], capture_output=True)


def mixed(program: Path, tests: Path, place: Path) -> Path:
    """A folder in which the program is of one version, and its benchmarks of another."""
    place.mkdir()
    for name in ("workbench", "resources"):
        os.symlink(program / name, place / name)
    os.symlink(tests / "tests", place / "tests")
    return place


@dataclass(frozen=True)
class Pair:
    """A figure of both versions; None where one of them has none."""

    before: Figure | None
    after: Figure | None

    @property
    def name(self) -> str:
        """What was measured."""
        return (self.before or self.after or Figure("", None, "")).name

    @property
    def ratio(self) -> float | None:
        """How many times as much it is now."""
        before = self.before.value if self.before else None
        after = self.after.value if self.after else None
        return after / before if before and after is not None else None


def joined(rounds: Sequence[Measured]) -> Measured:
    """Several rounds of a benchmark as one: medians, and how far they lie apart."""
    by_name: dict[str, list[Figure]] = {}
    for figure in (figure for one in rounds for figure in one.figures):
        by_name.setdefault(figure.name, []).append(figure)
    figures = []
    for several in by_name.values():
        values = [figure.value for figure in several if figure.value is not None]
        last = several[-1]
        if values:
            last = replace(
                last, value=statistics.median(values), spread=(min(values), max(values)), why_not=""
            )
        figures.append(last)
    problem = next((one.problem for one in rounds if one.problem), "")
    return Measured(rounds[0].benchmark, tuple(figures), problem, sum(one.seconds for one in rounds))


def pairs(before: Measured, after: Measured) -> list[Pair]:
    """The figures of both, by name, in the order of now."""
    old = {figure.name: figure for figure in before.figures}
    found = [Pair(old.pop(figure.name, None), figure) for figure in after.figures]
    return found + [Pair(figure, None) for figure in old.values()]


@dataclass(frozen=True)
class Compared:
    """One benchmark of both versions."""

    before: Measured
    after: Measured


class Sides:
    """Where each version is measured, and how a version is found that this checkout's benchmarks do not fit."""

    def __init__(self, version: Path, place: Path, here: Path = ROOT) -> None:
        self._version, self._here = version, here
        self._mixed = mixed(version, here, place / "mixed")

    def before(self, benchmark: Benchmark, means: Means) -> Measured:
        """With this checkout's benchmark; with the version's own where that does not fit it and there is one."""
        measured = measure(benchmark, means, self._mixed)
        own = self._version.joinpath(*benchmark.module.split(".")).with_suffix(".py")
        runner = self._version / "tests" / "benchmarks" / "running" / "child.py"
        if measured.problem and not measured.figures and own.exists() and runner.exists():
            return measure(benchmark, means, self._version)
        return measured

    def after(self, benchmark: Benchmark, means: Means) -> Measured:
        """This checkout."""
        return measure(benchmark, means, self._here)


def compare(told: Namespace, wanted: Sequence[Benchmark], means: Means, say: Say, here: Path = ROOT) -> int:
    """Measure both, print before, after and their ratio; 1 where this checkout's side broke."""
    try:
        with checked_out(told.against, here) as version, tempfile.TemporaryDirectory() as place:
            sides = Sides(version, Path(place), here)
            results = [_in_turn(each, means, sides, say) for each in wanted]
    except NoSuchVersion as problem:
        print(problem, file=sys.stderr)
        return 2
    print(json.dumps(as_json(told.against, results), indent=2) if told.json else table(told.against, results))
    return 1 if any(each.after.problem for each in results) else 0


def _in_turn(benchmark: Benchmark, means: Means, sides: Sides, say: Say) -> Compared:
    before: list[Measured] = []
    after: list[Measured] = []
    for lap in range(ROUNDS):
        say(f"{benchmark.name}: round {lap + 1} of {ROUNDS}")
        # What cannot be run is not tried again.
        if not (before and before[-1].problem):
            before.append(sides.before(benchmark, means))
        after.append(sides.after(benchmark, means))
    return Compared(joined(before), joined(after))


def table(ref: str, results: Sequence[Compared]) -> str:
    """For people."""
    rows = [_row(pair) for each in results for pair in pairs(each.before, each.after)]
    widths = [max(len(cells[place]) for cells in (HEAD, *rows)) for place in range(len(HEAD))]
    lines = [_line(HEAD, widths)]
    for each in results:
        lines += ["", f"{each.after.benchmark.name}: {each.after.benchmark.sentence}"]
        lines += [_line(_row(pair), widths) for pair in pairs(each.before, each.after)]
        for name, side in ((ref, each.before), ("this checkout", each.after)):
            if side.problem:
                lines += [f"  {name} cannot run it to its end:", f"    {side.problem.splitlines()[-1]}"]
    return "\n".join(lines)


def _row(pair: Pair) -> tuple[str, str, str, str]:
    times = "" if pair.ratio is None else f"{number(pair.ratio)} ×"
    return pair.name, _cell(pair.before), _cell(pair.after), times


def _cell(figure: Figure | None) -> str:
    if figure is None or figure.value is None:
        return "not measured"
    spread = "" if figure.spread is None else f" ({number(figure.spread[0])}–{number(figure.spread[1])})"
    return with_unit(figure.value, figure.unit) + spread


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def as_json(ref: str, results: Sequence[Compared]) -> dict[str, Any]:
    """For machines."""
    return {
        "against": ref,
        "machine": machine(),
        "benchmarks": [
            {
                "name": each.after.benchmark.name,
                "problems": {"before": each.before.problem, "after": each.after.problem},
                "figures": [
                    {
                        "name": pair.name,
                        "before": pair.before.as_json() if pair.before else None,
                        "after": pair.after.as_json() if pair.after else None,
                        "ratio": pair.ratio,
                    }
                    for pair in pairs(each.before, each.after)
                ],
            }
            for each in results
        ],
    }
