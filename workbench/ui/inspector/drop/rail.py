"""The drop order: what would fall first stands first, and a card can be moved, pinned and left out."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QWidget

from workbench.domain.shown.envelope_view import DropOrder, EnvelopeView, RowKey
from workbench.engine.state import ChatState
from workbench.ui import steps
from workbench.ui.inspector.drop.cards import DropList
from workbench.ui.inspector.drop.model import card_height
from workbench.ui.inspector.rows.row_acts import Act, step_for
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.steps import Step
from workbench.ui.widgets.guided import lead_to
from workbench.ui.widgets.labels import KeyCap, label, set_text
from workbench.ui.wishes import Wishes

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
        self._tell(DropOrder())

    def show_request(self, chat: ChatState | None, view: EnvelopeView | None) -> None:
        self._chat = chat
        if view is self._view:
            return
        old, self._view = self._view, view
        order = view.drop_order if view is not None else DropOrder()
        if old is None or order is not old.drop_order:
            self.list.show_order(order)
            self._tell(order)

    def select(self, key: RowKey | None) -> None:
        self.list.select(key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_edges()

    def _tell(self, order: DropOrder) -> None:
        """Cards, or a sentence in their place; with neither cards nor pins the sentence alone."""
        empty = not order.cards
        self.list.setVisible(bool(order.cards or order.pinned))
        self.list.setMaximumWidth(self._pinned_width() if empty else 16_777_215)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus if empty else Qt.FocusPolicy.StrongFocus)
        self.sentence.setVisible(empty)
        if empty:
            set_text(self.sentence, self._empty_words())
        self._show_edges()

    def _pinned_width(self) -> int:
        return max(1, self.list.sizeHintForIndex(self.list.cards.index(0)).width())

    def _empty_words(self) -> str:
        pinned = (
            [row for layer in self._view.layers for row in layer.pinned] if self._view is not None else []
        )
        if any(row.tunable for row in pinned):
            return self.tr("Nothing can be dropped: every file is pinned. Unpin one to change that.")
        return self.tr("Attached files, in the order they’d be dropped.")

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
            left = self.list.geometry().right() + 1 - EDGE_WIDTH if edge.forward else self.list.x()
            edge.setGeometry(left, 0, EDGE_WIDTH, self.height())
            edge.raise_()


class KeyHints(QWidget):
    """The keys that tune a card, for those who have not met them yet."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row: QHBoxLayout = columns(self, spacing=4)
        for keys, words in (
            ((self.tr("Space"),), self.tr("pin")),
            (("+", "−"), self.tr("priority")),
            ((self.tr("Del"),), self.tr("leave out")),
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
        self.setAccessibleName(self.tr("Drop later") if forward else self.tr("Drop earlier"))
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
