"""The chat pane: head, transcript, and the composer under it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.chat.composer.composer import Composer
from workbench.ui.chat.find import FindBar, Finder
from workbench.ui.chat.head import ChatHead
from workbench.ui.chat.notices import LookingCard, SendingOffCard, ServersDownCard
from workbench.ui.chat.transcript.transcript import Transcript
from workbench.ui.chat.watched.bar import WatchBar
from workbench.ui.chat.watched.head import WatchedHead, WatchLine, variable_of
from workbench.ui.look.space import fill, rows
from workbench.ui.tools.offer import OfferCard
from workbench.ui.wishes import LookAtOffer, Wishes

LEAST_WIDTH = 420


class ChatPane(QWidget):
    """The middle of the window.

    Signals:
        selected: a row of the request that a message belongs to.
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
        self.watch_bar = WatchBar(self.wishes)
        column = rows(self)
        fill(column, self.head, self.watched_head, self.watch_line)
        self.offer = OfferCard()
        self.offer.look_wished.connect(lambda workspace: self.wishes.run(LookAtOffer(workspace)))
        self.offer.answered.connect(self.wishes.send)
        self.off = SendingOffCard(self.wishes)
        self.servers_down = ServersDownCard(self.wishes)
        self.looking = LookingCard(self.wishes)
        notices = (self.looking, self.off, self.servers_down, self.offer)
        around = fill(rows(None, (12, 8, 12, 0), 8), *notices)
        self.finder = Finder(self.transcript, FindBar())
        fill(column, around, self.finder.bar)
        self.middle = QStackedWidget()
        self.middle.addWidget(self.transcript)
        column.addWidget(self.middle, 1)
        held = rows(None, (16, 8, 16, 16))
        fill(held, self.composer, self.watch_bar)
        column.addLayout(held)
        self._is_watched = False
        for own in (self.watched_head, self.watch_line, self.watch_bar):
            own.hide()
        self.transcript.selected.connect(self.selected)
        self.composer.selected.connect(self.selected)
        self.composer.escaped.connect(self._escape)
        self.composer.confirmed.connect(self.transcript.allow_in_sight)
        self.finder.left.connect(lambda: self.composer.setFocus(Qt.FocusReason.OtherFocusReason))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc stops the answer, wherever in the chat the focus is; what has a use of its own for it comes first."""
        if event.key() == Qt.Key.Key_Escape and self.composer.is_running():
            self._escape()
            return
        if event.key() == Qt.Key.Key_Escape and self.finder.is_open():
            self.finder.close()
            return
        super().keyPressEvent(event)

    def _escape(self) -> None:
        """One claim at a time: a tool that waits is refused, else the answer is stopped."""
        card = self.transcript.waiting_card()
        if card is not None:
            card.deny.click()
        else:
            self.composer.stop()

    def cover(self, widget: QWidget | None) -> None:
        if widget is None:
            self.middle.setCurrentWidget(self.transcript)
            return
        if self.middle.indexOf(widget) < 0:
            self.middle.addWidget(widget)
        self.middle.setCurrentWidget(widget)

    def show_found(self, chat: str, message: str, words: Sequence[str]) -> None:
        """Bring a message into sight with words in it marked; of a chat that is still being read, as soon as it is."""
        self.transcript.show_message(message)
        self.finder.show_words(chat, message, words)

    def show_state(self, state: WorkbenchState, chat: ChatState | None, now_utc: str = "") -> None:
        self.head.show_state(state, chat)
        self.off.show_problem(state.sending_off)
        self.servers_down.show_state(state, chat)
        inside = "" if chat is None else chat.chat.filed.workspace
        self.offer.show_offer(inside, state.offers.get(inside, (None, ""))[0])
        self.transcript.show_state(state, chat, now_utc)
        self.finder.refresh(chat.chat.id if chat is not None else "")
        self._show_watched(state, chat)
        self.composer.show_state(state, None if self._is_watched else chat)

    def _show_watched(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """A watched chat has a head of its own, and a bar where others are written in."""
        watched = self._is_watched = chat is not None and chat.chat.filed.watched is not None
        for own in (self.watched_head, self.watch_line, self.watch_bar):
            own.setVisible(watched)
        for other in (self.head, self.composer):
            other.setVisible(not watched)
        if watched and chat is not None:
            self.watched_head.show_chat(chat, state.chats)
            self.watch_line.show_watch(state.watch, variable_of(chat))
            self.watch_bar.show_watch(state.watch, chat)
