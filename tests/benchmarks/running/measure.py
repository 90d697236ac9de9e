"""Runs benchmarks one after another, each in a process of its own, and gathers what they give."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO

from tests.benchmarks.running.catalogue import ROOT, Benchmark
from tests.benchmarks.running.figures import Figure, Means
from tests.benchmarks.running.machine import slowness

CHILD = "tests.benchmarks.running.child"
LAST_LINES = 8
Say = Callable[[str], None]


@dataclass(frozen=True)
class Measured:
    """What one benchmark gave; where it broke, what it said at the end.

    `slower`: how many times as long as where the goals were set an empty window took before and after it, if known.
    """

    benchmark: Benchmark
    figures: tuple[Figure, ...] = ()
    problem: str = ""
    seconds: float = 0.0
    slower: float = 0.0


def measure(benchmark: Benchmark, means: Means, root: Path = ROOT) -> Measured:
    """Run one benchmark with the program and the tests of a folder; what it gave before it broke is kept."""
    command = [sys.executable, "-m", CHILD, benchmark.module, json.dumps(asdict(means))]
    started = time.monotonic()
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as words,
        subprocess.Popen(
            command, cwd=root, env=_surroundings(root), stdout=subprocess.PIPE, stderr=words, text=True
        ) as child,
    ):
        try:
            figures = tuple(Figure.from_json(json.loads(line)) for line in child.stdout or ())
            code = child.wait()
        except BaseException:
            child.terminate()
            raise
        problem = "" if code == 0 else _last_words(words) or f"it ended with exit code {code}"
    return Measured(benchmark, figures, problem, time.monotonic() - started)


def _surroundings(root: Path) -> dict[str, str]:
    """The program is found in the folder, nobody's own settings are, and modules are compiled only once."""
    left_out = ("WORKBENCH_", "PYTHONDONTWRITEBYTECODE")
    given = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    nobody = str(Path(tempfile.gettempdir()) / "workbench-bench-nobody" / "data")
    return {**given, "PYTHONPATH": str(root), "WORKBENCH_DATA_DIR": nobody, "PYTHONHASHSEED": "0"}


def _last_words(words: IO[str]) -> str:
    words.seek(0)
    return "".join(words.readlines()[-LAST_LINES:]).strip()


def measure_all(
    benchmarks: Iterable[Benchmark], means: Means, say: Say, slowness: Callable[[], float] = slowness
) -> list[Measured]:
    """Run them in turn, saying which is at work and how long it took, and how fast the machine is meanwhile."""
    results = []
    before = slowness()
    for benchmark in benchmarks:
        say(f"{benchmark.name}: {benchmark.sentence}")
        measured, after = measure(benchmark, means), slowness()
        results.append(replace(measured, slower=(before + after) / 2))
        before = after
        end = "broke" if results[-1].problem else "measured"
        say(f"  {end} in {results[-1].seconds:.0f} s")
    return results
