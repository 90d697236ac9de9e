"""The row of cards itself: chosen and moved by keyboard, dragged by pointer, scrolled sideways."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import DropCard, DropOrder, RowKey
from workbench.ui.inspector.drop.model import GAP, CardLook, DropDelegate, DropModel, card_height
from workbench.ui.inspector.rows.row_acts import act_of
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.items.delegate import Index

LIFTED = CardLook(chosen=True, focused=False, hovered=False, last=True)


class DropList(QListView):
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
        self.setAccessibleName(self.tr("Drop order, first dropped first"))
        self.cards.resized.connect(self.scheduleDelayedItemsLayout)
        self.selectionModel().selectionChanged.connect(self._on_selection)

    def show_order(self, order: DropOrder) -> None:
        """Show another order; where the chosen card is gone, Qt takes its neighbour, which nobody has chosen."""
        chosen = self.selected_key()
        self._updating = True
        self.cards.show_order(order)
        self._updating = False
        self.select(chosen if chosen is not None and self.cards.index_of(chosen).isValid() else None)

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
