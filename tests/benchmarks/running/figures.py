"""What a benchmark gives: figures with their spread and goal; and the statistics they are made with."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

RATIO, MS, MB = "×", "ms", "MB"
Clock = Callable[[], float]


@dataclass(frozen=True)
class Goal:
    """A bound that a figure keeps, from below or from above."""

    bound: float
    at_most: bool = True

    def is_met(self, value: float) -> bool:
        """Whether a figure keeps it; what is measured has more digits than a goal, and a tie is kept."""
        return value <= self.bound if self.at_most else value >= self.bound


@dataclass(frozen=True)
class Figure:
    """One thing that was measured.

    Attributes:
        name, value, unit: what it is; no value where it could not be measured, and `why_not` says why.
        spread: the quartiles, or the least and the most, of the laps.
        goal: what it should be. against: what it was measured beside.
        series, at: where it stands in the picture of growth, if it does.
    """

    name: str
    value: float | None
    unit: str
    spread: tuple[float, float] | None = None
    goal: Goal | None = None
    against: str = ""
    why_not: str = ""
    series: str = ""
    at: float = 0.0

    @property
    def verdict(self) -> str:
        """Whether its goal was met; nothing where there is none."""
        if self.value is None:
            return "not measured"
        if self.goal is None:
            return ""
        return "met" if self.goal.is_met(self.value) else "missed"

    def as_json(self) -> dict[str, Any]:
        """For machines, with what follows from it."""
        return {**asdict(self), "verdict": self.verdict}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Figure:
        """What `as_json` wrote."""
        plain = {name: values[name] for name in cls.__dataclass_fields__ if name in values}
        spread, goal = plain.get("spread"), plain.get("goal")
        plain["spread"] = None if spread is None else (float(spread[0]), float(spread[1]))
        plain["goal"] = None if goal is None else Goal(**goal)
        return cls(**plain)


def not_measured(name: str, why: str, unit: str = "", goal: Goal | None = None) -> Figure:
    """A row that says why there is no figure."""
    return Figure(name, None, unit, goal=goal, why_not=why)


def at_most(bound: float) -> Goal:
    """A goal from above."""
    return Goal(bound)


def at_least(bound: float) -> Goal:
    """A goal from below."""
    return Goal(bound, at_most=False)


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Between which two the middle half lies; with few laps, the least and the most."""
    if len(values) < 4:
        return min(values), max(values)
    first, _, last = statistics.quantiles(values, n=4, method="inclusive")
    return first, last


def percentile(values: Iterable[float], share: float) -> float:
    """What so great a share of the values stays at or below."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(round(len(ordered) * share, 6)) - 1)]


def middle(name: str, laps: Sequence[float], unit: str = MS, goal: Goal | None = None) -> Figure:
    """The median of laps, with quartiles."""
    return Figure(name, statistics.median(laps), unit, quartiles(laps), goal)


def least(name: str, laps: Sequence[float], unit: str = MS, goal: Goal | None = None) -> Figure:
    """The least of laps: other programs can only add to a time by the clock."""
    return Figure(name, min(laps), unit, (min(laps), max(laps)), goal)


def ratio(
    name: str, ours: Sequence[float], other: Sequence[float], goal: Goal | None = None, against: str = ""
) -> Figure:
    """How many times one thing's median the other's is; laps that were taken in turn are compared in pairs."""
    beside = statistics.median(other)
    pairs = zip(ours, other, strict=True) if len(ours) == len(other) else ((one, beside) for one in ours)
    each = [one / max(two, 1e-9) for one, two in pairs]
    return Figure(name, statistics.median(ours) / max(beside, 1e-9), RATIO, quartiles(each), goal, against)


def slope(values: Sequence[float]) -> float:
    """By how much a value grows from one place to the next, by least squares."""
    if len(values) < 2:
        return 0.0
    return statistics.linear_regression(range(len(values)), values).slope


def timed(work: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """Milliseconds of some work, by the clock or in the processor's time."""
    start = clock()
    work()
    return (clock() - start) * 1000


Works = Mapping[str, Callable[[int], object]]


def in_turn(laps: int, works: Works, clock: Clock = time.perf_counter) -> dict[str, list[float]]:
    """Milliseconds of several works, lap by lap in turn, so that a busy moment of the machine hits all of them."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(laps):
        for name, work in works.items():
            start = clock()
            work(number)
            taken[name].append((clock() - start) * 1000)
    return taken


@dataclass(frozen=True)
class Means:
    """What a benchmark is given.

    Attributes:
        peers: the Python of the peers' environment; `no_peers` says why there is none.
        effort: how many laps, as a share of the usual ones. hours: how long what looks for growth goes on.
    """

    peers: str = ""
    no_peers: str = ""
    effort: float = 1.0
    hours: float = 0.0

    def laps(self, usual: int) -> int:
        """So many laps, and at least three."""
        return max(min(usual, 3), round(usual * self.effort))


def named(figure: Figure, series: str, at: float) -> Figure:
    """The same figure with its place in the picture of growth."""
    return replace(figure, series=series, at=at)
