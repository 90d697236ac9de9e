"""How many instructions the two hottest paths take: a keystroke's rebuild, and its view with the state it becomes.

Counted by the processor (`perf stat`) where a machine allows it, else by valgrind; as the difference of two runs, one
with twice the laps, so that the start of the process cancels out. Neither the clock nor other programs matter here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.benchmarks.running import hot_paths
from tests.benchmarks.running.figures import Figure, Means, not_measured
from tests.benchmarks.running.machine import cores

LAPS, TURNS = 30, hot_paths.TURNS
PATHS = ("keystroke rebuild", "view values and reduce")
UNIT = "instructions"
Counter = Callable[[list[str], dict[str, str]], int | None]


def figures(means: Means) -> Iterator[Figure]:
    """Both paths, by whoever can count."""
    laps = means.laps(LAPS)
    counter = next((each for each in COUNTERS if _can(each)), None)
    # The same of both, then twice as much of one: all three at once, since counts do not mind company.
    runs = ((laps, laps), (2 * laps, laps), (laps, 2 * laps))
    with ThreadPoolExecutor(cores()) as beside:
        counts = [] if counter is None else list(beside.map(lambda run: _counted(counter, *run), runs))
    for number, path in enumerate(PATHS):
        name = f"{path}, {TURNS} turns"
        if counter is None or None in counts:
            yield not_measured(name, "neither perf nor valgrind can count here", UNIT)
            continue
        base, more = counts[0] or 0, counts[number + 1] or 0
        yield Figure(name, (more - base) / laps, UNIT, against=f"by {counter.__name__}")


def _can(counter: Counter) -> bool:
    return counter([sys.executable, "-c", "pass"], dict(os.environ)) is not None


def _counted(counter: Counter, rebuilds: int, shows: int) -> int | None:
    # Always the same order of sets and dictionaries.
    given = {**os.environ, "PYTHONHASHSEED": "0"}
    return counter([sys.executable, "-m", hot_paths.__name__, str(rebuilds), str(shows)], given)


def perf(command: list[str], given: dict[str, str]) -> int | None:
    """By the processor itself."""
    if shutil.which("perf") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        asked = ["perf", "stat", "-e", "instructions:u", "-x", ",", "-o", str(out), *command]
        done = subprocess.run(asked, env=given, capture_output=True)
        if done.returncode != 0 or not out.exists():
            return None
        found = re.search(r"^(\d+),", out.read_text(encoding="utf-8"), re.MULTILINE)
    return int(found[1]) if found else None


def valgrind(command: list[str], given: dict[str, str]) -> int | None:
    """By running it in a processor made of software, many times slower."""
    if shutil.which("valgrind") is None:
        return None
    asked = ["valgrind", "--tool=exp-bbv", "--instr-count-only=yes", "--bb-out-file=/dev/null", *command]
    done = subprocess.run(asked, env=given, capture_output=True, text=True)
    counts = re.findall(r"Total instructions: (\d+)", done.stderr)
    return sum(map(int, counts)) if counts and done.returncode == 0 else None


COUNTERS = (perf, valgrind)
