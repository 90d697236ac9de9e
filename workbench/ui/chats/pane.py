"""The chats pane: a search over everything said, and below it the chats, or what was found in them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QDate, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from workbench.domain.workspace import is_template, workspace_of_template
from workbench.engine.intents import OpenChat, RenameChat
from workbench.engine.program_intents import SearchHistory
from workbench.engine.state import Found, WorkbenchState
from workbench.engine.workspace_intents import FileChats
from workbench.ui.chats.lines import (
    ActionLine,
    Calendar,
    ChatLine,
    FoundHead,
    FoundLine,
    PlaceHead,
    found_lines,
)
from workbench.ui.chats.lines_model import AnyLine
from workbench.ui.chats.places import (
    MORE_WATCHED,
    WAITING,
    Arranged,
    Listed,
    arranged_from,
    place_lines,
    tag_filter,
)
from workbench.ui.chats.view import ENTER, LinesView, fill_order_menu
from workbench.ui.filing import file_chats, rename_workspace
from workbench.ui.formatting import local_day, local_moment
from workbench.ui.look.space import S2, S3, columns, fill, rows
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.empty import EmptyState
from workbench.ui.widgets.menu import menu, popup_below
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.timer import single_shot
from workbench.ui.wishes import NewWorkspace, ShowFound, ShowWorkspace, Wishes

SEARCH_AFTER_MS = 150


class ChatsPane(QWidget):
    """All chats, and the search over them.

    Signals:
        found: a hit was chosen: its chat, and its message or nothing.
        arranged: the order, or what is folded, is another now, and the window may want to remember it.
    """

    found = Signal(str, str)
    arranged = Signal()

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._state = WorkbenchState()
        self._current = ""
        self._listed: Listed | None = None
        self._today = QDate(1970, 1, 1)
        self._calendar = Calendar(self._today)
        self._arranged = Arranged()
        self._found: Found | None = None
        self._asked = ""
        # The name is longer than what there is room for beside the keys.
        self.search = Field(self.tr("Search"), icon="search", key=self.tr("Ctrl+Shift+F"))
        self.search.setAccessibleName(self.tr("Search chats"))
        self.new = button("", icon="plus")
        self.chats = LinesView(self.tr("Chats"), several=True)
        self.hits = LinesView(self.tr("Search results"), top=S2)
        self.no_chats = EmptyState(
            "chat",
            self.tr("No chats yet"),
            self.tr("Your first message starts one. It’s saved as you type."),
            self.tr("New chat"),
        )
        self.nothing = EmptyState("search", self.tr("Nothing found"), "")
        self._pages = QStackedWidget()
        self._later = single_shot(self, None, SEARCH_AFTER_MS)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.new.setAccessibleName(self.tr("New chat"))
        self.new.setToolTip(tip(self.tr("New chat (Ctrl+N)")))
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
        self._later.timeout.connect(self._ask)
        for ask in (self.new.clicked, self.no_chats.pressed):
            ask.connect(lambda: self.wishes.run("new-chat"))
        for view in (self.chats, self.hits):
            view.chosen.connect(self._on_chosen)
            view.left_upwards.connect(self.focus_search)
        self.chats.wanted.connect(self.wishes.run)
        self.chats.fill_order = self._fill_order
        self.chats.filing_wanted.connect(self._file)
        self.chats.folded.connect(lambda place: self._arrange(self._arranged.turned(place)))
        self.chats.lines().renamed.connect(self._rename)

    def show_state(self, state: WorkbenchState, current_chat_id: str | None, now_utc: str) -> None:
        self._state, self._current = state, current_chat_id or ""
        today = local_day(now_utc) or QDate(1970, 1, 1)
        running, warm, watch = running_chats(state), warm_chats(state, now_utc), state.watch
        listed = Listed(state.chats, state.workspaces, running, warm, watch.on, watch.arriving > 0)
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
        """The chats in the order in which they are listed; those of a folded place are left out."""
        model = self.chats.lines()
        lines = (model.item(model.index(row)) for row in range(model.rowCount()))
        return tuple(line.id for line in lines if isinstance(line, ChatLine))

    def remembered(self) -> str:
        """The order and what is folded, as it can be kept."""
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
            self.tr("Nothing found"),
            self.tr("No chat matches “{words}”. Try fewer words or a prefix: auth*").format(
                words=shown(self._found.query, 60)
            ),
        )

    def _turn_page(self) -> None:
        """While an answer to what was typed is on its way, what was shown stays: nothing flickers."""
        found = self._found
        if not self._words() or self._arranged.filters:
            page: QWidget = self.chats if self._state.chats or self._state.workspaces else self.no_chats
        elif found is None or found.query != self._asked or (found.searching and not found.hits):
            return
        else:
            page = self.hits if found.hits else self.nothing
        if self._pages.currentWidget() is not page:
            self._pages.setCurrentWidget(page)

    def _words(self) -> str:
        return self.search.text().strip()

    def _on_typed(self) -> None:
        """A # with a tag that there is shows the chats that have it; anything else is searched for."""
        tags, words = tag_filter(self._words(), self._state.chats) or ((), "")
        if (tags, words) != (self._arranged.tags, self._arranged.words):
            self._arranged = replace(self._arranged, tags=tags, words=words)
            self._show_chats()
        if tags:
            self._later.stop()
            self._turn_page()
        elif self._words():
            self._later.start()
        else:
            self._ask()

    def _ask(self) -> None:
        self._later.stop()
        if self._words() != self._asked:
            self._asked = self._words()
            self.wishes.send(SearchHistory(self._asked))
        self._turn_page()

    def _do(self, action: str) -> None:
        if action == MORE_WATCHED:
            self._arrange(self._arranged.turned(action))
        else:
            self.wishes.run("watch" if action == WAITING else NewWorkspace())

    def _on_chosen(self, line: AnyLine) -> None:
        match line:
            case ChatLine():
                self.wishes.send(OpenChat(line.id))
            case PlaceHead(kind="workspace"):
                self.wishes.run(ShowWorkspace(line.workspace))
            case PlaceHead():
                self._arrange(self._arranged.turned(line.id))
            case ActionLine(id=action):
                self._do(action)
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
            self._enter(view)
            return True
        return False

    def _enter(self, view: QWidget) -> None:
        if self._later.isActive():
            self._ask()
        elif view is self.hits:
            self.hits.focus_first()
            self._on_chosen_first()

    def _on_chosen_first(self) -> None:
        """The first hit itself, not the chat it is in."""
        index = self.hits.currentIndex()
        line = self.hits.lines().item(index.siblingAtRow(index.row() + 1)) or self.hits.focused()
        if line is not None:
            self._on_chosen(line)


def warm_chats(state: WorkbenchState, now_utc: str) -> frozenset[str]:
    """The chats of which a cache still holds what was sent last, as far as that is known."""
    now = local_moment(now_utc)
    ends = ((key, local_moment(one.until_utc)) for key, one in state.reach.items() if one.until_utc)
    return frozenset(key for key, end in ends if now is not None and end is not None and now < end)


def running_chats(state: WorkbenchState) -> frozenset[str]:
    """The chats in which an answer is arriving, in view or not."""
    here = (chat for chat, opened in state.open.items() if opened.running is not None)
    return frozenset((*state.away, *here))
