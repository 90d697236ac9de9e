"""The card with the chart of cached shares: what the layout spared, and the choice of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.domain.models.learnt import ModelLearnt
from workbench.domain.settings.preferences import Layout
from workbench.domain.shown.shares_view import LayoutShares, LineName
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.turns.columns import layout_word
from workbench.ui.inspector.turns.shares_layout import (
    GRID,
    KEY_ROOM,
    MARKS_HEIGHT,
    NUMBERS_HEIGHT,
    PLOT_HEIGHT,
    TOP,
    TRIANGLE,
    ChartLayout,
    TurnMark,
    lay_out_shares,
    line_name,
    line_told,
    nearest,
    saving_words,
    share_y,
    turn_marks,
    turn_told,
    waiting_words,
    why_none,
)
from workbench.ui.inspector.turns.timeline_layout import paint_mark
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.painting import dashed_pen, elided, set_text_style
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.model_button import model_name
from workbench.ui.steps import apply_settings
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.guided import with_more
from workbench.ui.widgets.labels import IconSpot, label, set_text
from workbench.ui.widgets.plain import tip
from workbench.ui.wishes import Wishes

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
        self.title = label(self.tr("Cached share per turn, %"), "ui_heading")
        self.waiting = label("", "small", "t3")
        self.named = label(self.tr("Layout"), "small", "t3")
        self.choice = Choice(tuple((each, layout_word(each)) for each in LAYOUTS))
        self.choice.setAccessibleName(self.tr("Layout"))
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
            words = self.tr("Forecasts of {model}: {told} of the request.")
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
        title = self.tr("Layout: {name}").format(name=layout_word(wanted))
        settings = replace(self._chat.chat.settings, layout=wanted)
        self.wishes.do(apply_settings(self._chat, settings, title))


class ShareChart(QWidget):
    """One line a layout; ←/→, Home and End go by turn, Enter opens the one that is chosen.

    Signals:
        chosen: the number of the turn that was chosen here; opened: that more of it is wanted.
    """

    spoken_role = QAccessible.Role.Chart

    chosen = Signal(int)
    opened = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._shares = LayoutShares()
        self._marks: tuple[TurnMark, ...] = ()
        self._chosen: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", 6)
        self.setAccessibleName(self.tr("Cached share per turn"))

    def show_shares(self, shares: LayoutShares, marks: tuple[TurnMark, ...]) -> None:
        self._shares, self._marks = shares, marks
        self._tell()
        self.update()

    def select(self, number: int | None) -> None:
        if number != self._chosen:
            self._chosen = number
            self._tell()
            self.update()

    def turn(self) -> int | None:
        return self._chosen if self._chosen in self._shares.turns else None

    def laid_out(self) -> ChartLayout:
        measure = metrics("meta", 600)
        return lay_out_shares(self._shares, self._marks, self.width(), measure.horizontalAdvance)

    def sizeHint(self) -> QSize:
        return QSize(560, TOP + PLOT_HEIGHT + NUMBERS_HEIGHT + MARKS_HEIGHT + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = nearest(self.laid_out(), event.pos().x())
            words = "" if place is None else turn_told(self._shares, place, self._marks)
            QToolTip.showText(event.globalPos(), tip(with_more(words)), self)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        count = len(self._shares.turns)
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._step(1 if event.key() == Qt.Key.Key_Right else -1)
            case Qt.Key.Key_Home:
                self._step(-count)
            case Qt.Key.Key_End:
                self._step(count)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.turn() is not None:
                self.opened.emit(self._chosen)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = nearest(self.laid_out(), event.position().x())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(self._shares.turns[place])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.turn() is not None:
            self.opened.emit(self._chosen)

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
        place = self._place()
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
        chosen = self.turn()
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
        place = self._place()
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

    def _step(self, by: int) -> None:
        turns = self._shares.turns
        if turns:
            place = self._place()
            at = len(turns) - 1 if place is None else min(max(place + by, 0), len(turns) - 1)
            self._choose(turns[at])

    def _choose(self, number: int) -> None:
        if number != self._chosen:
            self.select(number)
            self.chosen.emit(number)

    def _place(self) -> int | None:
        number = self.turn()
        return None if number is None else self._shares.turns.index(number)

    def _tell(self) -> None:
        place = self._place()
        told = "" if place is None else turn_told(self._shares, place, self._marks)
        self.setAccessibleDescription(told)


def line_pen(name: LineName, theme: Theme) -> QPen:
    """How a line is drawn: what was sent in full, what is only worked out in dashes."""
    if name == "sent":
        pen = QPen(colour("accent", theme), 2)
    else:
        token, dash, gap = _DASHES[name]
        pen = dashed_pen(getattr(theme, token), 1.5, dash, gap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen
