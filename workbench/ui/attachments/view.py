"""The tree view of the attachments pane, with keys and multiple selection, and parts of a row that can be clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView

from workbench.domain.shown.attachment_view import AttachmentRow, ShownPicture
from workbench.domain.shown.parts_view import PartsView
from workbench.ui.attachments.delegate import AttachmentDelegate, Part, part_at
from workbench.ui.attachments.looks import can_have_parts, opens_parts
from workbench.ui.attachments.model import AttachmentsModel, Files, FolderNode
from workbench.ui.look.focus_ring import came_by_keyboard
from workbench.ui.widgets.items.views import Index, RowTree
from workbench.ui.widgets.motion import single_shot

DIGITS = range(Qt.Key.Key_0.value, Qt.Key.Key_9.value + 1)
TEN_AFTER_ONE_MS = 700
"""How soon a 0 must follow a 1 for both together to mean ten."""


class AttachmentsView(RowTree):
    """The list of attachments; every signal carries the rows it is about.

    Signals:
        pin_wanted, detach_wanted, refresh_wanted, freeze_wanted, preview_wanted, parts_wanted, menu_wanted,
            accept_wanted: what the user asked for.
        priority_wanted: with the priority; nudge_wanted: with the step.
        menu_wanted, priorities_wanted: with the place of the menu.
        looked_at: the action that a click or key would do, and its place on the screen; no rows: none any more.
    """

    pin_wanted = Signal(tuple)
    detach_wanted = Signal(tuple)
    refresh_wanted = Signal(tuple)
    freeze_wanted = Signal(tuple)
    preview_wanted = Signal(object)
    parts_wanted = Signal(object)
    priority_wanted = Signal(tuple, int)
    nudge_wanted = Signal(tuple, int)
    menu_wanted = Signal(tuple, object)
    priorities_wanted = Signal(tuple, object)
    accept_wanted = Signal(tuple)
    looked_at = Signal(tuple, str, object)
    _price_shown = False  # here: Qt sends events before there is anything else
    _left = QPersistentModelIndex()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._tree = AttachmentsModel()
        self.setModel(self._tree)
        self._painter = AttachmentDelegate(self)
        self.setItemDelegate(self._painter)
        self._after_one = single_shot(self, None, TEN_AFTER_ONE_MS)
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setAllColumnsShowFocus(
            False
        )  # there is one, and only the focus of a cell is told to its delegate
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.viewport().setAutoFillBackground(False)
        self._tree.rowsInserted.connect(lambda *_: self.expandAll())

    def show_pictures(self, pictures: Mapping[str, ShownPicture]) -> None:
        """Show thumbnails of attached pictures, by key."""
        if pictures is not self._painter.pictures:
            self._painter.pictures = pictures
            self.viewport().update()

    def tree(self) -> AttachmentsModel:
        return self._tree

    def show_rows(
        self, rows: Sequence[AttachmentRow], files: Files | None = None, parts: PartsView | None = None
    ) -> None:
        """Show these rows; selected attachments stay selected; if the current one is gone, no other becomes current.

        Qt would make its neighbour current, and a second Del would detach that one. The arrow keys continue from there.
        """
        chosen = {self._key(index) for index in self.selectedIndexes()}
        current = self._key(self.currentIndex())
        self._tree.show_rows(rows, files, parts)
        if current == self._key(self.currentIndex()):
            return
        place = self._tree.index_of(current)
        self._left = QPersistentModelIndex(QModelIndex() if place.isValid() else self.currentIndex())
        self.selectionModel().setCurrentIndex(place, QItemSelectionModel.SelectionFlag.Clear)
        for key in chosen:
            found = self._tree.index_of(key)
            self.selectionModel().select(found, QItemSelectionModel.SelectionFlag.Select)

    def _key(self, index: Index) -> str:
        node = self._tree.item(index)
        return "" if node is None else node.id

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        gone = not self.currentIndex().isValid() and self._left.isValid()
        if gone:
            return self._tree.index(self._left.row(), 0, self._left.parent())
        return super().moveCursor(action, modifiers)

    def chosen_rows(self) -> tuple[AttachmentRow, ...]:
        """The selected attachments; for a selected folder, all in it."""
        found = {row.key: row for index in self.selectedIndexes() for row in self._tree.rows(index)}
        return tuple(found.values()) or self._tree.rows(self.currentIndex())

    def content_height(self) -> int:
        def below(parent: Index) -> int:
            places = (self._tree.index(row, 0, parent) for row in range(self._tree.rowCount(parent)))
            return sum(
                self.rowHeight(each) + (below(each) if self.isExpanded(each) else 0) for each in places
            )

        return below(QModelIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._hide_price()
        rows = self.chosen_rows()
        if not rows or event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        ):
            super().keyPressEvent(event)
        elif event.key() in DIGITS:
            self.priority_wanted.emit(rows, self._priority_typed(event.key() - Qt.Key.Key_0.value))
        elif not self._act_on_key(
            Qt.Key(event.key()), rows, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        ):
            super().keyPressEvent(event)

    def _act_on_key(self, key: Qt.Key, rows: tuple[AttachmentRow, ...], shifted: bool = False) -> bool:
        match key:
            case Qt.Key.Key_Space:
                self.pin_wanted.emit(rows)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.nudge_wanted.emit(rows, 1)
            case Qt.Key.Key_Minus:
                self.nudge_wanted.emit(rows, -1)
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self.detach_wanted.emit(rows)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if not shifted and self.suggested(rows):
                self.accept_wanted.emit(self.suggested(rows))
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                parts = self._parts_at(self.currentIndex())
                self.parts_wanted.emit(parts[0]) if parts else self._open(self.currentIndex(), other=shifted)
            case Qt.Key.Key_F5:
                self.refresh_wanted.emit(rows)
            case _:
                return False
        return True

    def suggested(self, rows: tuple[AttachmentRow, ...]) -> tuple[AttachmentRow, ...]:
        return tuple(row for row in rows if self._tree.fit(row.key).wanted is not None)

    def _parts_at(self, index: Index) -> tuple[AttachmentRow, ...]:
        """The attached parts of the file at an index; none if it is something else."""
        node = self._tree.item(index)
        grouped = isinstance(node, FolderNode) and bool(node.parts_of)
        return self._tree.rows(index) if grouped else ()

    def _priority_typed(self, digit: int) -> int:
        if digit == 0 and self._after_one.isActive():
            self._after_one.stop()
            return 10
        if digit == 1:
            self._after_one.start()
        else:
            self._after_one.stop()
        return digit

    def _open(self, index: Index, other: bool = False) -> None:
        """Preview a file, or open its parts if it is long; with `other` the other way round."""
        row = self._tree.row(index)
        if row is not None and row.detached:
            return  # nobody has its text any more
        if row is not None and can_have_parts(row) and opens_parts(row) != other:
            self.parts_wanted.emit(row)
        elif row is not None:
            self.preview_wanted.emit(row)
        else:
            self.toggle_open(index)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._hide_price()
        if event.button() == Qt.MouseButton.LeftButton and self._find_hot(event.position())[1]:
            self._painter.down = True
            self.viewport().update()
            return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._painter.down:
            super().mouseReleaseEvent(event)
            index = self.indexAt(event.position().toPoint())
            if event.button() == Qt.MouseButton.LeftButton and not self._tree.row(index):
                self._open(index)
            return
        self._painter.down = False
        self.viewport().update()
        hot = self._painter.hot
        if hot == self._find_hot(event.position()):
            self._press(hot[1], self.indexAt(event.position().toPoint()))

    def _press(self, part: Part, index: Index) -> None:
        row = self._tree.row(index)
        if row is None:
            return
        chosen = self.chosen_rows() if self.selectionModel().isSelected(index) else (row,)
        place = self.viewport().mapToGlobal(self.visualRect(index).bottomRight())
        match part:
            case "pin":
                self.pin_wanted.emit(chosen)
            case "pill":
                self.accept_wanted.emit((row,))
            case "priority":
                self.priorities_wanted.emit(chosen, place)
            case "refresh":
                self.refresh_wanted.emit((row,))
            case "freeze":
                self.freeze_wanted.emit((row,))
            case "remove":
                self.detach_wanted.emit((row,))
            case "":
                pass

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._find_hot(event.position())[1]:
            self.mousePressEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton:
            index = self.indexAt(event.position().toPoint())
            if self._tree.row(index):
                self._open(index)
            elif rows := self._parts_at(index):
                self.parts_wanted.emit(rows[0])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not self._painter.down:
            self._find_hot(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._set_hot(("", ""))

    def _find_hot(self, point: QPointF) -> tuple[str, Part]:
        index = self.indexAt(point.toPoint())
        row = self._tree.row(index)
        part: Part = ""
        if row is not None:
            part = part_at(self._painter.parts(QRectF(self.visualRect(index)), index), point)
        self._set_hot((row.key, part) if row is not None and part else ("", ""))
        return self._painter.hot

    def _set_hot(self, hot: tuple[str, Part]) -> None:
        if hot != self._painter.hot:
            self._painter.hot = hot
            self.viewport().update()
            self._preview_hot_price(hot)

    def _preview_hot_price(self, hot: tuple[str, Part]) -> None:
        """Preview the price of the pin, a suggested priority or Remove now while the pointer is on it."""
        key, part = hot
        index = self._tree.index_of(key) if part in ("pin", "pill", "remove") else QModelIndex()
        row = self._tree.row(index)
        if row is None:
            self._hide_price()
        else:
            self._show_price((row,), part, self.visualRect(index))

    def currentChanged(self, current: Index, previous: Index) -> None:
        """After moving by keyboard, preview the price of detaching the row."""
        super().currentChanged(current, previous)
        rows = self._tree.rows(current) if self.hasFocus() and came_by_keyboard(self) else ()
        if rows:
            self._show_price(rows, "detach", self.visualRect(current))
        else:
            self._hide_price()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._hide_price()

    def viewportEvent(self, event: QEvent) -> bool:
        return (
            True
            if event.type() == QEvent.Type.ToolTip and self._price_shown
            else super().viewportEvent(event)
        )

    def _show_price(self, rows: tuple[AttachmentRow, ...], act: str, rect: QRect) -> None:
        self._price_shown = True
        corner = self.viewport().mapToGlobal(rect.topLeft())
        self.looked_at.emit(rows, act, QRect(corner, rect.size()))

    def _hide_price(self) -> None:
        if self._price_shown:
            self._price_shown = False
            self.looked_at.emit((), "", None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        if not index.isValid():
            return
        if not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)
        place = (
            event.globalPos() if by_mouse else self.viewport().mapToGlobal(self.visualRect(index).center())
        )
        self.menu_wanted.emit(self.chosen_rows(), place)
