"""Prompts while a / is typed: chosen from the list over the composer, filled, and walked through with Tab."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from workbench.domain.shown.completion_view import Begun, CompletionView, Offer, begun_prompt
from workbench.domain.variables import filled, used
from workbench.domain.workspace import SavedPrompt
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.chat.composer.completion import ENTER, MOVES, OfferList
from workbench.ui.chat.composer.text import ComposerText
from workbench.ui.translation import translator

_tr = translator("Offers")

LONGEST_LINE = 80


class PromptCompletion(QObject):
    """Follows what is typed behind a /, and takes what is chosen.

    What a prompt asks for stays written as {{word}}; Tab selects the next one until there is none.
    """

    def __init__(self, text: ComposerText, over: QWidget) -> None:
        super().__init__(text)
        self._text, self._over = text, over
        self._chat: ChatState | None = None
        self._prompts: tuple[SavedPrompt, ...] = ()
        self._begun: Begun | None = None
        self._dismissed: Begun | None = None
        self._walking = False
        self.offers = OfferList(
            _tr("Prompts"), (("↑ ↓", _tr("choose")), ("↵", _tr("insert")), ("Esc", _tr("close")))
        )
        self.offers.taken.connect(self.insert)
        self._first = text.take_key
        text.take_key = self._take_key
        text.typed.connect(self.follow)
        text.cursorPositionChanged.connect(self._follow_cursor)
        text.focused.connect(lambda here: None if here else self._close())
        over.installEventFilter(self)

    def is_open(self) -> bool:
        return self.offers.isVisible()

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Know the prompts that there are, those of the chat's workspace first."""
        if (self._chat.chat.id if self._chat else "") != (chat.chat.id if chat else ""):
            self._close()
            self._walking = False
        self._chat = chat
        inside = chat.chat.filed.workspace if chat is not None else ""
        near = [one for one in state.prompts if one.workspace in (inside, "")]
        self._prompts = tuple(sorted(near, key=lambda one: (one.workspace != inside, one.name.casefold())))
        if self.is_open() and not self._matching():
            self._close()

    def follow(self) -> None:
        """See whether a prompt is being named at the cursor, and offer what it could be."""
        begun = self._begun_now()
        if begun is None:
            self._dismissed = None
            self._close()
        elif begun != self._dismissed:
            self._begun = begun
            self._show()

    def insert(self) -> None:
        """Write the chosen prompt in the place of what was typed of its name."""
        offer, begun = self.offers.chosen(), self._begun_now()
        prompt = next((one for one in self._prompts if offer is not None and one.name == offer.text), None)
        if prompt is None or begun is None:
            self._close()
            return
        cursor = self._text.textCursor()
        end = cursor.position()
        cursor.setPosition(end - _halves(self._text.before()[begun.start :]))
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._text.setTextCursor(cursor)
        self._close()
        self.write(prompt.text)

    def write(self, text: str) -> None:
        """Write a prompt where the cursor stands, with what variables become; the first other one is selected."""
        cursor = self._text.textCursor()
        start = cursor.selectionStart()
        cursor.insertText(filled(text, self._values()))
        self._text.setTextCursor(cursor)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)
        self._walking = True
        self._walk(start)

    def dismiss(self) -> None:
        """Close the list until something else is typed."""
        self._dismissed = self._begun
        self._close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize) and self.is_open():
            self.offers.place(self._over)
        return super().eventFilter(watched, event)

    def _take_key(self, event: QKeyEvent) -> bool:
        """Whether a key was meant for the list, or goes on to the next word that is asked for."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        key = Qt.Key(event.key())
        if plain and self.is_open():
            if key in MOVES:
                self.offers.step(MOVES[key])
                return True
            if key == Qt.Key.Key_Escape:
                self.dismiss()
                return True
            if key in (*ENTER, Qt.Key.Key_Tab):
                self.insert()
                return True
        elif self._first(event):
            return True
        elif plain and key == Qt.Key.Key_Tab and self._walking:
            return self._walk(self._text.textCursor().selectionEnd()) or self._walk(0)
        return False

    def _walk(self, start: int) -> bool:
        """Select the first word that is asked for from a place on; whether there is one."""
        text = self._text.text()
        found = [one for one in used(text, {}) if _halves(text[: one.start]) >= start]
        if not found:
            self._walking = self._walking and bool(used(text, {}))
            return False
        cursor = self._text.textCursor()
        cursor.setPosition(_halves(text[: found[0].start]))
        cursor.setPosition(_halves(text[: found[0].end]), QTextCursor.MoveMode.KeepAnchor)
        self._text.setTextCursor(cursor)
        return True

    def _show(self) -> None:
        matching = self._matching()
        if not matching or self._begun is None:
            self._close()
            return
        shown_as = tuple(
            Offer("prompt", one.name, one.name, where=" ".join(one.text.split())[:LONGEST_LINE])
            for one in matching
        )
        if self._chat is not None:
            self.offers.show_view(CompletionView(self._begun, shown_as), self._chat)
        parent: QWidget | None = self._over.parentWidget()
        if parent is None:
            return
        if self.offers.parentWidget() is not parent:
            self.offers.setParent(parent)
        self.offers.place(self._over)
        self.offers.show()
        self.offers.raise_()

    def _matching(self) -> list[SavedPrompt]:
        """Those whose names begin so, then those that have the letters in them."""
        word = self._begun.word.casefold() if self._begun is not None else ""
        found = [one for one in self._prompts if word in one.name.casefold()]
        return sorted(found, key=lambda one: not one.name.casefold().startswith(word))

    def _close(self) -> None:
        self._begun = None
        self.offers.hide()

    def _follow_cursor(self) -> None:
        if self._begun is not None and not self._text.is_typing and self._begun_now() != self._begun:
            self._close()

    def _begun_now(self) -> Begun | None:
        if self._text.textCursor().hasSelection() or self._text.is_composing or self._chat is None:
            return None
        return begun_prompt(self._text.before())

    def _values(self) -> Mapping[str, str]:
        view = self._chat.view if self._chat is not None else None
        return {} if view is None else view.values


def _halves(text: str) -> int:
    """How long a text is as Qt counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
