"""Memory of the real window: with one chat, with a chat of 10,000 turns, and its growth over many cycles of use.

What the kernel counts for the process (PSS: shared pages by their share). Growth is that of the pages that it has
written: the share changes with what else runs. A cycle types a question, takes it back or sends it to a scripted
model, opens a page, goes to the other chat and back, and every tenth changes the theme.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.running.figures import Figure, Goal, Means, at_most, not_measured, slope
from tests.benchmarks.window.bench_first_paint import LIBRARIES, painted
from tests.benchmarks.window.display import display, why_no_display
from tests.benchmarks.window.scenes import scene_of_turns
from tests.benchmarks.window.stage import NotSeen, Stage, stage

CYCLES, FEWEST, PER, CALM_S = 50, 25, 100, 0.2
SMALL, THREE = 1.3, 1.4
MORE_MB = 80
"""How much more 10,000 turns take than four: 250 MB were wanted beside 170, nearly all of which are the libraries."""
KEPT_NOTHING_MB, FIRST_MB, FURTHER_MB = 0.5, 15, 1
WORDS = "tell me more"


def figures(means: Means) -> Iterator[Figure]:
    """Each in a process of its own."""
    missing = why_no_display()
    if missing or not Path("/proc/self/smaps_rollup").exists():
        yield not_measured("memory of the window", missing or "this system does not tell it")
        return
    # Each while the other is not there: beside a window that maps the same files, half of them were not counted.
    with display() as bare:
        surroundings = {"DISPLAY": bare.name, "QT_QPA_PLATFORM": "xcb"}
        libraries = painted(LIBRARIES, surroundings, "")[1]["pss_mb"]
    with tempfile.TemporaryDirectory() as place:
        folder = scene_of_turns(Path(place), 4, 4)
        with stage(folder) as shown:
            shown.settle()
            yield from held("one chat", shown)
            small = memory_mb(shown.pid)["Pss"]
            yield Figure("a bare window with the same libraries and ranks: memory (PSS)", libraries, "MB")
            name, times = "one chat ÷ bare window with the same libraries", "× the same libraries"
            yield Figure(name, small / libraries, times, goal=at_most(SMALL))
            yield from growth(shown, means)
            yield three_windows(shown)
    with tempfile.TemporaryDirectory() as place, stage(scene_of_turns(Path(place), 10_000)) as shown:
        shown.settle()
        yield from held("a chat of 10,000 turns", shown)
        more = memory_mb(shown.pid)["Pss"] - small
        yield Figure("a chat of 10,000 turns: more than one chat (PSS)", more, "MB", goal=at_most(MORE_MB))


def held(name: str, shown: Stage, goal: Goal | None = None) -> Iterator[Figure]:
    """What the window has now."""
    told = memory_mb(shown.pid)
    yield Figure(f"{name}: memory (PSS)", told["Pss"], "MB", goal=goal)
    yield Figure(f"{name}: resident (RSS)", told["Rss"], "MB")
    yield Figure(f"{name}: its own pages", told["Private_Clean"] + told["Private_Dirty"], "MB")


def memory_mb(pid: int) -> dict[str, float]:
    """By the kernel's names."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    return {name.rstrip(":"): int(kib) / 1024 for name, kib, *_ in map(str.split, lines)}


def own_mb(pid: int) -> float:
    """What was written by the process and nobody else has."""
    return memory_mb(pid)["Private_Dirty"]


def three_windows(shown: Stage) -> Figure:
    """The chat and the next one in windows of their own, against the one window."""
    alone, window = memory_mb(shown.pid)["Pss"], shown.ask("facts")["window"]
    for _ in range(2):
        shown.display.press("Control_L", "Alt_L", "n")
        shown.rest()
        shown.display.focus(window)
        shown.display.press("Control_L", "Next")
        shown.rest()
    return Figure("three windows ÷ one", memory_mb(shown.pid)["Pss"] / alone, "× one", goal=at_most(THREE))


def growth(shown: Stage, means: Means) -> Iterator[Figure]:
    """Cycles that leave all as it was, which must not grow; then with a question each, which makes a chat longer."""
    for name, send, warm, goal in (
        # The first half warms up what is kept on purpose: pages and dialogs once opened, messages around the view.
        ("nothing is kept", False, CYCLES // 2, at_most(KEPT_NOTHING_MB)),
        # The first hundred fill what has a bound: SQLite's cache, the requests that are held, the views around the end.
        ("a question is sent", True, PER, at_most(FURTHER_MB)),
    ):
        taken, before = list[float](), own_mb(shown.pid)
        end = time.monotonic() + means.hours * 1800
        try:
            while len(taken) < warm + max(FEWEST, means.laps(CYCLES)) or time.monotonic() < end:
                cycle(shown, len(taken), send)
                taken.append(own_mb(shown.pid))
        except NotSeen as problem:
            yield not_measured(f"growth in cycles in which {name}", str(problem))
            return
        if send:
            yield Figure(
                f"growth by the first {PER} questions sent",
                taken[warm - 1] - before,
                "MB",
                goal=at_most(FIRST_MB),
            )
        grown = slope(taken[warm:]) * PER
        more = "further cycles" if send else "cycles"
        yield Figure(
            f"growth in {PER} {more} in which {name}, by {len(taken) - warm}", grown, "MB", goal=goal
        )
        yield Figure(
            f"pages of its own after {len(taken)} of them", taken[-1], "MB", (min(taken), max(taken))
        )


def cycle(shown: Stage, number: int, send: bool) -> None:
    """One round of what people do."""
    press = shown.display.press
    for letter in WORDS:
        press("space" if letter == " " else letter)
        time.sleep(0.02)
    time.sleep(CALM_S)
    if send:
        press("Return")
    else:
        press("Control_L", "a")
        press("Delete")
    time.sleep(2 * CALM_S)
    for keys in (("Alt_L", "2"), ("Alt_L", "1"), ("Control_L", "Next"), ("Control_L", "Prior")):
        press(*keys)
        time.sleep(CALM_S)
    if number % 10 == 9:
        press("Control_L", "Shift_L", "d")
        time.sleep(2 * CALM_S)
    press("Control_L", "l")
    shown.rest(0.3)
    shown.until(lambda facts: not facts["dialogs"], 10)
