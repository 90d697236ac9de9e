"""Runs the tests that prove each promise of tests/promises.toml, and prints promise, tests and figure.

The exit code is 0 where every promise holds, 1 where one does not, and 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "promises.toml"
LAST_RUNS = ROOT / "tests" / "last_runs.json"
PAGE = ROOT / "resources" / "guide" / "promises.md"
# From the first line of a table to the last: everything else of the page is written by hand.
TABLES = re.compile(r"^\|.*^\|[^\n]*$", re.MULTILINE | re.DOTALL)

Runs = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Promise:
    """One sentence for users, the node ids of its tests, and which long run has more figures about it, if any."""

    group: str
    sentence: str
    tests: tuple[str, ...]
    run: str = ""


class Outcome(NamedTuple):
    """How a single test ended."""

    state: str
    seconds: float


class Figure(NamedTuple):
    """What the tests of a promise found, and the figures of its last long run, if it has one."""

    passed: int
    skipped: int
    all: int
    seconds: float
    run: Mapping[str, float] = {}

    def holds(self) -> bool:
        bad = any(self.run.get(name) for name in ("lost", "finds"))
        return self.passed > 0 and self.passed + self.skipped == self.all and not bad

    def words(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        run = "".join(f"; {value:,} {name}" for name, value in self.run.items())
        broken = "" if self.holds() else "; doesn't hold"
        return f"{self.passed} of {self.all}{skipped}, {max(1, round(self.seconds))} s{run}{broken}"


def read_promises() -> list[Promise]:
    """All promises, in the order of the page."""
    groups = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return [
        Promise(group, one["promise"], tuple(one["tests"]), one.get("run", ""))
        for group, promises in groups.items()
        for one in promises
    ]


def keep_run(name: str, figures: Mapping[str, float]) -> None:
    """Remember the figures of a long run for the next table."""
    LAST_RUNS.write_text(json.dumps({**last_runs(), name: figures}, indent=2) + "\n", encoding="utf-8")


def last_runs() -> Runs:
    """Figures of the last long runs by their names; the name of a figure says its unit."""
    kept: Runs = json.loads(LAST_RUNS.read_text(encoding="utf-8")) if LAST_RUNS.exists() else {}
    return kept


def outcomes(report: str) -> dict[str, Outcome]:
    """How each test of a JUnit report ended, by its node id; a test that fails and then errs has failed."""
    found: dict[str, Outcome] = {}
    for case in ElementTree.fromstring(report).iter("testcase"):
        node = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
        states = {child.tag for child in case} & {"failure", "error", "skipped"}
        before = found.get(node, Outcome("passed", 0.0))
        state = next((one for one in ("failure", "error", "skipped") if one in states), "passed")
        seconds = before.seconds + float(case.get("time", 0))
        found[node] = Outcome(state if before.state == "passed" else before.state, seconds)
    return found


def figure_of(promise: Promise, ended: Mapping[str, Outcome], runs: Runs) -> Figure:
    """The tests that are named, with all their variants; one that was not run counts as not passed."""
    by_name = {one: {node for node in ended if is_of(node, one)} for one in promise.tests}
    mine = [ended[node] for node in set().union(*by_name.values())]
    states = [outcome.state for outcome in mine]
    count = len(mine) + sum(not nodes for nodes in by_name.values())
    seconds = sum(outcome.seconds for outcome in mine)
    run = runs.get(promise.run, {})
    return Figure(states.count("passed"), states.count("skipped"), count, seconds, run)


def is_of(node: str, named: str) -> bool:
    """Whether a test is the named one, a variant of it, or stands in the named file."""
    return node == named or node.startswith((f"{named}::", f"{named}["))


def files_of(promise: Promise) -> str:
    """Where its tests stand, the first by name."""
    files = list(dict.fromkeys(Path(one.partition("::")[0]).stem for one in promise.tests))
    return f"`{files[0]}`" + (f" + {len(files) - 1}" if files[1:] else "")


def tables(figures: Iterable[tuple[Promise, Figure]], day: str) -> str:
    """A table for each group, as the guide shows it."""
    lines: list[str] = []
    group = ""
    for promise, figure in figures:
        if promise.group != group:
            lines += ["", f"| {promise.group} | tests | passed, {day} |", "|---|---|---|"]
        group = promise.group
        lines.append(f"| {promise.sentence} | {files_of(promise)} | {figure.words()} |")
    return "\n".join(lines[1:])


def with_results(page: str, made: str) -> str:
    """A page with these tables; one in another language keeps its words, and takes the day and the results."""

    def row(own: str, new: str) -> str:
        said, *results = new.split(" | ")
        if "passed, " in new:
            return re.sub(r"\d{4}-\d\d-\d\d", new[-12:-2], own)
        return " | ".join((own.split(" | ", maxsplit=1)[0] if results else said, *results))

    def table(found: re.Match[str]) -> str:
        return "\n".join(map(row, found[0].splitlines(), made.splitlines()))

    return TABLES.sub(table, page, count=1)


def run_tests(promises: Iterable[Promise]) -> dict[str, Outcome]:
    """Run every test that is named once, in several processes."""
    nodes = sorted({node for promise in promises for node in promise.tests})
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        parallel = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
        command = [sys.executable, "-m", "pytest", "-q", *parallel, f"--junitxml={report}", *nodes]
        subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False)
        return outcomes(report.read_text(encoding="utf-8")) if report.exists() else {}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="dev.py promises", description=__doc__)
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="only promises that have one of these in them"
    )
    parser.add_argument("--write", action="store_true", help="write the table into the guide")
    options = parser.parse_args(argv)
    if options.write and options.words:
        parser.error("--write needs all promises")
    chosen = [
        one
        for one in read_promises()
        if not options.words
        or any(word.lower() in f"{one.group} {one.sentence}".lower() for word in options.words)
    ]
    if not chosen:
        parser.error("no promise has these words")  # without a name, pytest would run everything
    ended = run_tests(chosen)
    runs = last_runs()
    figures = [(one, figure_of(one, ended, runs)) for one in chosen]
    for promise, figure in figures:
        print(f"{promise.group}: {promise.sentence}\n    {figure.words()}")
        print("\n".join(f"    {node}" for node in promise.tests))
    broken = sum(not figure.holds() for _, figure in figures)
    passed = sum(one.state == "passed" for one in ended.values())
    print(f"{len(figures)} promises, {broken} of them don't hold; {passed:,} of {len(ended):,} tests passed")
    if options.write:
        made = tables(figures, time.strftime("%Y-%m-%d"))
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLES.sub(lambda _: made, page, count=1), encoding="utf-8")
        for other in PAGE.parent.glob("*/promises.md"):
            other.write_text(with_results(other.read_text(encoding="utf-8"), made), encoding="utf-8")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
