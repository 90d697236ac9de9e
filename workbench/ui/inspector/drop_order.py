"""The drop order: what would fall first stands first, and a card can be moved, pinned and left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QHBoxLayout,
    QListView,
    QSizePolicy,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from workbench.domain.shown.envelope_view import DropCard, DropOrder, EnvelopeView, RowKey
from workbench.engine.state import ChatState
from workbench.ui import formatting, steps
from workbench.ui.inspector.rows.row_acts import Act, act_of, step_for
from workbench.ui.inspector.rows.row_words import card_name
from workbench.ui.look.focus_ring import came_by_keyboard
from workbench.ui.look.fonts import font, metrics, scale
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    after,
    dashed_pen,
    fill_rounded,
    paint_elided,
    paint_figure,
    placed,
    set_text_style,
    stroke_rounded,
)
from workbench.ui.look.space import columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.steps import Step
from workbench.ui.translation import tr
from workbench.ui.widgets.guided import lead_to, with_more
from workbench.ui.widgets.items.item_model import NOTHING, ItemModel
from workbench.ui.widgets.items.views import NOWHERE, CalmView, Index, ItemOption, RowDelegate
from workbench.ui.widgets.labels import KeyCap, label, set_text
from workbench.ui.wishes import Wishes

# The drop order as Qt's views want it, what would fall first in front, and how a card of it is painted.


CARD_HEIGHT, RADIUS, GAP = 40, 8, 14
PADDING, GRIP, NUMBER_LEAD, NAME_GAP = 8, 10, 24, 5
CHEVRON, LOCK = 12, 14
MOST_NAME_PX = 220


class PinnedCard(NamedTuple):
    """The last card: what is pinned, and never falls."""

    number: int
    tokens: int


Entry = DropCard | PinnedCard


class DropModel(ItemModel[Entry]):
    """One entry a card; cards are known by their keys.

    Signals:
        resized: the words of some card take another width now.
    """

    resized = Signal()

    def show_order(self, order: DropOrder) -> bool:
        """Show another order; return whether some card takes another width now, which `resized` says, too."""
        wanted: list[Entry] = [*order.cards]
        if order.pinned:
            wanted.append(PinnedCard(order.pinned, order.pinned_tokens))
        before = self.items
        moved = self.show_items(wanted) != NOTHING
        if moved and wanted:
            # A card shows its number, which moves with its neighbours.
            self.tell_rows(NOWHERE, range(len(wanted)))
        pairs = () if moved else zip(before, wanted, strict=True)
        resized = moved or any(self._size(old) != self._size(new) for old, new in pairs if old is not new)
        if resized:
            self.resized.emit()
        return resized

    def card(self, index: Index) -> DropCard | None:
        """The card at an index; None for what is pinned."""
        found = self.item(index)
        return found if isinstance(found, DropCard) else None

    def cards(self) -> list[DropCard]:
        return [entry for entry in self.items if isinstance(entry, DropCard)]

    def key_of(self, entry: Entry) -> object:
        """A card by its row; there is one for all that is pinned."""
        return entry.key if isinstance(entry, DropCard) else "pinned"

    def can_choose(self, entry: Entry) -> bool:
        return isinstance(entry, DropCard)

    def text_of(self, entry: Entry, _column: int = 0) -> str:
        return self.title(entry)

    def tip_of(self, entry: Entry, _column: int = 0) -> str:
        return with_more(self._told(entry))

    def _told(self, entry: Entry) -> str:
        """Where the figure on a card comes from, in a sentence."""
        tokens = formatting.tokens(entry.tokens)
        if isinstance(entry, PinnedCard):
            words = tr("{pinned}: {tokens} tokens of this request that are never dropped.")
            return words.format(pinned=self.title(entry), tokens=tokens)
        if not entry.out:
            words = tr("{name} takes {tokens} tokens of this request, which dropping it frees.")
            return words.format(name=card_name(entry), tokens=tokens)
        if entry.back_with_tokens <= 0:
            return tr("{name} isn’t sent: no room.").format(name=card_name(entry))
        more = formatting.tokens(entry.back_with_tokens)
        return tr("{name} is sent again once {more} more tokens are free.").format(
            name=card_name(entry), more=more
        )

    def spoken_of(self, entry: Entry, _column: int = 0) -> str:
        if isinstance(entry, PinnedCard):
            return f"{self.title(entry)}, {self.line(entry)}"
        return tr("{number}: {name}, {line}, priority {priority}").format(
            number=self.items.index(entry) + 1,
            name=self.title(entry),
            line=self.line(entry),
            priority=entry.priority,
        )

    def title(self, entry: Entry) -> str:
        if isinstance(entry, PinnedCard):
            return tr("{n} pinned").format(n=formatting.tokens(entry.number))
        return card_name(entry)

    def line(self, entry: Entry) -> str:
        """The second line of a card: what it frees, or what would bring it back."""
        if isinstance(entry, PinnedCard):
            return tr("{n} tokens").format(n=formatting.tokens(entry.tokens))
        if not entry.out:
            return tr("frees {n}").format(n=formatting.tokens(entry.tokens))
        if entry.back_with_tokens <= 0:
            return tr("dropped")
        return tr("out, needs {n}").format(n=formatting.signed_tokens(entry.back_with_tokens))

    def _size(self, entry: Entry) -> tuple[str, int]:
        return self.title(entry), len(self.line(entry))


class CardLook(NamedTuple):
    """How a card is painted at the moment."""

    chosen: bool
    focused: bool
    hovered: bool
    last: bool


class DropDelegate(RowDelegate):
    """Paints grip, number, name and what the card frees; behind it the chevron to the next one."""

    def __init__(self, model: DropModel, rail: QAbstractItemView) -> None:
        super().__init__(rail)
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        entry = self._model.item(index)
        if entry is None:
            return QSize(0, card_height())
        gap = 0 if self._is_last(index) else GAP
        return QSize(round(self._card_width(entry, index.row() + 1)) + gap, card_height())

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        entry = self._model.item(index)
        if entry is None:
            return
        width = self._card_width(entry, index.row() + 1)
        look = CardLook(
            row.selected,
            bool(row.state & QStyle.StateFlag.State_HasFocus) and came_by_keyboard(self.view()),
            row.hovered,
            self._is_last(index),
        )
        self.paint_card(painter, placed(row.box, 0, width), entry, index.row() + 1, look)
        if not look.last:
            paint_icon(painter, placed(row.box, width, GAP), "chevron-right", "t2", CHEVRON)

    def paint_card(self, painter: QPainter, box: QRectF, entry: Entry, number: int, look: CardLook) -> None:
        """Paint a card anywhere, such as under the pointer that drags it."""
        theme = theme_of(self.view())
        self._paint_ground(painter, box, entry, look)
        out = isinstance(entry, DropCard) and entry.out
        lead = PADDING + LOCK + 3.0
        if isinstance(entry, PinnedCard):
            paint_icon(painter, placed(box, PADDING - 1, LOCK), "lock", "t2", LOCK)
        else:
            paint_icon(painter, placed(box, PADDING - 1, GRIP + 2), "grip", "t3", 12)
            set_text_style(painter, font("row", 600), colour("err" if out else "t2", theme))
            width = self._number_width(number)
            paint_figure(painter, placed(box, NUMBER_LEAD, width), str(number))
            lead = NUMBER_LEAD + width + NAME_GAP
        words = after(box, lead, PADDING)
        set_text_style(painter, font("small", 500), colour("err" if out else "t1", theme))
        half = box.height() / 2 - 4
        title = QRectF(words.left(), box.top() + 4, words.width(), half)
        paint_elided(painter, title, self._model.title(entry), Qt.TextElideMode.ElideMiddle)
        set_text_style(painter, font("meta"), colour("t2" if out else "t3", theme))
        line = QRectF(words.left(), box.center().y(), words.width(), half)
        paint_elided(painter, line, self._model.line(entry))

    def _paint_ground(self, painter: QPainter, box: QRectF, entry: Entry, look: CardLook) -> None:
        theme = theme_of(self.view())
        if isinstance(entry, PinnedCard):
            fill_rounded(painter, box, theme.sunken, RADIUS)
            return
        ground = theme.sel if look.chosen else theme.hover if look.hovered else theme.raised
        fill_rounded(painter, box, ground, RADIUS)
        edge = theme.accent if look.chosen else theme.line2
        stroke_rounded(painter, box, dashed_pen(theme.errline, 1, 3, 2) if entry.out else edge, RADIUS)
        if look.focused:
            stroke_rounded(painter, box, theme.accent, RADIUS, 2)

    def _card_width(self, entry: Entry, number: int) -> float:
        title = min(metrics("small", 500).horizontalAdvance(self._model.title(entry)), MOST_NAME_PX)
        words = max(title, metrics("meta").horizontalAdvance(self._model.line(entry))) + 1
        if isinstance(entry, PinnedCard):
            return PADDING + LOCK + 3 + words + PADDING
        return NUMBER_LEAD + self._number_width(number) + NAME_GAP + words + PADDING + 1

    def _number_width(self, number: int) -> float:
        return metrics("row", 600).horizontalAdvance("0" * len(str(number)))

    def _is_last(self, index: Index) -> bool:
        return index.row() == self._model.rowCount() - 1


def card_height() -> int:
    """How high a card is at the font's size."""
    return round(CARD_HEIGHT * scale())


# The row of cards itself: chosen and moved by keyboard, dragged by pointer, scrolled sideways.


LIFTED = CardLook(chosen=True, focused=False, hovered=False, last=True)


class DropList(CalmView, QListView):
    """Cards from the first to fall to the last.

    Cards are dragged by hand-written mouse events: Qt's own dragging runs an event loop inside the event.

    Signals:
        selected: the key of the card that was chosen.
        wanted: a card's key, and what is to be done with it.
        moved: a card's key, and the key of the card it is to stand before; None for the end.
    """

    selected = Signal(object)
    wanted = Signal(object, str)
    moved = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards = DropModel()
        self._updating = False
        self._pressed: QPoint | None = None
        self._dragged: RowKey | None = None
        self._grip = QPointF()
        self._pointer = QPointF()
        self.setModel(self.cards)
        self._painter = DropDelegate(self.cards, self)
        self.setItemDelegate(self._painter)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Drop order, first dropped first"))
        self.cards.resized.connect(self.scheduleDelayedItemsLayout)
        self.selectionModel().selectionChanged.connect(self._on_selection)

    def show_order(self, order: DropOrder) -> bool:
        """Show another order; where the chosen card is gone, Qt takes its neighbour, which nobody has chosen.

        Return whether some card takes another width now.
        """
        chosen = self.selected_key()
        self._updating = True
        resized = self.cards.show_order(order)
        self._updating = False
        self.select(chosen if chosen is not None and self.cards.index_of(chosen).isValid() else None)
        return resized

    def select(self, key: RowKey | None) -> None:
        if key == self.selected_key():
            return
        index = self.cards.index_of(key) if key is not None else QModelIndex()
        self._updating = True
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.selectionModel().clear()
        self._updating = False

    def selected_key(self) -> RowKey | None:
        """The key of the chosen card; the one that only has the focus is not chosen."""
        card = self.cards.card(self.currentIndex())
        return (
            card.key if card is not None and self.selectionModel().isSelected(self.currentIndex()) else None
        )

    def dataChanged(self, topLeft: Index, bottomRight: Index, roles: Sequence[int] = ()) -> None:
        """Paint these cards again; Qt would lay out all of them, which `resized` tells when they need it."""
        for row in range(topLeft.row(), bottomRight.row() + 1):
            self.update(self.cards.index(row))

    def sizeHint(self) -> QSize:
        return QSize(400, card_height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, card_height())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt makes the first card the current one here; nobody has chosen it."""
        self._updating = True
        super().focusInEvent(event)
        self._updating = False

    # --- keyboard ---------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._dragged is not None:
            self._let_go()
            return
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            forward = event.key() == Qt.Key.Key_Right
            self._go(1 if forward else -1, bool(event.modifiers() & Qt.KeyboardModifier.AltModifier))
            return
        act = act_of(event)
        key = self.selected_key()
        if act is not None and key is not None:
            self.wanted.emit(key, act)
            return
        super().keyPressEvent(event)

    def _go(self, by: int, move: bool) -> None:
        cards = self.cards.cards()
        place = self.currentIndex().row() if self.selected_key() is not None else -1 if by > 0 else len(cards)
        goal = place + by
        if not 0 <= goal < len(cards):
            return
        if move and 0 <= place < len(cards):
            behind = goal + (1 if by > 0 else 0)
            self.moved.emit(cards[place].key, cards[behind].key if behind < len(cards) else None)
        elif not move:
            self.setCurrentIndex(self.cards.index(goal))

    # --- dragging ---------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and self.cards.card(index) is not None:
            self._pressed = event.position().toPoint()
            self._grip = event.position() - QPointF(self.visualRect(index).topLeft())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        if self._dragged is not None:
            self._scroll_at_edges()
            self.viewport().update()
            return
        if self._pressed is None:
            super().mouseMoveEvent(event)
            return
        pulled = (event.position().toPoint() - self._pressed).manhattanLength()
        if pulled >= QApplication.startDragDistance() and len(self.cards.cards()) > 1:
            self._dragged = self.selected_key()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        dragged, slot = self._dragged, self._slot()
        self._let_go()
        if dragged is None:
            super().mouseReleaseEvent(event)
            return
        cards = self.cards.cards()
        place = next((n for n, card in enumerate(cards) if card.key == dragged), None)
        if place is not None and slot not in (place, place + 1):
            self.moved.emit(dragged, cards[slot].key if slot < len(cards) else None)

    def dragged(self) -> RowKey | None:
        return self._dragged

    def _let_go(self) -> None:
        self._pressed = self._dragged = None
        self.viewport().unsetCursor()
        self.viewport().update()

    def _slot(self) -> int:
        """Before which card the dragged one would stand: the one whose middle is behind the pointer."""
        for place, _ in enumerate(self.cards.cards()):
            middle = self.visualRect(self.cards.index(place)).center().x()
            x = self._pointer.x()
            if x < middle:
                return place
        return len(self.cards.cards())

    def _scroll_at_edges(self) -> None:
        bar, x = self.horizontalScrollBar(), self._pointer.x()
        step = -12 if x < 24 else 12 if x > self.viewport().width() - 24 else 0
        bar.setValue(bar.value() + step)

    # --- the rest ---------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Either wheel scrolls sideways, until there is nothing more to see."""
        delta = event.angleDelta().x() or event.angleDelta().y()
        bar = self.horizontalScrollBar()
        before = bar.value()
        bar.setValue(before - delta // 2)
        event.setAccepted(bar.value() != before)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        card = self.cards.card(self.cards.index_of(self._dragged)) if self._dragged is not None else None
        if card is None:
            return
        painter = QPainter(self.viewport())
        self._paint_mark(painter)
        self._paint_lifted(painter, card)

    def _paint_mark(self, painter: QPainter) -> None:
        slot, cards = self._slot(), self.cards.cards()
        rect = self.visualRect(self.cards.index(min(slot, len(cards) - 1)))
        at_right = slot == len(cards)
        x = rect.right() - GAP / 2 if at_right else rect.left() - 1
        mark = QRectF(max(0.0, x), 0, 2, self.viewport().height())
        painter.fillRect(mark, colour("accent", theme_of(self)))

    def _paint_lifted(self, painter: QPainter, card: DropCard) -> None:
        index = self.cards.index_of(card.key)
        rect = QRectF(self.visualRect(index))
        rect.setWidth(rect.width() - GAP)
        rect.moveLeft(self._pointer.x() - self._grip.x())
        painter.setOpacity(0.85)
        self._painter.paint_card(painter, rect, card, index.row() + 1, LIFTED)

    def _on_selection(self) -> None:
        key = self.selected_key()
        if not self._updating and key is not None:
            self.selected.emit(key)


EDGE_WIDTH = 36
_ACTS: tuple[Act, ...] = get_args(Act)


class DropRail(QWidget):
    """The cards, a sentence where there are none, and a way to see those beyond the edges.

    Signals:
        selected: the key of the card that was chosen.
    """

    selected = Signal(object)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._view: EnvelopeView | None = None
        self.list = DropList(self)
        self.list.selected.connect(self.selected)
        self.list.wanted.connect(self._act)
        self.list.moved.connect(self._move)
        self.sentence = label("", "small", "t2", wrap=True)
        self._edges = (_Edge(self, forward=False), _Edge(self, forward=True))
        for edge in self._edges:
            edge.pulled.connect(self._scroll)
        self.list.horizontalScrollBar().rangeChanged.connect(self._show_edges)
        self.list.horizontalScrollBar().valueChanged.connect(self._show_edges)
        fill(columns(self, spacing=12), self.list, (self.sentence, 1))
        self.setFixedHeight(card_height())
        lead_to(self, "priorities")
        self._tell(DropOrder(), resized=True)

    def show_request(self, chat: ChatState | None, view: EnvelopeView | None) -> None:
        self._chat = chat
        if view is self._view:
            return
        old, self._view = self._view, view
        order = view.drop_order if view is not None else DropOrder()
        if old is None or order is not old.drop_order:
            self._tell(order, self.list.show_order(order))

    def select(self, key: RowKey | None) -> None:
        self.list.select(key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_edges()

    def _tell(self, order: DropOrder, resized: bool) -> None:
        """Cards, or a sentence in their place; with neither cards nor pins the sentence alone."""
        empty = not order.cards
        if empty:
            set_text(self.sentence, self._empty_words())
        if not resized:
            return
        self.list.setVisible(bool(order.cards or order.pinned))
        self.list.setMaximumWidth(self._pinned_width() if empty else 16_777_215)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus if empty else Qt.FocusPolicy.StrongFocus)
        self.sentence.setVisible(empty)
        self._show_edges()

    def _pinned_width(self) -> int:
        return max(1, self.list.sizeHintForIndex(self.list.cards.index(0)).width())

    def _empty_words(self) -> str:
        pinned = (
            [row for layer in self._view.layers for row in layer.pinned] if self._view is not None else []
        )
        if any(row.tunable for row in pinned):
            return tr("Nothing can be dropped: every file is pinned. Unpin one to change that.")
        return tr("Attached files, in the order they’d be dropped.")

    def _act(self, key: RowKey, act: str) -> None:
        row = self._view.row(key) if self._view is not None else None
        wanted = next((each for each in _ACTS if each == act), None)
        if row is not None and self._chat is not None and wanted is not None:
            self._emit(step_for(self._chat, row, wanted))

    def _move(self, key: RowKey, before: RowKey | None) -> None:
        if self._chat is not None:
            self._emit(steps.reorder(self._chat, key.id, before.id if before is not None else None))

    def _emit(self, step: Step | None) -> None:
        if step is not None:
            self.wishes.do(step)

    def _scroll(self, forward: bool) -> None:
        bar = self.list.horizontalScrollBar()
        by = round(self.list.viewport().width() * 0.6)
        bar.setValue(bar.value() + (by if forward else -by))

    def _show_edges(self) -> None:
        bar = self.list.horizontalScrollBar()
        cards = self.list.isVisibleTo(self) and bool(self.list.cards.cards())
        for edge in self._edges:
            more = bar.value() < bar.maximum() if edge.forward else bar.value() > bar.minimum()
            edge.setVisible(cards and more)
            if cards and more:
                left = self.list.geometry().right() + 1 - EDGE_WIDTH if edge.forward else self.list.x()
                edge.setGeometry(left, 0, EDGE_WIDTH, self.height())
                edge.raise_()


class KeyHints(QWidget):
    """The keys that tune a card, for those who have not met them yet."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row: QHBoxLayout = columns(self, spacing=4)
        for keys, words in (
            ((tr("Space"),), tr("pin")),
            (("+", "−"), tr("priority")),
            ((tr("Del"),), tr("leave out")),
        ):
            for key in keys:
                row.addWidget(KeyCap(key))
            row.addWidget(label(words, "meta", "t2"))


class _Edge(QAbstractButton):
    """Fades the cards out towards an edge; a click brings more of them."""

    pulled = Signal(bool)

    def __init__(self, rail: DropRail, forward: bool) -> None:
        super().__init__(rail)
        self.forward = forward
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Drop later") if forward else tr("Drop earlier"))
        self.setToolTip(self.accessibleName())
        self.clicked.connect(self._pull)
        self.hide()

    def _pull(self) -> None:
        self.pulled.emit(self.forward)

    def sizeHint(self) -> QSize:
        return QSize(EDGE_WIDTH, card_height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        at_right = self.forward
        solid, clear = QColor(colour(theme.chrome)), QColor(colour(theme.chrome))
        clear.setAlpha(0)
        fade = QLinearGradient(
            0 if at_right else self.width(), 0, self.width() * (0.6 if at_right else 0.4), 0
        )
        fade.setColorAt(0, clear)
        fade.setColorAt(1, solid)
        painter = QPainter(self)
        painter.fillRect(self.rect(), fade)
        spot = QRectF(self.width() - 18 if at_right else 2, 0, 16, self.height())
        paint_icon(painter, spot, "chevron-right" if at_right else "chevron-left", "t1", 16)
