"""The minimap in place of the transcript's scroll bar: every message, and what becomes of it in the next request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QScrollArea, QWidget

from workbench.ui import formatting
from workbench.ui.chat.messages.feed import Answer, said_utc
from workbench.ui.chat.messages.tool_line import record_text
from workbench.ui.chat.transcript.minimap_layout import (
    FATES,
    PAD,
    Block,
    Fate,
    Tick,
    block_of,
    lay_out,
    place_at,
    y_of,
)
from workbench.ui.look.focus_ring import RING
from workbench.ui.look.fonts import font, line_height
from workbench.ui.look.painting import (
    dashed_pen,
    elided,
    fill_rounded,
    hatch_brush,
    paint_text,
    stroke_rounded,
)
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown

WIDTH, NARROW_WIDTH = 38, 24
NARROW_WINDOW = 1100
LEAST_MESSAGES = 8
QUESTION, ANSWER, NARROWER = 11, 19, 5
CARD_WIDTH, LEGEND_ROW, LONGEST, SPOKEN = 316, 20, 400, 100
LEGEND_COLUMNS = (0, 104, 196)
STRIPE, DIAMOND, NOTCH, DOTTED_PX = 4, 3.5, 5, 7
Spot = tuple[int, float]
"""A message by its place, and which part of it."""


def fate_word(fate: Fate) -> str:
    """What becomes of a message in the next request, in the user's language."""
    return {
        "cached": tr("cached"),
        "sent": tr("sent"),
        "trimmed": tr("trimmed"),
        "recalled": tr("recalled"),
        "out": tr("left out"),
    }[fate]


def paint_tick(painter: QPainter, box: QRectF, fate: Fate) -> None:
    """Paint a message: hatched where cached, dashed where trimmed, striped where recalled, dotted where left out."""
    theme = theme_of()
    layer = theme.layers["L4_STRIP"]
    radius = min(2.0, box.height() / 2)
    if fate in ("cached", "sent"):
        fill_rounded(painter, box, layer.fill, radius)
        if fate == "cached":
            dpr = painter.device().devicePixelRatioF()
            fill_rounded(painter, box, hatch_brush(theme, "L4_STRIP", dpr, small=True), radius)
    elif fate == "recalled":
        fill_rounded(painter, box, colour("sel", theme), radius)
        fill_rounded(painter, QRectF(box.x(), box.y(), STRIPE, box.height()), colour("accent", theme), 1)
    elif fate == "trimmed":
        stroke_rounded(painter, box, dashed_pen(theme.warn, 1, 3, 2), radius)
    else:
        painter.setPen(dashed_pen(theme.t3, 1, 1, 2))
        lines = max(1, int(box.height() // DOTTED_PX))
        for line in range(lines):
            y = round(box.top() + box.height() * (line + 0.5) / lines) + 0.5
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))


def paint_diamond(painter: QPainter, middle: QPointF) -> None:
    """Paint the sign of what is pinned."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("accent", theme_of()))
    x, y = middle.x(), middle.y()
    corners = ((x - DIAMOND, y), (x, y - DIAMOND), (x + DIAMOND, y), (x, y + DIAMOND))
    painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
    painter.restore()


class Minimap(QWidget):
    """A tick per message, the part in view as a frame, and notches where a search found something.

    Arrows, PgUp, PgDn, Home and End choose a message, Enter goes there; so do a click, and dragging the frame.

    Signals:
        jumped: the message to be at the top of the view, and which part of it is there.
    """

    spoken_role = QAccessible.Role.List

    jumped = Signal(str, float)

    def __init__(self, area: QScrollArea) -> None:
        super().__init__(area)
        self._area = area
        self._ticks: tuple[Tick, ...] = ()
        self._places: dict[str, int] = {}
        self._blocks: tuple[Block, ...] = ()
        self._view: tuple[Spot, Spot] | None = None
        self._hits: frozenset[str] = frozenset()
        self._chosen: int | None = None
        self._grip: float | None = None
        self.card = MinimapCard(area)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setProperty(RING, False)  # the chosen tick shows it
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.hide()

    def show_ticks(self, ticks: Sequence[Tick]) -> None:
        """Show these messages; where they look the same, nothing is painted."""
        new = tuple(ticks)
        same = new == self._ticks
        self._ticks = new  # also where they are equal: the card shows what they say
        if same:
            return
        self._places = {tick.key: place for place, tick in enumerate(new)}
        self._choose(None)
        self.setAccessibleName(self._name())
        self._arrange()

    def show_view(self, top: tuple[str, float], bottom: tuple[str, float]) -> None:
        """Frame what is in view, from a part of one message to a part of another."""
        ends = [(self._places.get(key), share) for key, share in (top, bottom)]
        found = [(place, share) for place, share in ends if place is not None]
        view = (found[0], found[1]) if len(found) == 2 else self._view
        if view != self._view:
            before, self._view = self.frame(), view
            self.update(before.united(self.frame()).toAlignedRect().adjusted(-1, -1, 1, 1))

    def show_hits(self, keys: frozenset[str]) -> None:
        """Mark the messages in which a search found something."""
        if keys != self._hits:
            self._hits = keys
            self.update()

    def enough(self) -> bool:
        """Whether there are so many messages that it is of use."""
        return len(self._ticks) >= LEAST_MESSAGES

    def take_focus(self) -> None:
        """Take the keys, where it is shown."""
        if self.isVisible():
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def is_narrow(self) -> bool:
        return self.window().width() < NARROW_WINDOW

    def ticks(self) -> tuple[Tick, ...]:
        return self._ticks

    def hits(self) -> frozenset[str]:
        return self._hits

    def place(self, key: str) -> int | None:
        return self._places.get(key)

    def chosen(self) -> Tick | None:
        return None if self._chosen is None else self._ticks[self._chosen]

    def frame(self) -> QRectF:
        """Where the frame round what is in view is; empty where that is unknown."""
        if self._view is None or not self._blocks:
            return QRectF()
        top, bottom = (y_of(self._blocks, place, share) for place, share in self._view)
        return QRectF(2, top - 2, self.width() - 4, max(8.0, bottom - top + 4))

    def box(self, block: Block) -> QRectF:
        """Where a block is painted."""
        narrow = self.is_narrow()
        width = (QUESTION if block.user else ANSWER) - (NARROWER if narrow else 0)
        return QRectF(8 if narrow else 10, block.top, width, block.height)

    def sizeHint(self) -> QSize:
        return QSize(NARROW_WIDTH if self.is_narrow() else WIDTH, 100)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme, dirty = QPainter(self), theme_of(self), event.rect()
        painter.fillRect(dirty, colour("chrome", theme))
        painter.fillRect(0, 0, 1, self.height(), colour("line", theme))
        near = QRectF(dirty).adjusted(0, -DIAMOND, 0, DIAMOND)
        blocks = [block for block in self._blocks if self.box(block).intersects(near)]
        for block in blocks:
            box = self.box(block)
            paint_tick(painter, box, block.fate)
            if block.pinned:
                paint_diamond(painter, QPointF(box.x() - DIAMOND - 1, box.center().y()))
            ticks = self._ticks[block.first : block.first + block.size] if self._hits else ()
            if any(tick.key in self._hits for tick in ticks):
                notch = QRectF(self.width() - NOTCH - 1, round(box.center().y()) - 1, NOTCH, 2)
                painter.fillRect(notch, colour("t1", theme))
        stroke_rounded(painter, self.frame(), colour("accent", theme), 4, 1.5)
        if self._chosen is not None and self._blocks:
            box = self.box(block_of(self._blocks, self._chosen)).adjusted(-2, -2, 2, 2)
            stroke_rounded(painter, box, colour("t1", theme), 3, 1.5)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        first, last = (0, 0) if self._view is None else (self._view[0][0], self._view[1][0])
        page, every = max(1, last - first), len(self._ticks)
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self._step(1 if event.key() == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_PageUp | Qt.Key.Key_PageDown:
                self._step(page if event.key() == Qt.Key.Key_PageDown else -page)
            case Qt.Key.Key_Home | Qt.Key.Key_End:
                self._step(every if event.key() == Qt.Key.Key_End else -every)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._chosen is not None:
                self.jumped.emit(self._ticks[self._chosen].key, 0.0)
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._step(0)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._choose(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._blocks:
            return
        y, frame = event.position().y(), self.frame()
        if not frame.contains(event.position()):
            place, share = place_at(self._blocks, y)
            self.jumped.emit(self._ticks[place].key, share if block_of(self._blocks, place).size > 1 else 0)
            frame = self.frame()
        self._grip = y - frame.top()
        self.card.hide()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        y = event.position().y()
        if self._grip is None:
            over = bool(self._blocks) and y < self._blocks[-1].top + self._blocks[-1].height + PAD
            self._choose(place_at(self._blocks, y)[0] if over else None)
        elif self._blocks:
            place, share = place_at(self._blocks, y - self._grip + 2)
            self.jumped.emit(self._ticks[place].key, share)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._grip = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the messages: a scroll area passes over what its children leave to it."""
        self._area.wheelEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self.hasFocus():
            self._choose(None)

    def _step(self, by: int) -> None:
        if not self._ticks:
            return
        before = self._chosen
        if before is None:
            before = 0 if self._view is None else self._view[0][0]
        self._choose(max(0, min(before + by, len(self._ticks) - 1)))

    def _arrange(self) -> None:
        self._blocks = lay_out(self._ticks, self.height()) if self._ticks else ()
        self.update()

    def _choose(self, place: int | None) -> None:
        if place == self._chosen:
            return
        self._chosen = place
        self.update()
        self.card.setVisible(place is not None)
        if place is None:
            return
        tick = self._ticks[place]
        self.card.show_tick(tick, None if self.is_narrow() else self._ticks)
        self.card.lie_beside(self, round(block_of(self._blocks, place).top))
        words = tr("message {n} of {all}").format(
            n=formatting.tokens(place + 1), all=formatting.tokens(len(self._ticks))
        )
        self.setAccessibleName(f"{self._name()}, {words}: {spoken(tick)}")

    def _name(self) -> str:
        return tr("Minimap of this chat")


def title_of(tick: Tick) -> str:
    """Which message it is."""
    other = tr("answer") if isinstance(tick.item, Answer) else tr("note")
    word = tr("question") if tick.user else other
    return tr("turn {n}, {word}").format(n=formatting.tokens(tick.turn), word=word) if tick.turn else word


def standing_words(tick: Tick) -> str:
    """What becomes of it in the next request."""
    return ", ".join([fate_word(tick.fate), *([tr("pinned")] if tick.pinned else [])])


def cost_words(tick: Tick) -> str:
    """What it costs there: its quote, or the turn it is in; empty where its row holds other turns as well."""
    if tick.tokens is None:
        return ""
    words = formatting.token_words(tick.tokens)
    return words if tick.fate == "recalled" else tr("{tokens} with its turn").format(tokens=words)


def first_words(tick: Tick, longest: int = LONGEST) -> str:
    """The beginning of what it says, in one line."""
    return shown(" ".join(record_text(tick.item.record)[:longest].split()), longest)


def spoken(tick: Tick) -> str:
    """A message in words."""
    said = (title_of(tick), standing_words(tick), cost_words(tick), first_words(tick, SPOKEN))
    return ", ".join(filter(None, said))


class Legend(QWidget):
    """How each fate is painted, and how many messages have it."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: Counter[str] = Counter()
        self.setFixedHeight(2 * LEGEND_ROW)

    def show_ticks(self, ticks: Sequence[Tick]) -> None:
        self._counts = Counter(tick.fate for tick in ticks)
        self._counts["pinned"] = sum(tick.pinned for tick in ticks)
        self.update()

    def words(self) -> tuple[str, ...]:
        names = [*((fate, fate_word(fate)) for fate in FATES), ("pinned", tr("pinned"))]
        return tuple(f"{formatting.tokens(self._counts[name])} {word}" for name, word in names)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        for place, words in enumerate(self.words()):
            x, y = LEGEND_COLUMNS[place % 3], (place // 3) * LEGEND_ROW
            sample = QRectF(x, y + (LEGEND_ROW - 9) / 2, ANSWER - 1, 9)
            if place < len(FATES):
                paint_tick(painter, sample, FATES[place])
            else:
                paint_diamond(painter, sample.center())
            paint_text(painter, QRectF(x + 24, y, 76, LEGEND_ROW), words, "meta", "t2")


class MinimapCard(Panel):
    """A message looked at on the minimap: which it is, what becomes of it, its first lines; below them the legend."""

    ground, border, radius = "raised", "line2", 10.0

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.title, self.when = label("", "ui_label"), label("", "small", "t3")
        self.standing, self.cost = label("", "small", "t2"), label("", "meta", "t3")
        self.text = label("", "small", wrap=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.legend = Legend()
        self.line = Panel()
        self.line.line_above = True
        self.line.setFixedHeight(1)
        down = rows(self, (12, 9, 12, 9), 4)
        fill(columns(down, spacing=6), self.title, self.when, STRETCH, self.standing)
        fill(down, self.text, self.cost, self.line, self.legend)
        self.setFixedWidth(CARD_WIDTH)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_tick(self, tick: Tick, all_of_them: Sequence[Tick] | None) -> None:
        """Show one message; without all of them, no legend."""
        set_text(self.title, title_of(tick))
        set_text(self.when, formatting.clock(said_utc(tick.item)))
        set_text(self.standing, standing_words(tick))
        set_text(self.cost, cost_words(tick))
        self.cost.setVisible(bool(self.cost.text()))
        room = 2 * (CARD_WIDTH - 24) - 90  # two lines, the first of which may lack a word
        set_text(self.text, elided(font("small"), first_words(tick), room))
        self.text.setFixedHeight(2 * line_height("small"))
        for part in (self.line, self.legend):
            part.setVisible(all_of_them is not None)
        if all_of_them is not None:
            self.legend.show_ticks(all_of_them)

    def lie_beside(self, strip: QWidget, y: int) -> None:
        """Lie left of the strip, where a tick is."""
        self.adjustSize()
        top = min(y - 12, self.parentWidget().height() - self.height() - 8)
        self.move(max(4, strip.x() - self.width() - 8), max(4, top))
        self.raise_()
