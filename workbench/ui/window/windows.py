"""All windows over one engine: which there are, which is in front, what they show, and what comes back at a start."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from workbench.engine.intents import CloseChat, EditDraft, Intent, QueueMessage, SendMessage
from workbench.engine.program_intents import LookAtSpending
from workbench.ui.memory import WindowMemory
from workbench.ui.undo import Stacks
from workbench.ui.widgets.motion import single_shot
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.session import Session

OPEN_CHATS = "windows"
"""What is remembered of the windows beside the first: the number and the chat of each."""

REOPEN_MS = 200
"""Between two windows at the start, so that the first one is there at once."""


class HasKeys(Protocol):
    """Commands whose shortcuts can be switched off."""

    def set_front(self, front: bool) -> None:
        """Let shortcuts run these commands, or leave them to another window's."""


class ShowsCrashes(Protocol):
    """The dialogs of a window."""

    def crash(self, text: str) -> None:
        """Show a report of an error."""


class AtWork(Protocol):
    """What is needed of a window at work."""

    session: Session

    @property
    def actions(self) -> HasKeys: ...

    @property
    def openings(self) -> ShowsCrashes: ...

    def close(self) -> None:
        """Let go of the engine."""


class Windows(QObject):
    """The first window, which lives as long as the program, and further ones with a chat each.

    Attributes:
        all: the first one first. front: the one used last. stacks: the steps that any of them undoes.
        lock: covers them all. stays: whether the program goes on when its last window is closed.

    Signals:
        returned: one of them is used again, after another program was.
    """

    returned = Signal()

    def __init__(self, memory: WindowMemory, make: Callable[[MainWindow], AtWork]) -> None:
        super().__init__()
        self._memory, self._make = memory, make
        self.all: list[AtWork] = []
        self.front: AtWork
        self.lock: Callable[[], None] = lambda: None
        self.stays: Callable[[], bool] = lambda: False
        self._waiting: dict[int, str] = {}
        self._reopening = single_shot(self, self._reopen_next, REOPEN_MS)
        self._write_soon = single_shot(self, self._memory.flush)
        self.stacks = Stacks(self)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self._follow_focus)

    @property
    def covered(self) -> bool:
        """Whether the program is locked."""
        return self.first.session.window.is_covered()

    @property
    def first(self) -> AtWork:
        return self.all[0]

    def add(self, one: AtWork) -> None:
        """Take a window in whose parts have just been made."""
        session, window = one.session, one.session.window
        if self.all:
            # What is not saved is asked about once, when the program ends.
            session.window.wishes.intent.connect(self.first.session.window.note_written)
        else:
            self.front = one
        self.all.append(one)
        window.wishes.intent.connect(lambda intent: self._share_draft(one, intent))
        session.elsewhere = lambda seen: self._chats(one, seen)
        session.tells = lambda chat: self._teller(chat) is one
        session.moved.connect(lambda: self._on_moved(session))
        session.gone.connect(lambda chats: self._on_gone(one, chats))
        window.take_close = lambda: self._put_away(one)
        window.returned.connect(self.returned)
        one.actions.set_front(one is self.front)

    def open(self, chat: str, slot: int = 0, *, quietly: bool = False) -> None:
        """Show a chat in a window of its own; the one that shows it comes to the front, where there is one."""
        there = next((one for one in self.all[1:] if chat in one.session.chats()), None)
        if there is not None:
            there.session.window.come_to_front()
            return
        taken = self._slots() | set(self._waiting)
        slot = slot or next(n for n in range(1, len(taken) + 1) if n not in taken)
        window = MainWindow(self._memory, slot=slot, beside=self.first.session.window.frameGeometry())
        made = self._make(window)
        made.session.open_chat(chat)
        made.session.show_state(made.session.state)
        window.show_quietly() if quietly else window.come_to_front()
        self._on_moved()

    def reopen(self, known: Collection[str]) -> None:
        """Open the windows of the last time whose chats are still there: behind the first, and once that is painted."""
        entries = (entry.partition(":") for entry in self._memory.text_of(OPEN_CHATS).split())
        self._waiting = {int(slot): chat for slot, _, chat in entries if slot.isdecimal() and chat in known}
        self._waiting.pop(0, None)
        self._reopening.start()

    def _reopen_next(self) -> None:
        if self._waiting and self.covered:
            self._reopening.start()  # once it is unlocked
        elif self._waiting:
            slot, chat = next(iter(self._waiting.items()))
            if slot not in self._slots() and chat not in self._chats(self.first, False):
                self.open(chat, slot, quietly=True)
            self._waiting.pop(slot, None)
            self._reopening.start()

    def show_chat(self, chat: str) -> None:
        """Show a chat in the window that has it, else in the front one."""
        there = (one for one in (self.front, *self.all) if one.session.chat_id == chat)
        session = next(there, self.front).session
        session.window.come_to_front()
        session.when_open(lambda: session.open_chat(chat))

    def summon(self) -> None:
        """Bring the program to the front: the window that was used last, or the first if that is gone."""
        window = self.front.session.window
        if self.covered:
            window = next((one.session.window for one in self.all if one.session.window.isVisible()), window)
        window.come_to_front()

    def crash(self, text: str) -> None:
        """Report an error over the front window."""
        self.front.openings.crash(text)

    def money_shown(self) -> bool:
        """Whether any of them shows what was spent, so that it is kept up to date."""
        return any(one.session.window.money_shown() for one in self.all)

    def quit(self) -> None:
        """End the program; a window with something unsaved asks first."""
        for one in self.all:
            window = one.session.window
            if window.asks_first(self.quit, ends=True):
                window.come_to_front()
                return
        self.first.session.window.closing.emit()

    def hide(self) -> None:
        for one in self.all:
            one.session.window.hide()

    def close(self) -> None:
        """Let all windows but the first go; they come back at the next start."""
        self._reopening.stop()
        for one in self.all[1:]:
            self._let_go(one)
        del self.all[1:]

    def _put_away(self, one: AtWork) -> bool:
        """Close one of several windows; return whether that was it, or the program is to end."""
        others = [other for other in self.all if other is not one and other.session.window.isVisible()]
        if not others and not self.stays():
            if one is not self.first:
                self.quit()
            return one is not self.first
        if one is self.first:
            one.session.window.hide()
            self._on_moved()
        else:
            self._drop(one)
        return True

    def _drop(self, one: AtWork) -> None:
        """Close a window for good; its chat goes on, and is read again where it is opened."""
        self.all.remove(one)
        if one is self.front:
            visible = (other for other in self.all if other.session.window.isVisible())
            self._set_front(next(visible, self.first))
        bridge = self.front.session.bridge
        for chat in one.session.chats() - self._chats(None, False):
            bridge.send(CloseChat(chat))
        if one.session.window.money_shown():
            bridge.send(LookAtSpending(self.money_shown()))
        self._let_go(one)
        self._on_moved()

    def _let_go(self, one: AtWork) -> None:
        one.close()
        one.session.window.let_go()
        one.session.window.deleteLater()

    def _share_draft(self, by: AtWork, intent: Intent) -> None:
        """Show at once what is written in one window in all that show its chat: no key is typed into an older text."""
        match intent:
            case EditDraft(chat, text):
                pass
            case SendMessage(chat, drafted=True) | QueueMessage(chat):
                text = ""
            case _:
                return
        for one in self.all:
            if one is not by and one.session.chat_id == chat:
                one.session.window.chat.composer.take_draft(text)

    def _slots(self) -> set[int]:
        return {one.session.window.slot for one in self.all}

    def _chats(self, besides: AtWork | None, seen: bool) -> frozenset[str]:
        """The chats that other windows show or wait for; if `seen`, only those of windows that can be seen."""
        others = (one.session for one in self.all if one is not besides)
        return frozenset().union(*(one.chats() for one in others if not seen or one.window.isVisible()))

    def _teller(self, chat: str | None) -> AtWork:
        """The window that says what happened: one that shows the chat, the front one rather than another."""
        showing = [one for one in self.all if chat and one.session.chat_id == chat] or self.all
        return self.front if self.front in showing else showing[0]

    def _on_moved(self, by: Session | None = None) -> None:
        """A window shows another chat, which it draws, or is gone: remember that, and mark it in the others' lists."""
        first, *others = (one.session for one in self.all)
        if first.chat_id:
            first.keep_last()
        lasting = (one for one in others if one.chat_id and not one.is_temporary())
        shown = self._waiting | {one.window.slot: one.chat_id for one in lasting}
        self._memory.keep(OPEN_CHATS, " ".join(f"{slot}:{chat}" for slot, chat in shown.items()))
        self._write_soon.start()
        for session in (first, *others):
            if session is not by:
                session.redraw()

    def _on_gone(self, by: AtWork, chats: tuple[str, ...]) -> None:
        """Chats were deleted: windows that show one of them have nothing to show any more."""
        for one in tuple(self.all):
            if one is not by and one.session.chat_id in chats:
                self._drop(one) if one is not self.first else one.session.leave()

    def _follow_focus(self) -> None:
        """The front window is the one that is used, or whose dialog or inspector is."""
        active: QWidget | None = QApplication.activeWindow()
        while active is not None and not isinstance(active, MainWindow):
            above: QWidget | None = active.parentWidget()
            active = None if above is None else above.window()
        found = next((one for one in self.all if one.session.window is active), None)
        if found is not None:
            self._set_front(found)

    def _set_front(self, one: AtWork) -> None:
        if one is self.front:
            return
        if any(known is self.front for known in self.all):
            self.front.actions.set_front(False)
        self.front = one
        one.actions.set_front(True)
        one.session.bridge.publish_now()  # what was typed in another window is here before the first key
