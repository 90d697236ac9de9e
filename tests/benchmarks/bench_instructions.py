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
from pathlib import Path

from tests.benchmarks.running.figures import Figure, Means, not_measured

LAPS, TURNS = 30, 50
PATHS = ("keystroke rebuild", "view values and reduce")
UNIT = "instructions"
Counter = Callable[[list[str], dict[str, str]], int | None]


def figures(means: Means) -> Iterator[Figure]:
    """Both paths, by whoever can count."""
    laps = means.laps(LAPS)
    counter = next((each for each in COUNTERS if _can(each)), None)
    for path in PATHS:
        name = f"{path}, {TURNS} turns"
        if counter is None:
            yield not_measured(name, "neither perf nor valgrind can count here", UNIT)
            continue
        few, many = (_counted(counter, path, number) for number in (laps, 2 * laps))
        if few is None or many is None:
            yield not_measured(name, f"{counter.__name__} gave no count", UNIT)
            continue
        yield Figure(name, (many - few) / laps, UNIT, against=f"by {counter.__name__}")


def _can(counter: Counter) -> bool:
    return counter([sys.executable, "-c", "pass"], dict(os.environ)) is not None


def _counted(counter: Counter, path: str, laps: int) -> int | None:
    # Always the same order of sets and dictionaries, and no collection of garbage at another moment.
    given = {**os.environ, "PYTHONHASHSEED": "0"}
    return counter([sys.executable, "-m", "tests.benchmarks.running.hot_paths", path, str(laps)], given)


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


COUNTERS: tuple[Counter, ...] = (perf, valgrind)
