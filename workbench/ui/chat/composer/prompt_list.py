"""Prompts while a / is typed: chosen from the list over the composer, filled, and walked through with Tab."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from workbench.domain.shown.completion_view import Begun, CompletionView, Offer, begun_prompt
from workbench.domain.variables import filled, used
from workbench.domain.workspace import SavedPrompt
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.chat.composer.completion import ENTER, MOVES, ListCompletion, OfferList
from workbench.ui.chat.composer.text import ComposerText
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import utf16_units

_tr = translator("Offers")

LONGEST_LINE = 80


class PromptCompletion(ListCompletion):
    """Follows what is typed behind a /, and takes what is chosen.

    What a prompt asks for stays written as {{word}}; Tab selects the next one until there is none.

    Signals:
        library_wished: there are no prompts yet, and the line that says so was chosen.
    """

    library_wished = Signal()

    def __init__(self, text: ComposerText, over: QWidget) -> None:
        keys = (("↑ ↓", _tr("choose")), ("↵", _tr("insert")), ("Esc", _tr("close")))
        super().__init__(text, over, OfferList(_tr("Prompts"), keys))
        self._prompts: tuple[SavedPrompt, ...] = ()
        self._walking = False
        self._first = text.take_key
        text.take_key = self._take_key

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        if (self._chat.chat.id if self._chat else "") != (chat.chat.id if chat else ""):
            self._close()
            self._walking = False
        self._chat = chat
        inside = chat.chat.filed.workspace if chat is not None else ""
        near = [one for one in state.prompts if one.workspace in (inside, "")]
        self._prompts = tuple(sorted(near, key=lambda one: (one.workspace != inside, one.name.casefold())))
        if self.is_open():
            self._show()

    def follow(self) -> None:
        begun = self._begun_now()
        if begun is None:
            self._dismissed = None
            self._close()
        elif begun != self._dismissed:
            self._begun = begun
            self._show()

    def insert(self) -> None:
        offer, begun = self.offers.chosen(), self._begun_now()
        if not self._prompts and begun is not None:
            self._typed(begun).removeSelectedText()
            self._close()
            self.library_wished.emit()
            return
        prompt = next((one for one in self._prompts if offer is not None and one.name == offer.text), None)
        if prompt is None or begun is None:
            self._close()
            return
        self._text.setTextCursor(self._typed(begun))
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
        """Select the first word that is asked for from a place on; return whether there is one."""
        text = self._text.text()
        found = [one for one in used(text, {}) if utf16_units(text[: one.start]) >= start]
        if not found:
            self._walking = self._walking and bool(used(text, {}))
            return False
        cursor = self._text.textCursor()
        cursor.setPosition(utf16_units(text[: found[0].start]))
        cursor.setPosition(utf16_units(text[: found[0].end]), QTextCursor.MoveMode.KeepAnchor)
        self._text.setTextCursor(cursor)
        return True

    def _show(self) -> None:
        shown_as = tuple(
            Offer("prompt", one.name, one.name, where=" ".join(one.text.split())[:LONGEST_LINE])
            for one in self._matching()
        )
        if not self._prompts and self._begun is not None and not self._begun.word:
            how = _tr("Save a message as one from its menu, or press Enter to write one.")
            shown_as = (Offer("prompt", _tr("No prompts yet"), "", where=how),)
        if not shown_as or self._begun is None:
            self._close()
            return
        if self._chat is not None:
            self.offers.show_view(CompletionView(self._begun, shown_as), self._chat)
        self._open()

    def _matching(self) -> list[SavedPrompt]:
        """Those whose names begin so, then those that have the letters in them."""
        word = self._begun.word.casefold() if self._begun is not None else ""
        found = [one for one in self._prompts if word in one.name.casefold()]
        return sorted(found, key=lambda one: not one.name.casefold().startswith(word))

    def _begun_now(self) -> Begun | None:
        if self._text.textCursor().hasSelection() or self._text.is_composing or self._chat is None:
            return None
        return begun_prompt(self._text.before())

    def _values(self) -> Mapping[str, str]:
        view = self._chat.view if self._chat is not None else None
        return {} if view is None else view.values
