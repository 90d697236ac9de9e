"""The list of the chats pane: chosen by mouse or key, renamed in place, deleted, with a menu."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu

from workbench.ui.chats.delegate import LineDelegate
from workbench.ui.chats.lines import ChatLine, GroupHead
from workbench.ui.chats.lines_model import AnyLine, LinesModel
from workbench.ui.widgets.menu import menu

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
BATCH = 200


class LinesView(QListView):
    """A list of lines; where `several` can be selected, Ctrl and Shift do so, with the mouse and with the keyboard.

    Signals:
        chosen: a line was clicked, or Enter pressed on it.
        deletion_wanted: the ids of the chats that are selected. export_wanted: the id of the chat.
        left_upwards: the arrow was pressed on the first line.
    """

    chosen = Signal(object)
    deletion_wanted = Signal(object)
    export_wanted = Signal(str)
    left_upwards = Signal()

    def __init__(self, name: str, top: int = 0, several: bool = False) -> None:
        super().__init__()
        self._model = LinesModel()
        self.setModel(self._model)
        self._lines = LineDelegate(self)
        self.setItemDelegate(self._lines)
        self.setAccessibleName(name)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        # Thousands of chats are laid out a few at a time, between two events: the window never waits for them.
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(BATCH)
        self.setViewportMargins(0, top, 0, 0)
        self.viewport().setAutoFillBackground(False)

    def lines(self) -> LinesModel:
        """The model behind it."""
        return self._model

    def set_current_chat(self, chat: str) -> None:
        """Mark the chat in view."""
        if chat != self._lines.current:
            self._lines.current = chat
            self.viewport().update()

    def focus_line(self, key: str) -> None:
        """Put the keyboard's place on a line; what is selected stays selected."""
        row = self._model.row_of(key)
        if row >= 0 and row != self.currentIndex().row():
            keep = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self._model.index(row), keep)

    def selected_chats(self) -> tuple[str, ...]:
        """The chats that are selected, from top to bottom; where none is, the one the keyboard is on."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        lines = [self._model.line(self._model.index(row)) for row in rows] or [self.focused()]
        return tuple(line.id for line in lines if isinstance(line, ChatLine))

    def focus_first(self) -> None:
        """Put the keyboard's place on the first line that can be chosen."""
        for row in range(self._model.rowCount()):
            if self._model.flags(self._model.index(row)) & Qt.ItemFlag.ItemIsSelectable:
                self.setCurrentIndex(self._model.index(row))
                return

    def focused(self) -> AnyLine | None:
        """The line the keyboard is on."""
        return self._model.line(self.currentIndex())

    def rename(self) -> None:
        """Edit the title of the line the keyboard is on."""
        if isinstance(self.focused(), ChatLine):
            self.edit(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Delete puts away, F2 renames, the arrow leaves the list at its top."""
        line = self.focused()
        if self.state() == QAbstractItemView.State.EditingState or line is None:
            super().keyPressEvent(event)
        elif event.key() in ENTER:
            self.chosen.emit(line)
        elif event.key() == Qt.Key.Key_Delete and self.selected_chats():
            self.deletion_wanted.emit(self.selected_chats())
        elif event.key() == Qt.Key.Key_Escape and self._lines.several:
            self.selectionModel().select(
                self.currentIndex(), QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
        elif event.key() == Qt.Key.Key_Up and not event.modifiers() and self._is_first(self.currentIndex()):
            self.left_upwards.emit()
        else:
            super().keyPressEvent(event)

    def _is_first(self, index: QModelIndex | QPersistentModelIndex) -> bool:
        above = (self._model.index(row) for row in range(index.row()))
        return not any(self._model.flags(each) & Qt.ItemFlag.ItemIsSelectable for each in above)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click opens what it is on; with Ctrl or Shift it only selects."""
        super().mouseReleaseEvent(event)
        if self._gathers(event.modifiers()):
            return
        index = self.indexAt(event.position().toPoint())
        line = self._model.line(index)
        if (
            event.button() == Qt.MouseButton.LeftButton
            and line is not None
            and not isinstance(line, GroupHead)
        ):
            self.chosen.emit(line)

    def _gathers(self, held: Qt.KeyboardModifier) -> bool:
        several = self.selectionMode() == QAbstractItemView.SelectionMode.ExtendedSelection
        return several and bool(
            held & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        )

    def _on_selection(self) -> None:
        """Whether more than one is selected: only then is it painted."""
        self._lines.several = len(self.selectionModel().selectedIndexes()) > 1
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with a chat."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        line = self._model.line(index)
        if isinstance(line, ChatLine):
            if not self.selectionModel().isSelected(index):
                self.setCurrentIndex(index)
            place = event.globalPos() if by_mouse else self._below(index)
            self.menu_of(line).popup(place)

    def menu_of(self, line: ChatLine) -> QMenu:
        """The menu of a chat."""
        made = menu(self)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chats = self.selected_chats()
        if len(chats) > 1 and line.id in chats:
            words = self.tr("Delete {n} chats\tDel").format(n=len(chats))
            made.addAction(words, lambda: self.deletion_wanted.emit(chats))
            return made
        made.addAction(self.tr("Open"), lambda: self.chosen.emit(line))
        made.addAction(self.tr("Rename…\tF2"), self.rename)
        made.addAction(self.tr("Export…"), lambda: self.export_wanted.emit(line.id))
        made.addSeparator()
        made.addAction(self.tr("Delete\tDel"), lambda: self.deletion_wanted.emit((line.id,)))
        return made

    def _below(self, index: QModelIndex | QPersistentModelIndex) -> QPoint:
        return self.viewport().mapToGlobal(self.visualRect(index).center())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hits may need another number of lines."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()
