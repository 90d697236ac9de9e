"""The card with the chart of cached shares: what the layout spared, and the choice of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)

from workbench.domain.model import ModelLearnt
from workbench.domain.settings.context_settings import Layout
from workbench.domain.shown.turn_view import LayoutShares, LineName, Saving, ShareLine, TurnRow
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.rows.verdict_words import expired, our_break, turn_badge
from workbench.ui.inspector.turns.table import layout_word
from workbench.ui.inspector.turns.timeline_layout import paint_mark
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.painting import dashed_pen, elided, set_text_style
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.model_button import model_name
from workbench.ui.steps import apply_settings
from workbench.ui.translation import N_, sentences, tr
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.labels import IconSpot, label, set_text
from workbench.ui.widgets.stepped_chart import SteppedChart
from workbench.ui.wishes import Wishes

# The chart of cached shares: where its lines run, and what it says, as pure functions.


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
            word = tr("rebuilt, {why}").format(why=broken.word) if rebuilt else broken.word
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
    return layout_word(line.layout) if line.layout is not None else tr(_NAMES[line.name])


def line_told(line: ShareLine) -> str:
    """What a line is, and its share of all turns."""
    if line.total_share is None:
        return tr("not known")
    share = formatting.percent(line.total_share)
    words = tr("as sent, {share}") if line.name == "sent" else tr("forecast, {share}")
    return words.format(share=share)


def saving_words(shares: LayoutShares, layout: Layout) -> SavingWords:
    """What the layout has spared against another, and what it cost where it has not."""
    saving = shares.saving
    if saving is None:
        return SavingWords("", "", good=False)
    who = _who(shares, layout)
    against = tr(_NAMES[saving.against])
    lead, rest = _spared(saving, who, against) if saving.tokens >= 0 else _lost(saving, who, against)
    automatic = layout == "auto" and shares.lines[0].layout == "append_only"
    why = tr("Append-only until a rebuild is due, or free.") if automatic else ""
    return SavingWords(lead, sentences(rest, why), good=saving.tokens > 0)


def _who(shares: LayoutShares, layout: Layout) -> str:
    sent = shares.lines[0].layout
    if sent is None:
        return tr("What was sent")
    return layout_word("auto" if layout == "auto" and sent == "append_only" else sent)


def _spared(saving: Saving, who: str, against: str) -> tuple[str, str]:
    if not saving.tokens:
        return tr("{who} saved nothing").format(who=who), tr("against {other}.").format(other=against)
    tokens, usd = formatting.token_words(saving.tokens), saving.usd
    if not usd:
        return tr("{who} saved {n}").format(who=who, n=tokens), tr("against {other}.").format(other=against)
    if usd > 0:
        lead = tr("{who} saved {n}, {usd}").format(who=who, n=tokens, usd=formatting.usd(usd))
        return lead, tr("against {other}.").format(other=against)
    lead = tr("{who} saved {n}").format(who=who, n=tokens)
    return lead, tr("against {other}, but cost {usd} more, since writing to the cache is paid for.").format(
        other=against, usd=formatting.usd(-usd)
    )


def _lost(saving: Saving, who: str, against: str) -> tuple[str, str]:
    tokens, usd = formatting.tokens(-saving.tokens), saving.usd
    lead = tr("{who} saved nothing:").format(who=who)
    if not usd:
        return lead, tr("it re-read {n} more tokens than {other} would have.").format(n=tokens, other=against)
    if usd < 0:
        words = tr("it re-read {n} more tokens than {other} would have, {usd}.")
        return lead, words.format(n=tokens, other=against, usd=formatting.usd(-usd))
    words = tr("it re-read {n} more tokens than {other} would have, and still cost {usd} less.")
    return lead, words.format(n=tokens, other=against, usd=formatting.usd(usd))


def why_none(shares: LayoutShares | None, model: str) -> str:
    """Why there is no chart; empty where there is one."""
    if shares is None or (not shares.turns and shares.waiting):
        return tr("Calculating from the saved turns. Nothing is sent.")
    if not shares.turns:
        return tr("No answers yet. The lines start with the second answer.")
    if not shares.known:
        words = tr(
            "The cache of {model} is unknown: there are no rules for it, and its answers don’t report "
            "cached tokens. There’s nothing to compare."
        )
        return words.format(model=model_name(model) or tr("this model"))
    if len(shares.turns) == 1:
        return tr("One answer so far, so nothing to reuse yet. The lines start with the second.")
    return ""


def turn_told(shares: LayoutShares, place: int, marks: tuple[TurnMark, ...]) -> str:
    """A turn of the chart in a sentence, for those who hear it and for a tooltip."""
    parts = []
    for line in shares.lines:
        share = line.shares[place]
        told = tr("not known") if share is None else formatting.percent(share)
        words = tr("{name}, as sent, {share}") if line.name == "sent" else tr("{name} {share}")
        if line.name == "sent" and line.layout is None:
            words = tr("{name} {share}")
        parts.append(words.format(name=line_name(line), share=told))
    number = shares.turns[place]
    mark = next((mark for mark in marks if mark.turn == number), None)
    told = tr("Turn {n}: {shares}.").format(n=formatting.tokens(number), shares=", ".join(parts))
    return told if mark is None else f"{told} {mark_told(mark)}."


def mark_told(mark: TurnMark) -> str:
    """What happened in a turn."""
    return mark.word[:1].upper() + mark.word[1:]


def waiting_words(shares: LayoutShares | None) -> str:
    """How much is still to be worked out."""
    if shares is None or not shares.turns:
        return ""
    if shares.waiting:
        return formatting.counted(shares.waiting, tr("1 turn to go"), tr("{n} turns to go"))
    newest = formatting.counted(len(shares.turns), tr("the newest turn"), tr("the newest {n} turns"))
    return newest if shares.older else ""


LAYOUTS: tuple[Layout, ...] = ("auto", "append_only", "layered")
DOT = 3.0
KEY_STEP, KEY_LINE, KEY_GAP = 40, 18, 6
LEAST_WIDTH = 300
_DASHES: Mapping[LineName, tuple[str, float, float]] = {
    "layered": ("t2", 6, 4),
    "append_only": ("t2", 10, 3),
    "trim_last": ("edge", 2, 3),
}


class SharesCard(Card):
    """The chart, what the layout spares, and the choice of another one."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.wishes = wishes
        self._chat: ChatState | None = None
        self._shown: tuple[object, ...] = ()
        self.title = label(tr("Cached share per turn, %"), "ui_heading")
        self.waiting = label("", "small", "t3")
        self.named = label(tr("Layout"), "small", "t3")
        self.choice = Choice(tuple((each, layout_word(each)) for each in LAYOUTS))
        self.choice.setAccessibleName(tr("Layout"))
        self.named.setBuddy(self.choice)
        self.icon = IconSpot("check", "ok")
        self.lead = label("", "small")
        self.lead.setFont(font("small", 600))
        self.rest = label("", "small", "t2", wrap=True)
        self.none = label("", "small", "t3", wrap=True)
        self.accuracy = label("", "small", "t3", wrap=True)
        self.accuracy.setVisible(False)
        self.chart = ShareChart()
        self._place()
        self.choice.activated.connect(self._on_choice)

    def _place(self) -> None:
        down = rows(self, (14, 8, 14, 10), 4)
        fill(columns(down, spacing=8), self.title, self.waiting, STRETCH, self.named, self.choice)
        line = columns(down, spacing=6)
        line.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.lead, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.rest, 1, Qt.AlignmentFlag.AlignTop)
        fill(down, self.none, self.chart, self.accuracy)

    def let_go(self) -> None:
        """Hold no state any more, as the page that it is on."""
        self._chat = None

    def show_chat(self, chat: ChatState, learnt: ModelLearnt | None = None) -> None:
        self._chat = chat
        self._show_accuracy(chat.chat.settings.model, learnt)
        layout = chat.chat.settings.layout
        self.choice.choose(layout)
        shown = (chat.shares, chat.turns, layout, chat.chat.settings.model)
        if len(shown) == len(self._shown) and all(a is b for a, b in zip(shown, self._shown, strict=True)):
            return
        self._shown = shown
        none = why_none(chat.shares, chat.chat.settings.model)
        set_text(self.none, none)
        self.none.setVisible(bool(none))
        self.chart.setVisible(not none)
        set_text(self.waiting, waiting_words(chat.shares))
        shares = chat.shares or LayoutShares()
        self._say(shares, layout, bool(none))
        if not none:
            self.chart.show_shares(shares, turn_marks(chat.turns))

    def _show_accuracy(self, model: str, learnt: ModelLearnt | None) -> None:
        there = learnt is not None and learnt.judged > 0
        self.accuracy.setVisible(there)
        if learnt is not None and there:
            told = formatting.accuracy(learnt.within, learnt.judged)
            words = tr("Forecasts of {model}: {told} of the request.")
            set_text(self.accuracy, words.format(model=model_name(model), told=told))

    def _say(self, shares: LayoutShares, layout: Layout, none: bool) -> None:
        words = saving_words(shares, layout)
        there = bool(words.lead) and not none
        for widget in (self.icon, self.lead, self.rest):
            widget.setVisible(there)
        self.icon.show_icon(*(("check", "ok") if words.good else ("info", "t3")))
        set_text(self.lead, words.lead)
        set_text(self.rest, words.rest)

    def _on_choice(self) -> None:
        wanted = next((each for each in LAYOUTS if each == self.choice.chosen()), None)
        if self._chat is None or wanted is None:
            return
        title = tr("Layout: {name}").format(name=layout_word(wanted))
        settings = replace(self._chat.chat.settings, layout=wanted)
        self.wishes.do(apply_settings(self._chat, settings, title))


class ShareChart(SteppedChart):
    """One line a layout, and a place for each turn."""

    def __init__(self) -> None:
        super().__init__(tr("Cached share per turn"))
        self._shares = LayoutShares()
        self._marks: tuple[TurnMark, ...] = ()
        self.setFixedHeight(TOP + PLOT_HEIGHT + NUMBERS_HEIGHT + MARKS_HEIGHT + 2)
        self.setMinimumWidth(LEAST_WIDTH)

    def numbers(self) -> Sequence[int]:
        return self._shares.turns

    def nearest_place(self, x: float) -> int | None:
        return nearest(self.laid_out(), x)

    def told(self, place: int) -> str:
        return turn_told(self._shares, place, self._marks)

    def show_shares(self, shares: LayoutShares, marks: tuple[TurnMark, ...]) -> None:
        self._shares, self._marks = shares, marks
        self.tell()
        self.update()

    def laid_out(self) -> ChartLayout:
        measure = metrics("meta", 600)
        return lay_out_shares(self._shares, self._marks, self.width(), measure.horizontalAdvance)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, layout = QPainter(self), theme_of(self), self.laid_out()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_grid(painter, theme, layout)
        self._paint_marks(painter, theme, layout)
        self._paint_numbers(painter, theme, layout)
        for curve in reversed(layout.curves):
            painter.setPen(line_pen(curve.name, theme))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for piece in curve.pieces:
                painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in piece]))
            if curve.name == "sent":
                self._paint_dots(painter, theme, layout)
        self._paint_keys(painter, theme, layout)

    def _paint_grid(self, painter: QPainter, theme: Theme, layout: ChartLayout) -> None:
        painter.setFont(font("meta"))
        for share in GRID:
            y = round(share_y(share)) + 0.5
            painter.setPen(QPen(colour("line", theme), 1))
            painter.drawLine(QPointF(layout.left, y), QPointF(layout.right, y))
            painter.setPen(colour("t3", theme))
            box = QRectF(0, y - 8, layout.left - 6, 16)
            painter.drawText(
                box,
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute,
                formatting.tokens(round(share * 100)),
            )
        place = self.selected_place()
        if place is not None:
            x = layout.xs[place]
            box = QRectF(x - 9, TOP - 4, 18, PLOT_HEIGHT + 4)
            painter.fillRect(box, colour("sel", theme))

    def _paint_marks(self, painter: QPainter, theme: Theme, layout: ChartLayout) -> None:
        ground = TOP + PLOT_HEIGHT + NUMBERS_HEIGHT
        for x, mark, room in layout.marks:
            token = "warn" if mark.free else "errline"
            painter.setPen(dashed_pen(getattr(theme, token), 1, 2, 2))
            painter.drawLine(QPointF(x, TOP), QPointF(x, TOP + PLOT_HEIGHT))
            paint_mark(
                painter, QPointF(x, ground + MARKS_HEIGHT / 2 + 4), "expired" if mark.free else "broke"
            )
            if room:
                set_text_style(painter, font("meta"), colour("warn" if mark.free else "err", theme))
                box = QRectF(x + TRIANGLE / 2 + 2, ground, room, MARKS_HEIGHT)
                self._write(painter, box, mark.word)

    def _paint_numbers(self, painter: QPainter, theme: Theme, layout: ChartLayout) -> None:
        there = dict(zip(self._shares.turns, layout.xs, strict=True))
        shown = list(layout.numbers)
        chosen = self.selected()
        room = metrics("meta", 600).horizontalAdvance(formatting.tokens(max(there, default=0))) + 6
        if chosen is not None:
            shown = [turn for turn in shown if turn == chosen or abs(there[turn] - there[chosen]) >= room]
            shown = [*shown, chosen]
        for turn in dict.fromkeys(shown):
            painter.setFont(font("meta", 600 if turn == chosen else None))
            painter.setPen(colour("t1" if turn == chosen else "t3", theme))
            box = QRectF(there[turn] - 24, TOP + PLOT_HEIGHT + 2, 48, NUMBERS_HEIGHT - 2)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, formatting.tokens(turn))

    def _paint_dots(self, painter: QPainter, theme: Theme, layout: ChartLayout) -> None:
        place = self.selected_place()
        chosen = None if place is None else layout.xs[place]
        painter.setPen(QPen(colour("raised", theme), 1))
        painter.setBrush(colour("accent", theme))
        for curve in layout.curves[:1]:
            for piece in curve.pieces:
                for x, y in piece:
                    # A point alone has no line to be seen by.
                    if layout.dots or x == chosen or len(piece) == 1:
                        size = DOT + 1 if x == chosen else DOT
                        painter.drawEllipse(QPointF(x, y), size, size)

    def _paint_keys(self, painter: QPainter, theme: Theme, layout: ChartLayout) -> None:
        left, room = layout.right + 14, KEY_ROOM - 14
        for place, line in enumerate(self._shares.lines):
            y = TOP + 4 + place * KEY_STEP
            painter.setPen(line_pen(line.name, theme))
            painter.drawLine(QPointF(left, y + 8), QPointF(left + KEY_LINE, y + 8))
            start = left + KEY_LINE + KEY_GAP
            set_text_style(painter, font("small", 600 if line.name == "sent" else None), colour("t1", theme))
            self._write(
                painter, QRectF(start, y, room - KEY_LINE - KEY_GAP, line_height("small")), line_name(line)
            )
            set_text_style(painter, font("meta"), colour("t3", theme))
            under = QRectF(start, y + line_height("small"), room - KEY_LINE - KEY_GAP, line_height("meta"))
            self._write(painter, under, line_told(line))

    def _write(self, painter: QPainter, box: QRectF, words: str) -> None:
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(box, flags, elided(painter.font(), words, box.width()))


def line_pen(name: LineName, theme: Theme) -> QPen:
    """How a line is drawn: what was sent in full, what is only worked out in dashes."""
    if name == "sent":
        pen = QPen(colour("accent", theme), 2)
    else:
        token, dash, gap = _DASHES[name]
        pen = dashed_pen(getattr(theme, token), 1.5, dash, gap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen
