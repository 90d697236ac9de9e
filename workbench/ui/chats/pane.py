"""The chats pane: a search over all messages, and below it the chats or the search results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from PySide6.QtCore import (
    QDate,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QActionGroup, QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QStackedWidget, QWidget

from workbench.domain.workspace import is_template, workspace_of_template
from workbench.engine.intents import OpenChat, RenameChat
from workbench.engine.program_intents import SearchHistory
from workbench.engine.state import Found, WorkbenchState
from workbench.engine.workspace_intents import FileChats
from workbench.ui.chats.delegate import CHEVRON_END, LineDelegate
from workbench.ui.chats.lines import (
    ActionLine,
    AnyLine,
    Calendar,
    ChatLine,
    FoundHead,
    FoundLine,
    GroupHead,
    LinesModel,
    PlaceHead,
    found_lines,
)
from workbench.ui.chats.places import (
    MORE_WATCHED,
    SORTS,
    WAITING,
    Arranged,
    Listed,
    Sort,
    arranged_from,
    place_lines,
    tag_filter,
)
from workbench.ui.filing import file_chats, rename_workspace
from workbench.ui.formatting import local_day, local_moment
from workbench.ui.look.space import S2, S3, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.items.views import CalmView, Index, set_up
from workbench.ui.widgets.menu import add_action, fill_place_choice, menu, popup_below
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.wishes import (
    DeleteChats,
    DropWorkspace,
    ExportChat,
    NewChatIn,
    NewWorkspace,
    ShowChat,
    ShowFound,
    ShowWorkspace,
    TagChats,
    Wishes,
)

# The list of the chats pane: chosen by mouse or key, renamed in place, deleted, and the menus of its lines.


ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
BATCH = 200


class LinesView(CalmView, QListView):
    """A list of lines; with `several`, Ctrl and Shift select more than one, by mouse and keyboard.

    Signals:
        chosen: a line was clicked, or Enter pressed on it.
        wanted: a wish to the window. filing_wanted: the `FileChats` to do. folded: the id of a heading to fold
            or unfold.
        left_upwards: the up arrow was pressed on the first line.

    Attributes:
        places: the names of workspaces, by id. fill_order: fills the menu that sorts the chats.
        files_of: writes chats that are dragged into files, and returns their paths.
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
        self.files_of: Callable[[Sequence[str]], Sequence[str]] = lambda chats: ()
        self._drags = False
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
        """Set the margin above the first line, which headings of days do not need."""
        if self.viewportMargins().top() != top:
            self.setViewportMargins(0, top, 0, 0)

    def set_current_chat(self, chat: str) -> None:
        if chat != self._lines.current:
            self._lines.current = chat
            self.viewport().update()

    def focus_line(self, key: str) -> None:
        """Move the keyboard cursor to a line without changing the selection."""
        row = self._model.row_of(key)
        if row >= 0 and row != self.currentIndex().row():
            keep = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self._model.index(row), keep)

    def selected_chats(self) -> tuple[str, ...]:
        """Ids of the selected chats, from top to bottom; without a selection, of the one under the keyboard cursor."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        lines = [self._model.item(self._model.index(row)) for row in rows] or [self.focused()]
        return tuple(line.id for line in lines if isinstance(line, ChatLine))

    def selected_lines(self) -> tuple[ChatLine, ...]:
        ids = frozenset(self.selected_chats())
        found = (self._model.item(self._model.index(row)) for row in range(self._model.rowCount()))
        return tuple(line for line in found if isinstance(line, ChatLine) and line.id in ids)

    def place_chosen(self) -> str | None:
        """The workspace of the line under the keyboard cursor; None if it is neither a chat nor a heading."""
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
            if isinstance(line, PlaceHead) and line.workspace and not self._lines.several:
                self.wanted.emit(DropWorkspace(line.workspace))
            elif self.selected_chats():
                self.wanted.emit(DeleteChats(self.selected_chats()))
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

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Drag the selected chats: onto workspaces here, and as files into other programs."""
        chats = self.selected_chats()
        if self._drags or not chats:
            return
        self._drags = True
        try:
            self._model.files = self.files_of(chats)
            super().startDrag(actions)
        finally:
            self._drags, self._model.files = False, ()

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
        """Open the clicked line, in a new window with the middle button; with Ctrl or Shift a click only selects."""
        super().mouseReleaseEvent(event)
        if self._extends_selection(event.modifiers()):
            return
        index = self.indexAt(event.position().toPoint())
        line = self._model.item(index)
        if event.button() == Qt.MouseButton.MiddleButton and isinstance(line, ChatLine):
            self.wanted.emit(ShowChat(line.id, new_window=True))
        if event.button() != Qt.MouseButton.LeftButton or line is None or isinstance(line, GroupHead):
            return
        if isinstance(line, PlaceHead) and self._on_chevron(event.position().toPoint(), index):
            self.folded.emit(line.id)
        else:
            self.chosen.emit(line)

    def _on_chevron(self, at: QPoint, index: QModelIndex) -> bool:
        box = self.visualRect(index)
        return at.x() - box.left() < CHEVRON_END

    def _extends_selection(self, held: Qt.KeyboardModifier) -> bool:
        several = self.selectionMode() == QAbstractItemView.SelectionMode.ExtendedSelection
        return several and bool(
            held & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        )

    def _on_selection(self) -> None:
        """Note whether several are selected, since only then the selection is painted."""
        self._lines.several = len(self.selectionModel().selectedIndexes()) > 1
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        line = self._model.item(index)
        if isinstance(line, ChatLine | PlaceHead):
            if not self.selectionModel().isSelected(index):
                self.setCurrentIndex(index)
            place = event.globalPos() if by_mouse else self._menu_position(index)
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
            self.fill_order(made.addMenu(tr("Order of the chats")))
        return made

    def _menu_position(self, index: Index) -> QPoint:
        return self.viewport().mapToGlobal(self.visualRect(index).center())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()


class MenuHost(Protocol):
    """What the menus need from the list."""

    places: Mapping[str, str]
    chosen: SignalInstance
    wanted: SignalInstance
    filing_wanted: SignalInstance
    folded: SignalInstance

    def rename(self) -> None:
        """Edit the name of the line under the keyboard cursor."""


def fill_chat_menu(made: QMenu, lines: Sequence[ChatLine], host: MenuHost) -> None:
    """Fill a menu with what can be done to these chats, one or several."""
    ids = tuple(line.id for line in lines)
    one = lines[0] if len(lines) == 1 else None
    if one is not None:
        made.addAction(tr("Open"), lambda: host.chosen.emit(one))
        words = tr("Open in a new window\tCtrl+Alt+N")
        made.addAction(words, lambda: host.wanted.emit(ShowChat(one.id, new_window=True)))
        made.addAction(tr("Rename…\tF2"), host.rename)
        if one.temporary:
            keep = FileChats(ids, temporary=False)
            made.addAction(tr("Keep this chat"), lambda: host.filing_wanted.emit(keep))
        made.addSeparator()
    pin, archive = not all(line.pinned for line in lines), not all(line.archived for line in lines)
    made.addAction(
        tr("Pin") if pin else tr("Unpin"), lambda: host.filing_wanted.emit(FileChats(ids, pinned=pin))
    )
    made.addAction(
        tr("Archive") if archive else tr("Take out of the archive"),
        lambda: host.filing_wanted.emit(FileChats(ids, archived=archive)),
    )
    _fill_move(made.addMenu(tr("Move to workspace")), lines, host)
    made.addAction(tr("Tags…"), lambda: host.wanted.emit(TagChats(ids)))
    if one is not None:
        made.addAction(tr("Export…"), lambda: host.wanted.emit(ExportChat(one.id)))
    made.addSeparator()
    words = tr("Delete\tDel") if one is not None else tr("Delete {n} chats\tDel").format(n=len(ids))
    made.addAction(words, lambda: host.wanted.emit(DeleteChats(ids)))


def _fill_move(made: QMenu, lines: Sequence[ChatLine], host: MenuHost) -> None:
    ids = tuple(line.id for line in lines)
    fill_place_choice(
        made,
        host.places,
        {line.workspace for line in lines},
        lambda key: host.filing_wanted.emit(FileChats(ids, workspace=key)),
    )
    made.addAction(tr("New workspace…"), lambda: host.wanted.emit(NewWorkspace(ids)))


def fill_order_menu(made: QMenu, now: Sort, pick: Callable[[Sort], None]) -> None:
    """Fill a menu with the orders in which chats can be listed."""
    words: dict[Sort, str] = {
        "used": tr("Last used first"),
        "title": tr("By title"),
        "created": tr("Newest first"),
    }
    group = QActionGroup(made)
    for sort in SORTS:
        group.addAction(add_action(made, words[sort], partial(pick, sort), checked=sort == now))


def fill_place_menu(made: QMenu, head: PlaceHead, host: MenuHost) -> None:
    """Fill a menu with what can be done to a workspace or another heading."""
    workspace = head.workspace
    if workspace:
        made.addAction(tr("Open"), lambda: host.chosen.emit(head))
        made.addAction(tr("Rename…\tF2"), host.rename)
    if head.kind != "archived":
        made.addAction(tr("New chat"), lambda: host.wanted.emit(NewChatIn(workspace)))
    words = tr("Unfold\t→") if head.folded else tr("Fold\t←")
    made.addAction(words, lambda: host.folded.emit(head.id))
    if workspace:
        made.addSeparator()
        made.addAction(tr("Delete the workspace\tDel"), lambda: host.wanted.emit(DropWorkspace(workspace)))


SEARCH_AFTER_MS = 150


class ChatsPane(QWidget):
    """All chats, and the search over them.

    Attributes:
        elsewhere: ids of the chats that other windows show.

    Signals:
        found: the chat of a search result that was chosen, and its message or an empty string.
        arranged: the order or what is folded changed; the window may save that.
    """

    found = Signal(str, str)
    arranged = Signal()

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._state = WorkbenchState()
        self._current = ""
        self.elsewhere: frozenset[str] = frozenset()
        self._listed: Listed | None = None
        self._today = QDate(1970, 1, 1)
        self._calendar = Calendar(self._today)
        self._arranged = Arranged()
        self._found: Found | None = None
        self._searched = ""
        # The name is longer than what there is room for beside the keys.
        self.search = Field(tr("Search"), icon="search", key="Ctrl+Shift+F")
        self.search.setAccessibleName(tr("Search chats"))
        self.new = button("", icon="plus")
        self.chats = LinesView(tr("Chats"), several=True)
        self.hits = LinesView(tr("Search results"), top=S2)
        self.no_chats = EmptyState(
            "chat",
            tr("No chats yet"),
            tr("Your first message starts one. It’s saved as you type."),
            tr("New chat"),
        )
        self.nothing = EmptyState("search", tr("Nothing found"), "")
        self._pages = QStackedWidget()
        self._search_timer = single_shot(self, None, SEARCH_AFTER_MS)
        self._build_layout()
        self._connect()

    def _build_layout(self) -> None:
        self.new.setAccessibleName(tr("New chat"))
        self.new.setToolTip(tip(tr("New chat (Ctrl+N)")))
        self.search.installEventFilter(self)
        down = rows(self)
        fill(columns(down, (S3, 10, S3, 0), S2), (self.search, 1), self.new)
        down.addWidget(self._pages, 1)
        for page in (self.chats, self.hits, self.no_chats, self.nothing):
            # A page that is not in sight must not make the column wider.
            page.setMinimumWidth(1)
            self._pages.addWidget(page)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_typed)
        self._search_timer.timeout.connect(self._search_now)
        for ask in (self.new.clicked, self.no_chats.pressed):
            ask.connect(lambda: self.wishes.run("new-chat"))
        for view in (self.chats, self.hits):
            view.chosen.connect(self._on_chosen)
            view.left_upwards.connect(self.focus_search)
        self.chats.wanted.connect(self.wishes.run)
        self.chats.fill_order = self._fill_order
        self.chats.filing_wanted.connect(self._file)
        self.chats.folded.connect(lambda place: self._arrange(self._arranged.toggled(place)))
        self.chats.lines().renamed.connect(self._rename)

    def show_state(self, state: WorkbenchState, current_chat_id: str | None, now_utc: str) -> None:
        self._state, self._current = state, current_chat_id or ""
        today = local_day(now_utc) or QDate(1970, 1, 1)
        running, warm, watch = running_chats(state), warm_chats(state, now_utc), state.watch
        listed = Listed(
            state.chats, state.workspaces, running, warm, watch.on, watch.arriving > 0, self.elsewhere
        )
        if listed != self._listed or today != self._today:
            if today != self._today:
                self._today, self._calendar = today, Calendar(today)
            self._listed = listed
            self.chats.set_top(S2 if state.workspaces else 0)
            self.chats.places = {key: one.name for key, one in state.workspaces.items()}
            self._show_chats()
        self.chats.set_current_chat(self._current)
        self.hits.set_current_chat(self._current)
        if state.found is not self._found:
            self._found = state.found
            self._show_found()
        self._turn_page()

    def order(self) -> tuple[str, ...]:
        """Ids of the chats as they are listed, without those under a folded heading."""
        model = self.chats.lines()
        lines = (model.item(model.index(row)) for row in range(model.rowCount()))
        return tuple(line.id for line in lines if isinstance(line, ChatLine))

    def remembered(self) -> str:
        """The order and what is folded, as text to be saved."""
        return self._arranged.text()

    def restore(self, text: str) -> None:
        self._arranged = arranged_from(text)
        if self._listed is not None:
            self._show_chats()

    def open_order(self) -> None:
        made = menu(self)
        self._fill_order(made)
        popup_below(made, self.search)

    def _fill_order(self, made: QMenu) -> None:
        fill_order_menu(
            made, self._arranged.sort, lambda sort: self._arrange(replace(self._arranged, sort=sort))
        )

    def _arrange(self, arranged: Arranged) -> None:
        self._arranged = arranged
        self._show_chats()
        self.arranged.emit()

    def _file(self, wanted: FileChats) -> None:
        if wanted.temporary is not None:
            self.wishes.send(wanted)  # what is on the disk cannot be taken back
            return
        self.wishes.do(file_chats(self._state.chats, wanted, self._current, self._state))

    def _rename(self, key: str, title: str) -> None:
        if not is_template(key):
            self.wishes.send(RenameChat(key, title))
        elif (workspace := self._state.workspaces.get(workspace_of_template(key))) is not None:
            self.wishes.do(rename_workspace(workspace, title, self._current))

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _show_chats(self) -> None:
        assert self._listed is not None
        focused = self.chats.focused()
        self.chats.lines().show_items(place_lines(self._listed, self._calendar, self._arranged))
        if focused is not None:
            self.chats.focus_line(focused.id)

    def _show_found(self) -> None:
        if self._found is None or (self._found.searching and not self._found.hits):
            return
        self.hits.lines().show_items(found_lines(self._found.hits))
        self.nothing.say(
            tr("Nothing found"),
            tr("No chat matches “{words}”. Try fewer words or a prefix: auth*").format(
                words=shown(self._found.query, 60)
            ),
        )

    def _turn_page(self) -> None:
        """Show the chats, the results or an empty page; while a search is running, keep what is shown."""
        found = self._found
        if not self._words() or self._arranged.filters:
            page: QWidget = self.chats if self._state.chats or self._state.workspaces else self.no_chats
        elif found is None or found.query != self._searched or (found.searching and not found.hits):
            return
        else:
            page = self.hits if found.hits else self.nothing
        if self._pages.currentWidget() is not page:
            self._pages.setCurrentWidget(page)

    def _words(self) -> str:
        return self.search.text().strip()

    def _on_typed(self) -> None:
        """Filter by a known tag if # and its beginning are typed; search for anything else."""
        tags, words = tag_filter(self._words(), self._state.chats) or ((), "")
        if (tags, words) != (self._arranged.tags, self._arranged.words):
            self._arranged = replace(self._arranged, tags=tags, words=words)
            self._show_chats()
        if tags:
            self._search_timer.stop()
            self._turn_page()
        elif self._words():
            self._search_timer.start()
        else:
            self._search_now()

    def _search_now(self) -> None:
        self._search_timer.stop()
        if self._words() != self._searched:
            self._searched = self._words()
            self.wishes.send(SearchHistory(self._searched))
        self._turn_page()

    def _on_chosen(self, line: AnyLine) -> None:
        match line:
            case ChatLine():
                self.wishes.send(OpenChat(line.id))
            case PlaceHead(kind="workspace"):
                self.wishes.run(ShowWorkspace(line.workspace))
            case PlaceHead():
                self._arrange(self._arranged.toggled(line.id))
            case ActionLine(id=action):
                if action == MORE_WATCHED:
                    self._arrange(self._arranged.toggled(action))
                else:
                    self.wishes.run("watch" if action == WAITING else NewWorkspace())
            case FoundHead():
                self.wishes.run(ShowFound(line.chat))
            case FoundLine(where="message"):
                self.wishes.run(ShowFound(line.chat, line.subject, words=line.words))
            case FoundLine(where="attachment"):
                self.wishes.run(ShowFound(line.chat, attachment=line.subject, words=line.words))
            case FoundLine():
                self.wishes.run(ShowFound(line.chat))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._on_search_key(event)
        return super().eventFilter(watched, event)

    def _on_search_key(self, event: QKeyEvent) -> bool:
        view = self._pages.currentWidget()
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            return True
        if event.key() == Qt.Key.Key_Down and isinstance(view, LinesView):
            view.focus_first()
            view.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return True
        if event.key() in ENTER and self._words() and not self._arranged.filters:
            self._on_enter(view)
            return True
        return False

    def _on_enter(self, view: QWidget) -> None:
        if self._search_timer.isActive():
            self._search_now()
        elif view is self.hits:
            self.hits.focus_first()
            self._open_first_result()

    def _open_first_result(self) -> None:
        """Open the first result itself, not the chat heading above it."""
        index = self.hits.currentIndex()
        line = self.hits.lines().item(index.siblingAtRow(index.row() + 1)) or self.hits.focused()
        if line is not None:
            self._on_chosen(line)


def warm_chats(state: WorkbenchState, now_utc: str) -> frozenset[str]:
    """Ids of the chats whose last request a cache still holds, as far as known."""
    now = local_moment(now_utc)
    ends = ((key, local_moment(one.until_utc)) for key, one in state.reach.items() if one.until_utc)
    return frozenset(key for key, end in ends if now is not None and end is not None and now < end)


def running_chats(state: WorkbenchState) -> frozenset[str]:
    """Ids of the chats in which an answer is arriving, whether open or not."""
    here = (chat for chat, opened in state.open.items() if opened.running is not None)
    return frozenset((*state.away, *here))
