"""The chart of cached shares: where its lines run, and what it says, as pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workbench.domain.settings.preferences import Layout
from workbench.domain.shown.shares_view import LayoutShares, LineName, Saving, ShareLine
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.verdict_words import expired, our_break, turn_badge
from workbench.ui.inspector.turns.columns import layout_word
from workbench.ui.model_button import model_name
from workbench.ui.translation import N_, translator

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
_NAMES: Mapping[LineName, str] = {
    "sent": N_("as sent"),
    "append_only": N_("append-only"),
    "layered": N_("layered"),
    "trim_last": N_("trim-last"),
}


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


class SavingWords(NamedTuple):
    """What was spared: what stands out, what follows it, and whether it is good news."""

    lead: str
    rest: str
    good: bool


def line_name(line: ShareLine) -> str:
    """What a line is called."""
    return layout_word(line.layout) if line.layout is not None else _tr(_NAMES[line.name])


def line_told(line: ShareLine) -> str:
    """What a line is, and its share of all turns."""
    if line.total_share is None:
        return _tr("not known")
    share = formatting.percent(line.total_share)
    words = _tr("as sent, {share}") if line.name == "sent" else _tr("forecast, {share}")
    return words.format(share=share)


def saving_words(shares: LayoutShares, layout: Layout) -> SavingWords:
    """What the layout has spared against another, and what it cost where it has not."""
    saving = shares.saving
    if saving is None:
        return SavingWords("", "", good=False)
    who = _who(shares, layout)
    against = _tr(_NAMES[saving.against])
    lead, rest = _spared(saving, who, against) if saving.tokens >= 0 else _lost(saving, who, against)
    automatic = layout == "auto" and shares.lines[0].layout == "append_only"
    why = _tr("Append-only until a rebuild is due, or free.") if automatic else ""
    return SavingWords(lead, " ".join(part for part in (rest, why) if part), good=saving.tokens > 0)


def _who(shares: LayoutShares, layout: Layout) -> str:
    sent = shares.lines[0].layout
    if sent is None:
        return _tr("What was sent")
    return layout_word("auto" if layout == "auto" and sent == "append_only" else sent)


def _spared(saving: Saving, who: str, against: str) -> tuple[str, str]:
    if not saving.tokens:
        return _tr("{who} saved nothing").format(who=who), _tr("against {other}.").format(other=against)
    tokens, usd = formatting.token_words(saving.tokens), saving.usd
    if not usd:
        return _tr("{who} saved {n}").format(who=who, n=tokens), _tr("against {other}.").format(other=against)
    if usd > 0:
        lead = _tr("{who} saved {n}, {usd}").format(who=who, n=tokens, usd=formatting.usd(usd))
        return lead, _tr("against {other}.").format(other=against)
    lead = _tr("{who} saved {n}").format(who=who, n=tokens)
    return lead, _tr("against {other}, but cost {usd} more, since writing to the cache is paid for.").format(
        other=against, usd=formatting.usd(-usd)
    )


def _lost(saving: Saving, who: str, against: str) -> tuple[str, str]:
    tokens, usd = formatting.tokens(-saving.tokens), saving.usd
    lead = _tr("{who} saved nothing:").format(who=who)
    if not usd:
        return lead, _tr("it re-read {n} more tokens than {other} would have.").format(
            n=tokens, other=against
        )
    if usd < 0:
        words = _tr("it re-read {n} more tokens than {other} would have, {usd}.")
        return lead, words.format(n=tokens, other=against, usd=formatting.usd(-usd))
    words = _tr("it re-read {n} more tokens than {other} would have, and still cost {usd} less.")
    return lead, words.format(n=tokens, other=against, usd=formatting.usd(usd))


def why_none(shares: LayoutShares | None, model: str) -> str:
    """Why there is no chart; empty where there is one."""
    if shares is None or (not shares.turns and shares.waiting):
        return _tr("Calculating from the saved turns. Nothing is sent.")
    if not shares.turns:
        return _tr("No answers yet. The lines start with the second answer.")
    if not shares.known:
        words = _tr(
            "The cache of {model} is unknown: there are no rules for it, and its answers don’t report "
            "cached tokens. There’s nothing to compare."
        )
        return words.format(model=model_name(model) or _tr("this model"))
    if len(shares.turns) == 1:
        return _tr("One answer so far, so nothing to reuse yet. The lines start with the second.")
    return ""


def turn_told(shares: LayoutShares, place: int, marks: tuple[TurnMark, ...]) -> str:
    """A turn of the chart in a sentence, for those who hear it and for a tooltip."""
    parts = []
    for line in shares.lines:
        share = line.shares[place]
        told = _tr("not known") if share is None else formatting.percent(share)
        words = _tr("{name}, as sent, {share}") if line.name == "sent" else _tr("{name} {share}")
        if line.name == "sent" and line.layout is None:
            words = _tr("{name} {share}")
        parts.append(words.format(name=line_name(line), share=told))
    number = shares.turns[place]
    mark = next((mark for mark in marks if mark.turn == number), None)
    told = _tr("Turn {n}: {shares}.").format(n=formatting.tokens(number), shares=", ".join(parts))
    return told if mark is None else f"{told} {mark_told(mark)}."


def mark_told(mark: TurnMark) -> str:
    """What happened in a turn."""
    return mark.word[:1].upper() + mark.word[1:]


def waiting_words(shares: LayoutShares | None) -> str:
    """How much is still to be worked out."""
    if shares is None or not shares.turns:
        return ""
    if shares.waiting:
        return formatting.counted(shares.waiting, _tr("1 turn to go"), _tr("{n} turns to go"))
    newest = formatting.counted(len(shares.turns), _tr("the newest turn"), _tr("the newest {n} turns"))
    return newest if shares.older else ""
