"""The chat pane: head, transcript, and the composer under it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QStackedWidget, QWidget

from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.engine.intents import RenameChat
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import FileChats
from workbench.ui import formatting
from workbench.ui.chat.composer.composer import Composer
from workbench.ui.chat.messages.feed import Answer, Item, Note, Question, key_of
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.messages.tool_line import CALL, LONGEST_SHOWN, command_words, record_text
from workbench.ui.chat.notices import LookingCard, SendingOffCard, ServersDownCard, TemporaryLine
from workbench.ui.chat.question_card import QuestionCard
from workbench.ui.chat.side_card import SideCard
from workbench.ui.chat.transcript.transcript import Transcript
from workbench.ui.chat.watched.head import WatchBar, WatchedHead, WatchLine, variable_of
from workbench.ui.chat.watched.hold import HoldBar
from workbench.ui.filing import file_chats
from workbench.ui.look.space import S2, S4, STRETCH, columns, fill, rows
from workbench.ui.model_button import ModelButton, short_name
from workbench.ui.tools.offer import OfferCard
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.choice import Check, Field
from workbench.ui.widgets.found_words import MOST_MARKED, wanted
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.menu import fill_place_choice, menu, popup_below
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import LookAtOffer, NewWorkspace, ShowWorkspace, Wishes

# Finds words in the chat in view: the bar they are typed in, where they stand, and the way from one to the next.


BATCH_MS = 8
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
TEXT, THINKING = "text", "thinking"
"""Names of a message's parts: its text and its thinking; tool calls are named by their numbers."""
# What Markdown does not show: where a link leads, and the language of code.
_UNSEEN = re.compile(r"(?<=\])\([^()\s]*\)|^[ \t]*`{3,}[^\n`]*$", re.MULTILINE)


class Finder(QObject):
    """Searches the current chat: finds matches, marks them in messages that have widgets, and steps through them.

    Signals:
        left: the search was closed.
    """

    left = Signal()

    def __init__(self, transcript: Transcript, bar: FindBar) -> None:
        super().__init__(transcript)
        self._transcript, self.bar = transcript, bar
        self._chat = self._awaited = ""
        self._pattern: re.Pattern[str] | None = None
        self._given: tuple[str, tuple[str, ...]] = ("", ())
        self._items: tuple[Item, ...] = ()
        self._known: dict[str, tuple[object, tuple[Match, ...]]] = {}
        self._searched = 0
        self._matches: list[Match] = []
        self._current: Match | None = None
        self._marked = False
        self._from, self._go = "", False
        self._search_timer = QTimer(self)
        self._search_timer.timeout.connect(self._search_next)
        bar.changed.connect(self._on_changed)
        bar.stepped.connect(self.step)
        bar.closed.connect(self.close)
        transcript.settled.connect(self._mark_shown)

    def open(self) -> None:
        """Show the search field, and search again for the words that are in it."""
        self.bar.begin()
        self._on_changed()

    def show_words(self, chat: str, message: str, words: Sequence[str]) -> None:
        """Mark words that a search over all chats found, starting at a message; the chat may not be open yet."""
        self._awaited = chat
        self._given = (" ".join(words), tuple(words))
        self.bar.set_words(self._given[0])
        self.bar.show()
        self._from = message
        self._start_search(wanted(words), go=True)

    def step(self, by: int) -> None:
        """Go to the next or previous match; after the last comes the first."""
        if self.bar.isHidden():
            self.open()
        if not self._matches:
            return
        at = self._index()
        at = -1 if at is None and by > 0 else at or 0
        self._show(self._matches[(at + by) % len(self._matches)])

    def close(self) -> None:
        self.bar.hide()
        self._from = self._awaited = ""
        self._start_search(None, go=False)
        self.left.emit()

    def is_open(self) -> bool:
        return not self.bar.isHidden()

    def matches(self) -> tuple[Match, ...]:
        return tuple(self._matches)

    def current(self) -> Match | None:
        return self._current

    def refresh(self, chat: str) -> None:
        """Search what changed in the chat; if another chat is shown now, end the search."""
        if chat != self._chat:
            self._chat, self._known = chat, {}
            if self.is_open() and chat != self._awaited:
                self.close()
        if self._pattern is not None and self._transcript.column.items() is not self._items:
            self._search_again()

    def finish(self) -> None:
        """Search everything that is left at once; for tests and pictures."""
        while self._search_timer.isActive():
            self._search_next()

    def _on_changed(self) -> None:
        words = self.bar.field.text()
        if words == self._given[0] and self._given[1]:
            pattern = wanted(self._given[1], match_case=self.bar.case.isChecked())
        else:
            self._given = ("", ())
            pattern = wanted((words,), match_case=self.bar.case.isChecked())
        self._from = self._from or self._first_in_sight()
        self._start_search(pattern, go=bool(words.strip()))

    def _start_search(self, pattern: re.Pattern[str] | None, *, go: bool) -> None:
        self._pattern, self._go = pattern, go
        self._known, self._current = {}, None
        self._search_again()
        self._mark_shown()

    def _search_again(self) -> None:
        """Start again at the top; messages that have not changed are not searched again."""
        self._items = self._transcript.column.items()
        self._searched, self._matches = 0, []
        if self._pattern is None:
            self._search_timer.stop()
            self._transcript.minimap.show_hits(frozenset())
            return
        self._search_timer.start(0)
        self._search_next()

    def _search_next(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        pattern = self._pattern
        while pattern is not None and self._searched < len(self._items) and clock.elapsed() < BATCH_MS:
            self._matches.extend(self._matches_of(self._items[self._searched], pattern))
            self._searched += 1
        searching = self._searched < len(self._items)
        if not searching:
            self._search_timer.stop()
        self._choose(searching)
        self.bar.show_count(self._index(), len(self._matches), searching=searching)
        self._transcript.minimap.show_hits(frozenset(match.key for match in self._matches))

    def _matches_of(self, item: Item, pattern: re.Pattern[str]) -> tuple[Match, ...]:
        said = _searched_content(item)
        known = self._known.get(item.key)
        if known is None or known[0] != said:
            known = self._known[item.key] = (said, matches_in(item, pattern))
        return known[1]

    def _choose(self, searching: bool) -> None:
        """Go to the first match at or below the reading position; if there is none, to the first of all."""
        if not self._go or self._awaited not in ("", self._chat):
            return
        order = {item.key: place for place, item in enumerate(self._items)}
        key = key_of(self._items, self._from) if self._from else ""
        if self._awaited and not key:
            return  # the chat is still being read
        begin = order.get(key, 0)
        found = next((place for place in self._matches if order[place.key] >= begin), None)
        if found is None and not searching:
            found = self._matches[0] if self._matches else None
        if found is not None:
            self._go, self._from, self._awaited = False, "", ""
            self._show(found)

    def _show(self, place: Match) -> None:
        before, self._current = self._current, place
        if before is not None and before.key != place.key:
            self._mark(self._transcript.column.view(before.key))
        self._transcript.bring(place.key)
        view = self._transcript.column.view(place.key)
        spot = view.show_found(place.part, place.number, self._pattern) if view is not None else None
        self._mark_shown()
        self._transcript.settle()
        if spot is not None:
            self._transcript.show_spot(spot)
        self.bar.show_count(self._index(), len(self._matches), searching=self._search_timer.isActive())

    def _mark_shown(self) -> None:
        """Mark the matches in all messages that have widgets now."""
        if self._pattern is None and not self._marked:
            return
        self._marked = self._pattern is not None
        for view in self._transcript.column.views():
            self._mark(view)

    def _mark(self, view: MessageView | None) -> None:
        if view is None:
            return
        current = self._current
        for part, body in view.bodies().items():
            here = current is not None and view is self._transcript.column.view(current.key)
            number = current.number if here and current is not None and current.part == part else None
            body.mark_words(self._pattern, number)

    def _index(self) -> int | None:
        return self._matches.index(self._current) if self._current in self._matches else None

    def _first_in_sight(self) -> str:
        if self._current is not None:
            return self._current.key
        return self._transcript.key_in_sight()


def _searched_content(item: Item) -> object:
    """The part of an item that the search depends on; if it is equal, earlier matches still hold."""
    if isinstance(item, Question | Note):
        return item.record
    return (item.record, item.calls) if isinstance(item, Answer) else item.key


class FindBar(QWidget):
    """The search field with the number of matches and buttons to step through them.

    Signals:
        changed: the words or Match case changed. stepped: forwards (1) or backwards (-1). closed: the user closed it.
    """

    changed = Signal()
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chrome")
        self.field = Field(tr("Find in this chat"), icon="search")
        self.count = label("", "small", "t2")
        self.count.setMinimumWidth(96)
        self.case = Check(tr("Match case"))
        self.previous = tool_button("chevron-up", tr("Previous match"), tr("Previous match (Shift+F3)"))
        self.next = tool_button("chevron-down", tr("Next match"), tr("Next match (F3)"))
        self.close_it = tool_button("x", tr("Close the search"), tr("Close (Esc)"))
        across = columns(self, (S4, 6, S4, 6), S2)
        fill(across, (self.field, 1), self.previous, self.next, self.count, self.case, self.close_it)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self.changed)
        self.case.toggled.connect(self.changed)
        self.previous.clicked.connect(lambda: self.stepped.emit(-1))
        self.next.clicked.connect(lambda: self.stepped.emit(1))
        self.close_it.clicked.connect(self.closed)
        self.hide()

    def begin(self) -> None:
        """Show the bar with all text in its field selected, to be typed over."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def set_words(self, words: str) -> None:
        """Set the text of the field without emitting `changed`."""
        with QSignalBlocker(self.field):
            self.field.setText(words)

    def show_count(self, current: int | None, total: int, *, searching: bool = False) -> None:
        if not self.field.text().strip():
            words = ""
        elif not total:
            words = tr("Searching…") if searching else tr("Not found")
        else:
            words = tr("{n} of {total}").format(
                n=formatting.tokens((current or 0) + 1), total=formatting.tokens(total)
            )
            words += "…" if searching else ""
        set_text(self.count, words)
        for way in (self.previous, self.next):
            way.setEnabled(total > 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = watched is self.field and event.type() == QEvent.Type.KeyPress
        if pressed and isinstance(event, QKeyEvent) and event.key() in _ENTER:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.stepped.emit(-1 if back else 1)
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
            return
        super().keyPressEvent(event)


class Match(NamedTuple):
    """One match: the message, the part of it, and the number of the match within that part."""

    key: str
    part: str
    number: int


def matches_in(item: Item, pattern: re.Pattern[str]) -> tuple[Match, ...]:
    """All matches in one message, from the top."""
    found: list[Match] = []
    for part, texts in _parts(item):
        count = sum(1 for text in texts for match in pattern.finditer(text) if match.end() > match.start())
        found.extend(Match(item.key, part, number) for number in range(min(count, MOST_MARKED)))
    return tuple(found)


def _parts(item: Item) -> Iterator[tuple[str, tuple[str, ...]]]:
    match item:
        case Answer():
            entry = item.record.entry
            if isinstance(entry, Message) and entry.thinking:
                yield THINKING, ("\n\n".join(thought.text for thought in entry.thinking),)
            yield TEXT, (_UNSEEN.sub("", record_text(item.record)),)
            yield from _calls((call.call.arguments, _result(call.result)) for call in item.calls)
        case Question():
            yield TEXT, (record_text(item.record),)
            chunks = (chunk for chunk in item.record.commands if isinstance(chunk, EnvironmentChunk))
            yield from _calls(command_words(chunk)[1:] for chunk in chunks)
        case Note():
            yield TEXT, (record_text(item.record),)


def _calls(calls: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for number, (given, result) in enumerate(calls):
        yield f"{CALL}{number}", (given[:LONGEST_SHOWN], result[:LONGEST_SHOWN])


def _result(record: Record | None) -> str:
    return record_text(record) if record is not None else ""


# The head of the chat: its title, which can be changed in place, the model it asks, and what else can be done.


HEIGHT = 44
NAMED_FROM = 590
"""From this width on, the workspace is shown with its name beside its icon."""


class ChatHead(Panel):
    """The head of the current chat: title, model and menu."""

    line_below = True

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("surface")
        self.setFixedHeight(HEIGHT)
        self._chat: ChatState | None = None
        self._state = WorkbenchState()
        self._place = ""
        self._renaming = False
        self.title = ElidedLabel("", "title")
        self.field = Field()
        self.field.setAccessibleName(tr("Title of this chat"))
        self.field.installEventFilter(self)
        self._places = QStackedWidget()
        self._places.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._places.setFixedHeight(30)
        self._places.addWidget(self._title_row())
        self._places.addWidget(self.field)
        self.place = button("", "ghost", icon="folder", size="small")
        self.place.clicked.connect(lambda: self.wishes.run(ShowWorkspace(self._place)))
        self.place.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.place.customContextMenuRequested.connect(self.open_move_menu)
        self.model = ModelButton()
        self.model.clicked.connect(lambda: self.wishes.run("model"))
        self.tools = button(tr("Tools"), "ghost", icon="tool")
        self.tools.clicked.connect(lambda: self.wishes.run("tools"))
        self.tune = tool_button("sliders", tr("Parameters of this chat"))
        self.tune.clicked.connect(lambda: self.wishes.run("parameters"))
        self.more = tool_button("more", tr("More for this chat"))
        self.more.clicked.connect(lambda: self.wishes.run("chat-menu"))
        self.request = tool_button("layers", tr("Request"), tr("Request (Ctrl+I)"))
        self.request.clicked.connect(lambda: self.wishes.run("inspector"))
        self.request.hide()
        row = columns(self, (12, 0, 12, 0), 8)
        fill(row, (self._places, 1), self.place, self.model, self.tools, self.tune, self.request, self.more)

    def show_alone(self) -> None:
        """Be the head of a window without a rail: with a button for the request, and less of what is in the menu."""
        self.request.show()
        for part in (self.edit, self.tools, self.tune):
            part.hide()

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show the head of a chat; a title being edited is saved to the chat it was started in."""
        if self._renaming and (chat is None or self._chat is None or chat.chat.id != self._chat.chat.id):
            self._end_renaming(keep=True)
        self._chat, self._state = chat, state
        known = chat is not None
        self._show_place(state, chat)
        self.title.setText(shown(chat.chat.title or tr("New chat")) if chat else tr("No chat"))
        for part in (self.edit, self.tools, self.tune, self.more, self.model):
            part.setEnabled(known)
        name = chat.chat.settings.model if chat else ""
        self._show_tools(len(chat.chat.settings.tools) if chat else 0)
        self._show_parameters(chat)
        self.model.show_model(short_name(name), state.readiness.get(name))

    def _show_place(self, state: WorkbenchState, chat: ChatState | None) -> None:
        place = None if chat is None else state.workspaces.get(chat.chat.filed.workspace)
        self._place = "" if place is None else place.id
        self.place.setVisible(place is not None)
        if place is not None:
            name = shown(place.name, 28)
            text = shown(place.name, 20) if self.width() >= NAMED_FROM else ""
            if text != self.place.text():
                self.place.setText(text)
            self.place.setAccessibleName(tr("Workspace: {name}").format(name=name))
            words = tr("{name}: instructions and files shared by its chats. Right-click to move this chat.")
            self.place.setToolTip(tip(words.format(name=name)))

    def move_menu(self) -> QMenu:
        made = menu(self)
        chat, places = self._chat, self._state.workspaces
        if chat is None:
            return made
        key = chat.chat.id

        def move(to: str) -> None:
            self.wishes.do(file_chats((chat.chat,), FileChats((key,), workspace=to), key, self._state))

        names = {one.id: one.name for one in places.values()}
        fill_place_choice(made, names, {self._place}, move)
        made.addAction(tr("New workspace…"), lambda: self.wishes.run(NewWorkspace((key,))))
        return made

    def open_move_menu(self) -> None:
        below = self.place if self.place.isVisible() else self.model
        popup_below(self.move_menu(), below, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_place(self._state, self._chat)

    def _show_tools(self, count: int) -> None:
        words = tr("Tools: {n}").format(n=count) if count else tr("Tools")
        if words != self.tools.text() or not self.tools.toolTip():
            self.tools.setText(words)
            self.tools.setToolTip(
                tip(
                    formatting.counted(
                        count,
                        tr("1 tool is sent to this chat’s model"),
                        tr("{n} tools are sent to this chat’s model"),
                    )
                    if count
                    else tr("This chat has no tools: press to switch them on")
                )
            )

    def _show_parameters(self, chat: ChatState | None) -> None:
        """Show which parameters are set: highlighted if sent, as a warning if the model refuses one."""
        given = chat.chat.settings.parameters.given if chat else {}
        unsent = chat.view.unsent if chat is not None and chat.view is not None else ()
        self.tune.set_icon("sliders", "warn" if unsent else "accent_text" if given else "t2")
        words = tr("Parameters of this chat") + (f": {', '.join(given)}" if given else "")
        self.tune.setAccessibleName(words)
        refused = (tr("{name} isn’t sent: {why}").format(name=one.name, why=one.reason) for one in unsent)
        self.tune.setToolTip(tip("\n".join((f"{words} (Ctrl+P)", *refused))))

    def rename(self) -> None:
        if self._chat is None:
            return
        self._renaming = True
        self.field.setText(self._chat.chat.title)
        self._places.setCurrentWidget(self.field)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field:
            if event.type() == QEvent.Type.FocusOut:
                self._end_renaming(keep=True)
            elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                if event.key() == Qt.Key.Key_Escape:
                    self._end_renaming(keep=False)
                    return True
                if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                    self._end_renaming(keep=True)
                    return True
        return super().eventFilter(watched, event)

    def _title_row(self) -> QWidget:
        holder = QWidget()
        row = columns(holder, (0, 0, 0, 0), 4)
        self.edit = tool_button("edit", tr("Rename this chat"), tr("Rename this chat (F2)"))
        self.edit.clicked.connect(self.rename)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        fill(row, self.title, self.edit, STRETCH)
        return holder

    def _end_renaming(self, *, keep: bool) -> None:
        if not self._renaming:
            return
        self._renaming = False  # first: hiding the field takes its focus, which would rename again
        self._places.setCurrentIndex(0)
        title = self.field.text().strip()
        if keep and title and self._chat is not None and title != self._chat.chat.title:
            self.wishes.send(RenameChat(self._chat.chat.id, title))


LEAST_WIDTH = 420


class ChatPane(QWidget):
    """The middle column: head, notices, search bar, transcript and composer of a chat.

    Signals:
        selected: the key of the request's row that a message belongs to.
    """

    selected = Signal(object)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("surface")
        self.setMinimumWidth(LEAST_WIDTH)
        self.head, self.transcript = ChatHead(self.wishes), Transcript(self.wishes)
        self.composer = Composer(self.wishes)
        self.watched_head, self.watch_line = WatchedHead(self.wishes), WatchLine(self.wishes)
        self.watch_bar, self.hold_bar = WatchBar(self.wishes), HoldBar(self.wishes)
        column = rows(self)
        fill(column, self.head, self.watched_head, self.watch_line)
        self.offer = OfferCard()
        self.offer.look_wished.connect(lambda workspace: self.wishes.run(LookAtOffer(workspace)))
        self.offer.answered.connect(self.wishes.send)
        self.off = SendingOffCard(self.wishes)
        self.servers_down = ServersDownCard(self.wishes)
        self.looking = LookingCard(self.wishes)
        self.temporary = TemporaryLine(self.wishes)
        notices = (self.looking, self.temporary, self.off, self.servers_down, self.offer)
        around = fill(rows(None, (12, 8, 12, 0), 8), *notices)
        self.finder = Finder(self.transcript, FindBar())
        fill(column, around, self.finder.bar)
        self.middle = QStackedWidget()
        self.middle.addWidget(self.transcript)
        column.addWidget(self.middle, 1)
        held = rows(None, (16, 8, 16, 16), 8)
        self.side = SideCard(self.wishes)
        self.question = QuestionCard(self.wishes)
        fill(held, self.question, self.side, self.composer, self.watch_bar, self.hold_bar)
        column.addLayout(held)
        self._is_watched = False
        for own in (self.watched_head, self.watch_line, self.watch_bar, self.hold_bar):
            own.hide()
        self.transcript.selected.connect(self.selected)
        self.composer.selected.connect(self.selected)
        self.composer.escaped.connect(self._escape)
        self.composer.confirmed.connect(self.transcript.allow_in_sight)
        self.finder.left.connect(lambda: self.composer.setFocus(Qt.FocusReason.OtherFocusReason))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc stops the answer, wherever the focus is in the chat, unless something else uses it first."""
        if event.key() == Qt.Key.Key_Escape and self.composer.is_running():
            self._escape()
            return
        if event.key() == Qt.Key.Key_Escape and self.finder.is_open():
            self.finder.close()
            return
        super().keyPressEvent(event)

    def _escape(self) -> None:
        """Deny the tool request that waits for approval; if there is none, stop the answer."""
        card = self.transcript.waiting_card()
        if card is not None:
            card.deny.click()
        else:
            self.composer.stop()

    def focus_request(self) -> None:
        """Give the focus to what waits for an answer: a server's question, or a tool's request."""
        if self.question.isHidden():
            self.transcript.focus_tool_request()
        else:
            self.question.focus_question()

    def cover(self, widget: QWidget | None) -> None:
        if widget is None:
            self.middle.setCurrentWidget(self.transcript)
            return
        if self.middle.indexOf(widget) < 0:
            self.middle.addWidget(widget)
        self.middle.setCurrentWidget(widget)

    def show_found(self, chat: str, message: str, words: Sequence[str]) -> None:
        """Scroll to a message with the found words marked; as soon as it is loaded if the chat is still being read."""
        self.transcript.show_message(message)
        self.finder.show_words(chat, message, words)

    def show_growth(self, state: WorkbenchState, chat: ChatState | None, now_utc: str) -> None:
        """Show a state that differs from the one before only in how far the answer is."""
        self.transcript.show_state(state, chat, now_utc)
        self.finder.refresh(chat.chat.id if chat is not None else "")

    def show_state(self, state: WorkbenchState, chat: ChatState | None, now_utc: str = "") -> None:
        self.head.show_state(state, chat)
        self.off.show_problem(state.sending_off)
        self.temporary.setVisible(chat is not None and chat.chat.filed.temporary)
        self.servers_down.show_state(state, chat)
        inside = "" if chat is None else chat.chat.filed.workspace
        self.offer.show_offer(inside, state.offers.get(inside, (None, ""))[0])
        self.transcript.show_state(state, chat, now_utc)
        self.finder.refresh(chat.chat.id if chat is not None else "")
        self._show_watched(state, chat, now_utc)
        self.composer.show_state(state, None if self._is_watched else chat)
        self.side.show_state(chat)
        self.question.show_state(state)

    def _show_watched(self, state: WorkbenchState, chat: ChatState | None, now_utc: str) -> None:
        """Show the head and bar of a watched chat in place of the usual head and composer."""
        watched = self._is_watched = chat is not None and chat.chat.filed.watched is not None
        for own in (self.watched_head, self.watch_line, self.watch_bar):
            own.setVisible(watched)
        held = watched and bool(state.watch.held)
        self.hold_bar.setVisible(held)
        self.watch_bar.setVisible(watched and not held)
        for other in (self.head, self.composer):
            other.setVisible(not watched)
        if watched and chat is not None:
            self.watched_head.show_chat(chat, state.chats)
            self.watched_head.show_watch(state.watch)
            self.hold_bar.show_watch(state.watch, now_utc)
            self.watch_line.show_watch(state.watch, variable_of(chat))
            self.watch_bar.show_watch(state.watch, chat, state.everywhere)
