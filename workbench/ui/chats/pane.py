"""The chats pane: a search over everything said, and below it the chats, or what was found in them."""

from __future__ import annotations

from PySide6.QtCore import QDate, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.domain.record import Chat
from workbench.engine.errand_intents import SearchHistory
from workbench.engine.intents import OpenChat, RenameChat
from workbench.engine.state import Found, WorkbenchState
from workbench.ui.chats.found_lines import FoundHead, FoundLine, found_lines
from workbench.ui.chats.lines import ChatLine, lines_of, local_day
from workbench.ui.chats.lines_model import AnyLine
from workbench.ui.chats.view import ENTER, LinesView
from workbench.ui.look.space import S2, S3, columns, rows
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.empty import EmptyState
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import DeleteChats, ExportChat, ShowFound, Wishes

SEARCH_AFTER_MS = 150


class ChatsPane(QWidget):
    """All chats, and the search over them."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._chats: tuple[Chat, ...] | None = None
        self._today: QDate | None = None
        self._running: frozenset[str] = frozenset()
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
            self.tr("The first message starts one. It is saved as you type."),
            self.tr("New chat"),
        )
        self.nothing = EmptyState("search", self.tr("Nothing found"), "")
        self._pages = QStackedWidget()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(SEARCH_AFTER_MS)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.new.setAccessibleName(self.tr("New chat"))
        self.new.setToolTip(tip(self.tr("New chat (Ctrl+N)")))
        self.search.installEventFilter(self)
        down = rows(self)
        head = columns(down, (S3, 10, S3, 0), S2)
        head.addWidget(self.search, 1)
        head.addWidget(self.new)
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
        self.chats.deletion_wanted.connect(lambda chats: self.wishes.run(DeleteChats(chats)))
        self.chats.export_wanted.connect(lambda chat: self.wishes.run(ExportChat(chat)))
        self.chats.lines().renamed.connect(lambda chat, title: self.wishes.send(RenameChat(chat, title)))

    def show_state(self, state: WorkbenchState, current_chat_id: str | None, now_utc: str) -> None:
        """Show the chats as they are now."""
        today, running = local_day(now_utc) or QDate(1970, 1, 1), running_chats(state)
        if state.chats is not self._chats or running != self._running or today != self._today:
            self._chats, self._running, self._today = state.chats, running, today
            self._show_chats(lines_of(state.chats, today, running))
        self.chats.set_current_chat(current_chat_id or "")
        self.hits.set_current_chat(current_chat_id or "")
        if state.found is not self._found:
            self._found = state.found
            self._show_found()
        self._turn_page()

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _show_chats(self, lines: tuple[AnyLine, ...]) -> None:
        focused = self.chats.focused()
        self.chats.lines().show_lines(lines)
        if focused is not None:
            self.chats.focus_line(focused.id)

    def _show_found(self) -> None:
        if self._found is None or (self._found.searching and not self._found.hits):
            return
        self.hits.lines().show_lines(found_lines(self._found.hits))
        self.nothing.say(
            self.tr("Nothing found"),
            self.tr("No chat has “{words}”. Try fewer words, or only the beginning of one: auth*").format(
                words=shown(self._found.query, 60)
            ),
        )

    def _turn_page(self) -> None:
        """While an answer to what was typed is on its way, what was shown stays: nothing flickers."""
        found = self._found
        if not self._words():
            page: QWidget = self.chats if self._chats else self.no_chats
        elif found is None or found.query != self._asked or (found.searching and not found.hits):
            return
        else:
            page = self.hits if found.hits else self.nothing
        if self._pages.currentWidget() is not page:
            self._pages.setCurrentWidget(page)

    def _words(self) -> str:
        return self.search.text().strip()

    def _on_typed(self) -> None:
        if self._words():
            self._later.start()
        else:
            self._ask()

    def _ask(self) -> None:
        self._later.stop()
        if self._words() != self._asked:
            self._asked = self._words()
            self.wishes.send(SearchHistory(self._asked))
        self._turn_page()

    def _on_chosen(self, line: AnyLine) -> None:
        match line:
            case ChatLine():
                self.wishes.send(OpenChat(line.id))
            case FoundHead():
                self.wishes.run(ShowFound(line.chat))
            case FoundLine(where="message"):
                self.wishes.run(ShowFound(line.chat, line.subject, words=line.words))
            case FoundLine(where="attachment"):
                self.wishes.run(ShowFound(line.chat, attachment=line.subject, words=line.words))
            case FoundLine():
                self.wishes.run(ShowFound(line.chat))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the search field Esc clears, the arrow goes to the list, and Enter takes the first hit."""
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
            view.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        if event.key() in ENTER and self._words():
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
        line = self.hits.lines().line(index.siblingAtRow(index.row() + 1)) or self.hits.focused()
        if line is not None:
            self._on_chosen(line)


def running_chats(state: WorkbenchState) -> frozenset[str]:
    """The chats in which an answer is arriving, in view or not."""
    here = (chat for chat, opened in state.open.items() if opened.running is not None)
    return frozenset((*state.away, *here))
