"""Where the lines of the chart of cached shares run, and what stands under them: a pure function of the figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workbench.domain.shown.shares_view import LayoutShares, LineName
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui.inspector.rows.verdict_words import expired, our_break, turn_badge
from workbench.ui.translation import translator

_tr = translator("Shares")

AXIS_LEFT, KEY_ROOM, TOP = 34, 128, 8
PLOT_HEIGHT, LEAST_PLOT = 148, 96
NUMBERS_HEIGHT, MARKS_HEIGHT = 18, 16
INSET = 12
DOTS_FROM_PX = 9.0
NUMBER_GAP = 10
WORD_GAP = 10
TRIANGLE = 13
GRID = (0.0, 0.25, 0.5, 0.75, 1.0)

Width = Callable[[str], float]


class Spot(NamedTuple):
    """A place in the chart."""

    x: float
    y: float


class Curve(NamedTuple):
    """A line in pieces: it is broken where nobody knows a turn's share."""

    name: LineName
    pieces: tuple[tuple[Spot, ...], ...]


class TurnMark(NamedTuple):
    """What happened to the prefix in a turn: filled where it cost a cache, hollow where it did not."""

    turn: int
    free: bool
    word: str


class PlacedMark(NamedTuple):
    """A mark under the axis; `room` is how wide its word may be, 0 where it has to do without."""

    x: float
    mark: TurnMark
    room: float


@dataclass(frozen=True, slots=True)
class ChartLayout:
    """Everything that is painted, from left to right; who reads from the right mirrors it as a whole.

    Attributes:
        left, right: where the grid begins and ends; xs: where each turn stands.
        numbers: the turns whose number has room under the axis.
        dots: whether points are far enough apart to be seen as such.
    """

    left: float
    right: float
    xs: tuple[float, ...]
    curves: tuple[Curve, ...]
    numbers: tuple[int, ...]
    marks: tuple[PlacedMark, ...]
    dots: bool


def turn_marks(turns: Sequence[TurnRow]) -> tuple[TurnMark, ...]:
    """The turns whose request was begun anew, was broken by us, or found its cache gone."""
    found = []
    for turn in turns:
        broken = our_break(turn)
        badge = turn_badge(turn)
        if broken is not None:
            rebuilt = turn.rebuilt is not None
            word = _tr("rebuilt, {why}").format(why=broken.word) if rebuilt else broken.word
            found.append(TurnMark(turn.number, broken.free, word))
        elif expired(turn) and badge is not None:
            found.append(TurnMark(turn.number, True, badge.word))
    return tuple(found)


def share_y(share: float, height: float = PLOT_HEIGHT) -> float:
    """How far down a share stands."""
    return TOP + (1.0 - share) * height


def lay_out_shares(
    shares: LayoutShares,
    marks: Sequence[TurnMark],
    width: float,
    word_width: Width,
    height: float = PLOT_HEIGHT,
) -> ChartLayout:
    """The chart in a width; `word_width` tells how wide a word is painted."""
    left, right = float(AXIS_LEFT), max(float(AXIS_LEFT) + 40.0, width - KEY_ROOM)
    count = len(shares.turns)
    first, last = left + INSET, right - INSET
    step = (last - first) / (count - 1) if count > 1 else 0.0
    xs = tuple(first + place * step for place in range(count)) if count > 1 else (first,) * count
    curves = tuple(Curve(line.name, _pieces(xs, line.shares, height)) for line in shares.lines)
    at = dict(zip(shares.turns, xs, strict=True))
    there = [(at[mark.turn], mark) for mark in marks if mark.turn in at]
    return ChartLayout(
        left,
        right,
        xs,
        curves,
        _numbers(shares.turns, step, word_width),
        _placed(there, width, word_width),
        step >= DOTS_FROM_PX or count == 1,
    )


def nearest(layout: ChartLayout, x: float) -> int | None:
    """The place of the turn that is nearest to a point; None where there is none."""
    places = range(len(layout.xs))
    return min(places, key=lambda place: abs(layout.xs[place] - x), default=None)


def _pieces(
    xs: Sequence[float], shares: Sequence[float | None], height: float
) -> tuple[tuple[Spot, ...], ...]:
    pieces: list[list[Spot]] = [[]]
    for x, share in zip(xs, shares, strict=True):
        if share is None:
            pieces.append([])
        else:
            pieces[-1].append(Spot(x, share_y(share, height)))
    return tuple(tuple(piece) for piece in pieces if piece)


def _numbers(turns: Sequence[int], step: float, word_width: Width) -> tuple[int, ...]:
    """Every so manieth number, so that none touches the next."""
    if not turns:
        return ()
    room = word_width(str(max(turns))) + NUMBER_GAP
    every = next((n for n in _steps() if n * step >= room), 1) if step else 1
    return tuple(turn for place, turn in enumerate(turns) if place % every == 0)


def _steps() -> Sequence[int]:
    return [digit * 10**power for power in range(6) for digit in (1, 2, 5)]


def _placed(
    marks: Sequence[tuple[float, TurnMark]], width: float, word_width: Width
) -> tuple[PlacedMark, ...]:
    """A word stands behind its triangle where the next mark leaves room for it."""
    placed = []
    for place, (x, mark) in enumerate(marks):
        end = marks[place + 1][0] - TRIANGLE / 2 if place + 1 < len(marks) else width
        room = end - x - TRIANGLE
        placed.append(PlacedMark(x, mark, room if room >= word_width(mark.word) else 0.0))
    return tuple(placed)
