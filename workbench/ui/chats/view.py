"""The list of the chats pane: chosen by mouse or key, renamed in place, deleted, and the menus of its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QActionGroup, QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu

from workbench.engine.workspace_intents import FileChats
from workbench.ui.chats.delegate import CHEVRON_END, LineDelegate
from workbench.ui.chats.lines import ChatLine, GroupHead, PlaceHead
from workbench.ui.chats.lines_model import AnyLine, LinesModel
from workbench.ui.chats.places import SORTS, Sort
from workbench.ui.translation import translator
from workbench.ui.widgets.items.delegate import Index
from workbench.ui.widgets.items.views import set_up
from workbench.ui.widgets.menu import add_action, fill_place_choice, menu
from workbench.ui.wishes import DeleteChats, DropWorkspace, ExportChat, NewChatIn, NewWorkspace, TagChats

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
BATCH = 200
_tr = translator("ChatsPane")


class LinesView(QListView):
    """A list of lines; where `several` can be selected, Ctrl and Shift do so, with the mouse and with the keyboard.

    Signals:
        chosen: a line was clicked, or Enter pressed on it.
        wanted: something of the window. filing_wanted: chats are to be found elsewhere. folded: a place is to be folded
            or unfolded.
        left_upwards: the arrow was pressed on the first line.

    Attributes:
        places: the workspaces there are, by id, with their names. fill_order: fills the menu of orders.
    """

    chosen = Signal(object)
    wanted = Signal(object)
    filing_wanted = Signal(object)
    folded = Signal(str)
    left_upwards = Signal()

    def __init__(self, name: str, top: int = 0, several: bool = False) -> None:
        super().__init__()
        self._model = LinesModel()
        self.places: Mapping[str, str] = {}
        self.fill_order: Callable[[QMenu], None] | None = None
        self.setModel(self._model)
        self._lines = LineDelegate(self)
        self.setItemDelegate(self._lines)
        self.setAccessibleName(name)
        set_up(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
        self.selectionModel().selectionChanged.connect(self._on_selection)
        # Thousands of chats are laid out a few at a time, between two events: the window never waits for them.
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(BATCH)
        self.setViewportMargins(0, top, 0, 0)
        self.viewport().setAutoFillBackground(False)
        if several:
            self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
            self.setDragDropOverwriteMode(True)  # onto lines, never between them
            self._model.dropped.connect(self._on_dropped)

    def lines(self) -> LinesModel:
        return self._model

    def set_top(self, top: int) -> None:
        """Leave room above the first line, which the heads of days have by themselves."""
        if self.viewportMargins().top() != top:
            self.setViewportMargins(0, top, 0, 0)

    def set_current_chat(self, chat: str) -> None:
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
        lines = [self._model.item(self._model.index(row)) for row in rows] or [self.focused()]
        return tuple(line.id for line in lines if isinstance(line, ChatLine))

    def selected_lines(self) -> tuple[ChatLine, ...]:
        ids = frozenset(self.selected_chats())
        found = (self._model.item(self._model.index(row)) for row in range(self._model.rowCount()))
        return tuple(line for line in found if isinstance(line, ChatLine) and line.id in ids)

    def place_chosen(self) -> str | None:
        """The workspace that the keyboard is in; None where it is on no chat and on no place."""
        line = self.focused()
        return line.workspace if isinstance(line, ChatLine | PlaceHead) else None

    def focus_first(self) -> None:
        for row in range(self._model.rowCount()):
            if self._model.flags(self._model.index(row)) & Qt.ItemFlag.ItemIsSelectable:
                self.setCurrentIndex(self._model.index(row))
                return

    def focused(self) -> AnyLine | None:
        return self._model.item(self.currentIndex())

    def rename(self) -> None:
        if self._model.flags(self.currentIndex()) & Qt.ItemFlag.ItemIsEditable:
            self.edit(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        line = self.focused()
        if self.state() == QAbstractItemView.State.EditingState or line is None:
            super().keyPressEvent(event)
        elif event.key() in ENTER:
            self.chosen.emit(line)
        elif event.key() == Qt.Key.Key_Delete:
            self._delete(line)
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right) and not event.modifiers():
            self._fold(line, event.key() == Qt.Key.Key_Left)
        elif event.key() == Qt.Key.Key_Escape and self._lines.several:
            self.selectionModel().select(
                self.currentIndex(), QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
        elif event.key() == Qt.Key.Key_Up and not event.modifiers() and self._is_first(self.currentIndex()):
            self.left_upwards.emit()
        else:
            super().keyPressEvent(event)

    def _delete(self, line: AnyLine) -> None:
        if isinstance(line, PlaceHead) and line.workspace and not self._lines.several:
            self.wanted.emit(DropWorkspace(line.workspace))
        elif self.selected_chats():
            self.wanted.emit(DeleteChats(self.selected_chats()))

    def _fold(self, line: AnyLine, closing: bool) -> None:
        if isinstance(line, PlaceHead) and line.folded != closing:
            self.folded.emit(line.id)
        elif isinstance(line, ChatLine) and line.inset and closing:
            above = (
                self._model.item(self._model.index(row)) for row in range(self.currentIndex().row(), -1, -1)
            )
            head = next((one for one in above if isinstance(one, PlaceHead)), None)
            if head is not None:
                self.setCurrentIndex(self._model.index(self._model.row_of(head.id)))

    def _on_dropped(self, chats: tuple[str, ...], target: PlaceHead | ChatLine) -> None:
        archived = target.archived if isinstance(target, ChatLine) else target.kind == "archived"
        if archived:
            self.filing_wanted.emit(FileChats(chats, archived=True))
        else:
            self.filing_wanted.emit(FileChats(chats, workspace=target.workspace, archived=False))

    def _is_first(self, index: Index) -> bool:
        above = (self._model.index(row) for row in range(index.row()))
        return not any(self._model.flags(each) & Qt.ItemFlag.ItemIsSelectable for each in above)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click opens what it is on; with Ctrl or Shift it only selects."""
        super().mouseReleaseEvent(event)
        if self._gathers(event.modifiers()):
            return
        index = self.indexAt(event.position().toPoint())
        line = self._model.item(index)
        if event.button() != Qt.MouseButton.LeftButton or line is None or isinstance(line, GroupHead):
            return
        if isinstance(line, PlaceHead) and self._on_chevron(event.position().toPoint(), index):
            self.folded.emit(line.id)
        else:
            self.chosen.emit(line)

    def _on_chevron(self, at: QPoint, index: QModelIndex) -> bool:
        box = self.visualRect(index)
        return at.x() - box.left() < CHEVRON_END

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
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        line = self._model.item(index)
        if isinstance(line, ChatLine | PlaceHead):
            if not self.selectionModel().isSelected(index):
                self.setCurrentIndex(index)
            place = event.globalPos() if by_mouse else self._below(index)
            self.menu_of(line).popup(place)

    def menu_of(self, line: ChatLine | PlaceHead) -> QMenu:
        made = menu(self)
        if isinstance(line, PlaceHead):
            fill_place_menu(made, line, self)
        else:
            lines = self.selected_lines()
            fill_chat_menu(made, lines if line in lines else (line,), self)
        if self.fill_order is not None:
            made.addSeparator()
            self.fill_order(made.addMenu(self.tr("Order of the chats")))
        return made

    def _below(self, index: Index) -> QPoint:
        return self.viewport().mapToGlobal(self.visualRect(index).center())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()


class MenuHost(Protocol):
    """What the menus need of the list."""

    places: Mapping[str, str]
    chosen: SignalInstance
    wanted: SignalInstance
    filing_wanted: SignalInstance
    folded: SignalInstance

    def rename(self) -> None:
        """Edit the name of the line the keyboard is on."""


def fill_chat_menu(made: QMenu, lines: Sequence[ChatLine], host: MenuHost) -> None:
    """What can be done with these chats, one or several."""
    ids = tuple(line.id for line in lines)
    one = lines[0] if len(lines) == 1 else None
    if one is not None:
        made.addAction(_tr("Open"), lambda: host.chosen.emit(one))
        made.addAction(_tr("Rename…\tF2"), host.rename)
        made.addSeparator()
    pin, archive = not all(line.pinned for line in lines), not all(line.archived for line in lines)
    made.addAction(
        _tr("Pin") if pin else _tr("Unpin"), lambda: host.filing_wanted.emit(FileChats(ids, pinned=pin))
    )
    made.addAction(
        _tr("Archive") if archive else _tr("Take out of the archive"),
        lambda: host.filing_wanted.emit(FileChats(ids, archived=archive)),
    )
    _fill_move(made.addMenu(_tr("Move to workspace")), lines, host)
    made.addAction(_tr("Tags…"), lambda: host.wanted.emit(TagChats(ids)))
    if one is not None:
        made.addAction(_tr("Export…"), lambda: host.wanted.emit(ExportChat(one.id)))
    made.addSeparator()
    words = _tr("Delete\tDel") if one is not None else _tr("Delete {n} chats\tDel").format(n=len(ids))
    made.addAction(words, lambda: host.wanted.emit(DeleteChats(ids)))


def _fill_move(made: QMenu, lines: Sequence[ChatLine], host: MenuHost) -> None:
    ids = tuple(line.id for line in lines)
    fill_place_choice(
        made,
        host.places,
        {line.workspace for line in lines},
        lambda key: host.filing_wanted.emit(FileChats(ids, workspace=key)),
    )
    made.addAction(_tr("New workspace…"), lambda: host.wanted.emit(NewWorkspace(ids)))


def fill_order_menu(made: QMenu, now: Sort, pick: Callable[[Sort], None]) -> None:
    """In which order chats are listed."""
    words: dict[Sort, str] = {
        "used": _tr("Last used first"),
        "title": _tr("By title"),
        "created": _tr("Newest first"),
    }
    group = QActionGroup(made)
    for sort in SORTS:
        group.addAction(add_action(made, words[sort], partial(pick, sort), checked=sort == now))


def fill_place_menu(made: QMenu, head: PlaceHead, host: MenuHost) -> None:
    """What can be done with a place."""
    workspace = head.workspace
    if workspace:
        made.addAction(_tr("Open"), lambda: host.chosen.emit(head))
        made.addAction(_tr("Rename…\tF2"), host.rename)
    if head.kind != "archived":
        made.addAction(_tr("New chat"), lambda: host.wanted.emit(NewChatIn(workspace)))
    words = _tr("Unfold\t→") if head.folded else _tr("Fold\t←")
    made.addAction(words, lambda: host.folded.emit(head.id))
    if workspace:
        made.addSeparator()
        made.addAction(_tr("Delete the workspace\tDel"), lambda: host.wanted.emit(DropWorkspace(workspace)))
