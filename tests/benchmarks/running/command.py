"""The command `bench`: what it is told, what it prints, and how it ends."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any

from tests.benchmarks.running.catalogue import ROOT, Benchmark, UnknownName, chosen, find_benchmarks
from tests.benchmarks.running.figures import Means
from tests.benchmarks.running.machine import commit, machine
from tests.benchmarks.running.measure import Measured, measure_all
from tests.benchmarks.running.peers import peers_python
from tests.benchmarks.running.table import table

USAGE = """\
Measures speed and memory, and prints each figure with its spread and its goal. The exit code is 0 when everything was
measured, goals met or missed, 1 when a benchmark broke, and 2 for wrong usage. Quiet cores give better figures."""


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for."""
    told = parser().parse_args(arguments)
    there = find_benchmarks()
    try:
        wanted = chosen(told.names, there)
    except UnknownName as problem:
        say(str(problem))
        return 2
    if told.list:
        print(listed(there))
        return 0
    try:
        return run(told, wanted)
    except KeyboardInterrupt:
        say("\nStopped. Nothing was kept.")
        return 130


def parser() -> ArgumentParser:
    """What may be said."""
    made = ArgumentParser(prog="dev.py bench", description=USAGE, formatter_class=RawDescriptionHelpFormatter)
    made.add_argument("names", nargs="*", metavar="NAME", help="which ones; without names, the usual run")
    made.add_argument(
        "--list", action="store_true", help="say which benchmarks there are, and measure nothing"
    )
    made.add_argument("--json", action="store_true", help="figures for machines, on standard output")
    made.add_argument("--against", metavar="REF", help="compare with the program of another commit")
    made.add_argument("--write", action="store_true", help="write tests/benchmarks/README.md and its picture")
    made.add_argument("--effort", type=float, default=1.0, metavar="X", help="X times as many laps as usual")
    made.add_argument(
        "--hours", type=float, default=0.0, metavar="H", help="look for growth so long (memory)"
    )
    return made


def say(words: str) -> None:
    """What is for people who wait goes to standard error."""
    print(words, file=sys.stderr, flush=True)


def listed(there: Sequence[Benchmark]) -> str:
    """Every benchmark in a line."""
    width = max(len(each.name) for each in there)
    return "\n".join(
        f"{each.name:{width}}  {each.sentence}"
        + (f" (only by its name: {each.opt_in})" if each.opt_in else "")
        for each in there
    )


def run(told: Namespace, wanted: Sequence[Benchmark]) -> int:
    """Measure, print, and write the page where that is wanted."""
    means = means_for(told, wanted)
    if told.against:
        from tests.benchmarks.running.against import compare

        return compare(told, wanted, means, say)
    results = measure_all(wanted, means, say)
    if told.write:
        from tests.benchmarks.running.page import write_page

        write_page(results, machine(means.peers), say)
    print(json.dumps(as_json(results, means), indent=2) if told.json else table(results))
    return 1 if any(result.problem for result in results) else 0


def means_for(told: Namespace, wanted: Sequence[Benchmark]) -> Means:
    """What the benchmarks are given; the peers only where one of them needs them."""
    python, why_not = peers_python(say) if any(each.needs_peers for each in wanted) else ("", "")
    if why_not:
        say(f"{why_not}; going on without them.")
    return Means(python, why_not, told.effort, told.hours)


def as_json(results: Sequence[Measured], means: Means) -> dict[str, Any]:
    """Everything for machines."""
    return {
        "commit": commit(ROOT),
        "machine": machine(means.peers),
        "benchmarks": [
            {
                "name": result.benchmark.name,
                "sentence": result.benchmark.sentence,
                "seconds": round(result.seconds, 1),
                "slower": round(result.slower, 2),
                "problem": result.problem,
                "figures": [figure.as_json() for figure in result.figures],
            }
            for result in results
        ],
    }
