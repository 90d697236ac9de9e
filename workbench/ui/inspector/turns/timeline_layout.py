"""The timeline: where each turn's bar lies and how high its parts are, and the strokes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

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
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QToolTip

from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.intents import OpenTurn
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.inspector.rows.verdict_words import expired, notable_turn, our_break, turn_description
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import dashed_pen, fill_rounded, hatch_brush, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.guided import with_more
from workbench.ui.widgets.plain import tip
from workbench.ui.wishes import Wishes

BAR_WIDTH, GAP = 26, 10
SLOT = BAR_WIDTH + GAP
BAR_HEIGHT = 74
LEAST_PX = 2.0
OUTPUT_GAP = 1.0
Mark = Literal["", "broke", "expired", "failed"]
TICK_LENGTH, TICK_HEIGHT = 6, 2
TICK_OUT = 4
MARK_HALF, MARK_HEIGHT = 4.5, 6.5
MARK_GAP = 4


class Bar(NamedTuple):
    """A turn's tokens; None where nobody said. `turn` is None for the request that was not sent yet."""

    turn: int | None
    cached: int
    fresh: int
    output: int
    predicted: int | None = None
    reported: int | None = None
    mark: Mark = ""

    @property
    def total(self) -> int:
        return self.cached + self.fresh + self.output


@dataclass(frozen=True, slots=True)
class Heights:
    """How high the parts of a bar are, in pixels; ticks from the ground."""

    cached: float
    fresh: float
    output: float
    predicted: float | None
    reported: float | None

    @property
    def total(self) -> float:
        return self.cached + self.fresh + (self.output + OUTPUT_GAP if self.output else 0.0)


def turn_bar(turn: TurnRow) -> Bar:
    """A turn's last request; as the provider counted it, where it did.

    Where tools ran there were several: their sum would stand beside single requests, and beside the next one.
    """
    tokens_in = turn.last_tokens
    cached = min(turn.reported_tokens or 0, tokens_in)
    return Bar(
        turn.number,
        cached,
        tokens_in - cached,
        turn.completion_tokens or 0,
        turn.predicted_tokens,
        turn.reported_tokens,
        _mark(turn),
    )


def next_bar(view: EnvelopeView) -> Bar:
    """The request that was not sent yet, or is being answered."""
    cached = min(view.cached_tokens or 0, view.total_tokens)
    return Bar(None, cached, view.total_tokens - cached, 0, predicted=view.cached_tokens)


def bars_of(turns: tuple[TurnRow, ...], view: EnvelopeView | None) -> tuple[Bar, ...]:
    """All bars, the oldest first; a turn in flight is shown by its request."""
    sent = [turn_bar(turn) for turn in turns if turn.state != "running"]
    return (*sent, next_bar(view)) if view is not None else tuple(sent)


def heights(bar: Bar, largest: int) -> Heights:
    """The parts of a bar; linear to the largest, and nothing that is there vanishes."""

    def px(tokens: int) -> float:
        return max(LEAST_PX, BAR_HEIGHT * tokens / largest) if tokens and largest else 0.0

    def tick(tokens: int | None) -> float | None:
        return (
            None if tokens is None or not largest else min(BAR_HEIGHT * tokens / largest, float(BAR_HEIGHT))
        )

    return Heights(px(bar.cached), px(bar.fresh), px(bar.output), tick(bar.predicted), tick(bar.reported))


def visible_range(left: int, width: int, count: int) -> range:
    """Which bars are in view."""
    first = max(0, left // SLOT)
    return range(min(first, count), min(count, (left + width) // SLOT + 1))


def slot_at(x: int, count: int) -> int | None:
    """Which bar is at a place; None behind the last."""
    number = x // SLOT
    return number if 0 <= number < count else None


def content_width(count: int) -> int:
    """How wide all bars are."""
    return count * SLOT


def _mark(turn: TurnRow) -> Mark:
    if turn.state == "failed":
        return "failed"
    found = our_break(turn)
    if found is not None:
        return "expired" if found.free else "broke"
    return "expired" if expired(turn) else ""


def paint_bar(painter: QPainter, left: float, ground: float, bar: Bar, largest: int) -> None:
    """Paint a turn from the ground up: cached, fresh, output, ticks and mark."""
    theme, size = theme_of(), heights(bar, largest)
    cached = QRectF(left, round(ground - size.cached), BAR_WIDTH, round(size.cached))
    fresh = QRectF(left, cached.top() - round(size.fresh), BAR_WIDTH, round(size.fresh))
    if bar.turn is None:
        _paint_next(painter, cached, fresh)
    else:
        painter.fillRect(fresh, colour("fresh", theme))
        paint_cached(painter, cached)
    if size.output:
        height = max(3, round(size.output))
        box = QRectF(left, fresh.top() - OUTPUT_GAP - height, BAR_WIDTH, height)
        painter.fillRect(box, colour("surface", theme))
        stroke_rounded(painter, box, theme.edge, 1)
    if bar.turn is not None:
        _paint_ticks(painter, left, ground, (size.predicted, size.reported))
        top = fresh.top() - (size.output + OUTPUT_GAP if size.output else 0)
        paint_mark(painter, QPointF(left + BAR_WIDTH / 2, top - MARK_GAP), bar.mark)


def paint_cached(painter: QPainter, box: QRectF) -> None:
    """Paint what a cache served: hatched."""
    if box.height() <= 0:
        return
    theme = theme_of()
    painter.fillRect(box, colour("cached", theme))
    painter.setBrushOrigin(box.bottomLeft())
    painter.fillRect(box, hatch_brush(theme, None, painter.device().devicePixelRatioF(), small=True))


def paint_mark(painter: QPainter, tip: QPointF, mark: Mark) -> None:
    """A filled triangle: our own change. A hollow one: the provider's cache. A cross: the turn failed."""
    theme = theme_of()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    corners = [tip, tip + QPointF(-MARK_HALF, -MARK_HEIGHT), tip + QPointF(MARK_HALF, -MARK_HEIGHT)]
    match mark:
        case "broke":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("errline", theme))
            painter.drawPolygon(QPolygonF(corners))
        case "expired":
            painter.setPen(QPen(colour("warn", theme), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolygon(QPolygonF(corners))
        case "failed":
            painter.setPen(QPen(colour("errline", theme), 1.8))
            painter.drawLine(tip + QPointF(-3.5, -7), tip)
            painter.drawLine(tip + QPointF(0, -7), tip + QPointF(-3.5, 0))
        case "":
            pass
    painter.restore()


def _paint_next(painter: QPainter, cached: QRectF, fresh: QRectF) -> None:
    theme = theme_of()
    whole = cached.united(fresh)
    painter.fillRect(whole, colour("accent_tint", theme))
    paint_cached(painter, cached)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(dashed_pen(theme.accent, 1, 3, 2))
    painter.drawRect(whole.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.restore()


def _paint_ticks(
    painter: QPainter, left: float, ground: float, ticks: tuple[float | None, float | None]
) -> None:
    theme = theme_of()
    for height, x, token in zip(
        ticks, (left - TICK_OUT, left + BAR_WIDTH - TICK_LENGTH + TICK_OUT), ("t1", "accent"), strict=True
    ):
        if height is not None:
            y = round(ground - height) - TICK_HEIGHT / 2
            painter.fillRect(QRectF(x, y, TICK_LENGTH, TICK_HEIGHT), colour(token, theme))


# The turns as bars: what each read from the cache, what it read anew, and what it wrote.


MARK_ROOM, LABEL_HEIGHT = 12, 18
SCROLL_BAR = 10
GROUND = MARK_ROOM + BAR_HEIGHT
FRAME, FOCUSED_FRAME = 1.5, 2.5


class Timeline(QAbstractScrollArea):
    """One bar a turn, painted only where it is in view; ←/→, Home and End choose, Enter opens.

    Signals:
        chosen: the number of the turn that the frame is on.
    """

    spoken_role = QAccessible.Role.Chart

    selected = Signal(object)
    chosen = Signal(int)

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._turns: tuple[TurnRow, ...] = ()
        self._view: EnvelopeView | None = None
        self._bars: tuple[Bar, ...] = ()
        self._sent: tuple[Bar, ...] = ()
        self._largest_sent = 0
        self._largest = 1
        self._chosen: int | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Turns"))
        self.horizontalScrollBar().setSingleStep(SLOT)
        self.viewport().setAutoFillBackground(False)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        other_chat = (chat.chat.id if chat else "") != (self._chat.chat.id if self._chat else "")
        turns = chat.turns if chat is not None else ()
        view = (chat.in_flight or chat.view) if chat is not None else None
        self._chat = chat
        if turns is self._turns and view is self._view and not other_chat:
            return
        new_turns, before = turns is not self._turns, self._outlines()
        newest = self._newest() if new_turns else None
        self._turns, self._view = turns, view
        if new_turns:
            watched = bool(turns) and turns[-1].watched
            self.setAccessibleName(tr("Requests") if watched else tr("Turns"))
            self._sent = bars_of(turns, None)
            self._largest_sent = max((bar.total for bar in self._sent), default=0)
        following = next_bar(view) if view is not None else None
        self._bars = self._sent if following is None else (*self._sent, following)
        self._largest = max(self._largest_sent, following.total if following is not None else 0) or 1
        if other_chat or (new_turns and not self.knows(self._chosen)):
            self._chosen = notable_turn(tuple(turn for turn in turns if turn.state != "running"))
        elif new_turns and newest != self._newest() and chat is not None and chat.opened is None:
            # Who asked goes on to the answer; who reads an earlier request stays.
            self._chosen = self._newest()
        if new_turns or other_chat:
            self._measure()
            self._scroll_to(len(self._bars) - 1)
            self._tell()
        if new_turns or other_chat or before.keys() != (outlines := self._outlines()).keys():
            self.viewport().update()
            return
        for place, outline in outlines.items():
            # While somebody writes, the next request grows, and the others shrink beside it by a pixel now and then.
            if outline != before[place]:
                self.viewport().update(self._slot(place).toAlignedRect().adjusted(-GAP, 0, GAP, 0))

    def _outlines(self) -> dict[int, tuple[object, ...]]:
        """What is painted of the bars in view, in pixels."""
        found: dict[int, tuple[object, ...]] = {}
        for place in visible_range(self._offset(), self.viewport().width(), len(self._bars)):
            bar = self._bars[place]
            size = heights(bar, self._largest)
            parts = (size.cached, size.fresh, size.output, size.predicted, size.reported)
            pixels = (None if part is None else round(part) for part in parts)
            found[place] = (bar.turn, bar.mark, self._label(bar), *pixels)
        return found

    def _newest(self) -> int | None:
        """The number of the last turn that was answered."""
        return max((bar.turn for bar in self._sent if bar.turn is not None), default=None)

    def knows(self, number: int | None) -> bool:
        """Whether a turn has a bar."""
        return any(bar.turn == number for bar in self._sent)

    def select(self, key: RowKey | None) -> None:
        """A row of a request is no turn: nothing is marked."""

    def turn(self) -> TurnRow | None:
        return next((turn for turn in reversed(self._turns) if turn.number == self._chosen), None)

    def choose(self, number: int) -> None:
        places = [place for place, bar in enumerate(self._bars) if bar.turn == number]
        if places and number != self._chosen:
            self._chosen = number
            self._scroll_to(places[0])
            self._tell()
            self.viewport().update()
            self.chosen.emit(number)

    def open_turn(self) -> None:
        if self._chat is not None and self._chosen is not None:
            self.wishes.send(OpenTurn(self._chat.chat.id, self._chosen))

    def sizeHint(self) -> QSize:
        return QSize(300, GROUND + LABEL_HEIGHT + SCROLL_BAR)

    def minimumSizeHint(self) -> QSize:
        return QSize(4 * SLOT, self.sizeHint().height())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            turn = self._turn_at(event.pos().x())
            words = turn_description(turn) if turn is not None else ""
            QToolTip.showText(event.globalPos(), tip(with_more(words)), self)
            return True
        return bool(super().viewportEvent(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._step(1 if event.key() == Qt.Key.Key_Right else -1)
            case Qt.Key.Key_Home:
                self._step(-len(self._bars))
            case Qt.Key.Key_End:
                self._step(len(self._bars))
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.open_turn()
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        turn = self._turn_at(event.position().toPoint().x())
        if turn is not None and event.button() == Qt.MouseButton.LeftButton:
            self.choose(turn.number)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._turn_at(event.position().toPoint().x()) is not None:
            self.open_turn()

    def wheelEvent(self, event: QWheelEvent) -> None:
        bar = self.horizontalScrollBar()
        if bar.maximum() == 0:
            event.ignore()
            return
        turned = event.angleDelta().y() or event.angleDelta().x()
        bar.setValue(bar.value() - turned * SLOT // 120)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        bar = self.horizontalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self._measure()
        if at_end:
            self._scroll_to(len(self._bars) - 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self.viewport()), theme_of(self)
        width = self.viewport().width()
        painter.fillRect(0, GROUND, width, 1, colour("line2", theme))
        for place in visible_range(self._offset(), width, len(self._bars)):
            if event.rect().intersects(self._slot(place).toAlignedRect().adjusted(-GAP, 0, GAP, 0)):
                self._paint_slot(painter, place)

    def _paint_slot(self, painter: QPainter, place: int) -> None:
        bar, slot, theme = self._bars[place], self._slot(place), theme_of(self)
        chosen = bar.turn is not None and bar.turn == self._chosen
        frame = QRectF(slot.left(), 1, SLOT, GROUND + LABEL_HEIGHT - 1)
        if chosen:
            fill_rounded(painter, frame, theme.surface, 4)
            painter.fillRect(QRectF(slot.left(), GROUND, SLOT, 1), colour("line2", theme))
        paint_bar(painter, slot.left() + GAP / 2, GROUND, bar, self._largest)
        strong = chosen or bar.turn is None
        painter.setFont(font("meta", 600 if strong else None))
        painter.setPen(colour("accent_text" if bar.turn is None else "t1" if chosen else "t3", theme))
        box = QRectF(slot.left() - GAP, GROUND + 2, SLOT + 2 * GAP, LABEL_HEIGHT - 2)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._label(bar))
        if chosen:
            stroke_rounded(painter, frame, theme.accent, 4, FOCUSED_FRAME if self.hasFocus() else FRAME)

    def _label(self, bar: Bar) -> str:
        if bar.turn is not None:
            return formatting.tokens(bar.turn)
        return tr("now") if self._view is not None and self._view.standing == "in_flight" else tr("next")

    def _slot(self, place: int) -> QRectF:
        x = place * SLOT - self._offset()
        return QRectF(x, 0, SLOT, GROUND + LABEL_HEIGHT)

    def _turn_at(self, x: int) -> TurnRow | None:
        place = slot_at(x + self._offset(), len(self._bars))
        number = self._bars[place].turn if place is not None else None
        return next((turn for turn in reversed(self._turns) if turn.number == number), None)

    def _offset(self) -> int:
        return self.horizontalScrollBar().value()

    def _measure(self) -> None:
        width = self.viewport().width()
        bar = self.horizontalScrollBar()
        bar.setPageStep(width)
        bar.setRange(0, max(0, content_width(len(self._bars)) - width))

    def _scroll_to(self, place: int) -> None:
        bar, left = self.horizontalScrollBar(), place * SLOT
        if left < bar.value():
            bar.setValue(left)
        elif left + SLOT > bar.value() + self.viewport().width():
            bar.setValue(left + SLOT - self.viewport().width())

    def _step(self, by: int) -> None:
        numbers = [bar.turn for bar in self._bars if bar.turn is not None]
        if numbers:
            at = numbers.index(self._chosen) if self._chosen in numbers else len(numbers) - 1
            self.choose(numbers[min(max(at + by, 0), len(numbers) - 1)])

    def _tell(self) -> None:
        turn = self.turn()
        self.setAccessibleDescription(turn_description(turn) if turn is not None else "")
