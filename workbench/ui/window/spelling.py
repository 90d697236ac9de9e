"""Spelling in the message field: words that no dictionary has are underlined, and its menu offers others."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QLocale, QObject, Signal
from PySide6.QtGui import QContextMenuEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QMenu

from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.tasks import Tasks
from workbench.ports.spelling import Speller
from workbench.ui.chat.composer.text import ComposerText
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.found_words import qt_spans, selection
from workbench.ui.widgets.menu import add_action, menu
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import utf16_units

PAUSE_MS = 300
LONGEST = 20_000
"""A longer message was pasted rather than typed."""
MOST_MARKED = 500

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|\{\{[^{}\n]*\}\}", re.DOTALL)
_CHUNK = re.compile(r"[^\s—–…]+")
_PROSE = re.compile(r"[^\w@/#]*([^\W\d_]+(?:['’‑-][^\W\d_]+)*['’‑-]?)[^\w/\\(]*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SCRIPTS = {
    "CYRILLIC": ("ru", "uk", "be", "bg", "mk", "sr", "kk", "mn"),
    "GREEK": ("el",),
    "HEBREW": ("he",),
    "ARABIC": ("ar", "fa", "ur"),
    "ARMENIAN": ("hy",),
    "GEORGIAN": ("ka",),
}
"""The languages of some scripts; every other language of a dictionary is written in Latin letters."""


def prose_words(text: str) -> Iterator[tuple[int, str]]:
    """Yields the words of prose with where they stand: not those of code, paths, addresses, @ mentions and names."""
    bare = _CODE.sub(lambda found: " " * len(found.group()), text)
    for chunk in _CHUNK.finditer(bare):
        prose = _PROSE.fullmatch(chunk.group())
        if prose is None:
            continue
        for word in _WORD.finditer(prose.group(1)):
            plain = word.group()
            if len(plain) > 1 and not any(letter.isupper() for letter in plain[1:]):
                yield chunk.start() + prose.start(1) + word.start(), plain


def _is_written_by(languages: tuple[str, ...], word: str) -> bool:
    """Whether one of the languages is written in the script of this word."""
    script = unicodedata.name(word[0], "").partition(" ")[0]
    others = {one for names in _SCRIPTS.values() for one in names}
    codes = {tag.partition("_")[0] for tag in languages}
    return bool(codes - others) if script == "LATIN" else bool(codes & set(_SCRIPTS.get(script, ())))


class Spelling(QObject):
    """The dictionaries of this run, opened once there is something to look up.

    Attributes:
        speller: what knows the words; None while spelling is off, or dictionaries are being opened.

    Signals:
        changed: it did. wished: an intent that changes the preferences.
    """

    changed = Signal()
    wished = Signal(object)

    def __init__(self, opened: Callable[[tuple[str, ...]], Speller], tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._opened, self._tasks = opened, tasks
        self._preferences = Preferences(spelling=False)
        self._wanted: tuple[str, ...] | None = None
        self.speller: Speller | None = None

    @property
    def is_on(self) -> bool:
        return self._preferences.spelling

    def follow(self, preferences: Preferences) -> None:
        """Look words up, or no longer, as the preferences say now."""
        before, self._preferences = self._preferences, preferences
        names = ("spelling", "spelling_languages")
        if any(getattr(before, name) != getattr(preferences, name) for name in names):
            self.speller = self._wanted = None
            self.changed.emit()

    def need(self) -> Speller | None:
        """The dictionaries; opened behind the window where they aren't yet, then `changed` tells."""
        wanted = self.wanted()
        if self.is_on and wanted != self._wanted and is_looping():
            self._wanted = wanted
            self._tasks.spawn("open the dictionaries", self._open(wanted))
        return self.speller

    def wanted(self) -> tuple[str, ...]:
        """The languages that were chosen, else the system's and English, which much to a model is written in."""
        locale = QLocale.system()
        usual = dict.fromkeys((locale.name(), *locale.uiLanguages(), "en_US"))
        return self._preferences.spelling_languages or tuple(usual)

    def switch(self, on: bool) -> None:
        self._change(spelling=on)

    def choose(self, tags: tuple[str, ...]) -> None:
        """Use these dictionaries from now on."""
        self._change(spelling_languages=tags)

    def _change(self, **fields: Any) -> None:
        self.wished.emit(ChangePreferences(replace(self._preferences, **fields), self._preferences))

    async def _open(self, wanted: tuple[str, ...]) -> None:
        speller = await asyncio.to_thread(self._opened, wanted)
        if wanted == self._wanted:
            self.speller = speller
            self.changed.emit()


def is_looping() -> bool:
    """Whether tasks can begin: a timer may end when the program is on its way out."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def language_names(tags: tuple[str, ...]) -> dict[str, str]:
    """The names of languages in themselves, with the country where two have the same: `Deutsch (Schweiz)`."""
    names = {tag: QLocale(tag).nativeLanguageName() or tag for tag in tags}
    often = Counter(names[tag] for tag in tags if "_" in tag)
    return {
        tag: f"{name} ({QLocale(tag).nativeTerritoryName()})" if "_" in tag and often[name] > 1 else name
        for tag, name in names.items()
    }


class SpellMarks(QObject):
    """Underlines a field's words after a pause, and adds to its menu what else they could be."""

    def __init__(self, text: ComposerText, spelling: Spelling) -> None:
        super().__init__(text)
        self._text, self._spelling = text, spelling
        self._typed = False
        self._wait = single_shot(self, self.mark, PAUSE_MS)
        text.textChanged.connect(self._wait.start)
        text.cursorPositionChanged.connect(self._on_cursor)
        text.focused.connect(self._on_focus)
        text.menu_wished.connect(self._open_menu)
        spelling.changed.connect(self.mark)

    def _on_cursor(self) -> None:
        self._typed = self._text.is_typing
        self._wait.start()

    def _on_focus(self, here: bool) -> None:
        if not here:
            self._typed = False
            self._wait.start()

    def mark(self) -> None:
        """Underline what no dictionary has, but for the word that is being typed."""
        text = self._text.text()
        speller = self._spelling.need() if text and len(text) <= LONGEST else None
        spans: list[tuple[int, int]] = []
        if speller is not None:
            spans = [(at, at + len(word)) for at, word in prose_words(text) if self._is_wrong(speller, word)]
        here = len(self._text.before()) if self._typed else -1
        # A word that is still being written isn't wrong yet.
        shown = [span for span in spans if span[1] != here][:MOST_MARKED]
        look = QTextCharFormat()
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SpellCheckUnderline)
        look.setUnderlineColor(colour("err", theme_of(self._text)))
        self._text.set_marks(
            "spelling", [selection(self._text, span, look) for span in qt_spans(text, shown)]
        )

    @staticmethod
    def _is_wrong(speller: Speller, word: str) -> bool:
        return _is_written_by(speller.languages, word) and not speller.knows(word)

    def _open_menu(self, event: QContextMenuEvent) -> None:
        made = menu(self._text)
        mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        cursor = self._text.cursorForPosition(event.pos()) if mouse else self._text.textCursor()
        self._offer_words(made, cursor)
        standard = self._text.createStandardContextMenu(event.pos())
        standard.setParent(made, standard.windowFlags())  # its actions live as long as this menu
        made.addActions(standard.actions())
        self._offer_languages(made)
        made.popup(event.globalPos())

    def _offer_words(self, made: QMenu, cursor: QTextCursor) -> None:
        """Other words for the one at the cursor, where no dictionary has it."""
        speller, text = self._spelling.speller, self._text.text()
        at = cursor.position()
        found = next(
            (
                (start, word)
                for start, word in (prose_words(text) if speller is not None and len(text) <= LONGEST else ())
                if start <= at - self._astral(text, start) <= start + len(word)
            ),
            None,
        )
        if speller is None or found is None or not self._is_wrong(speller, found[1]):
            return
        (start, word), offered = found, speller.suggest(found[1])
        for one in offered:
            add_action(made, one.replace("&", "&&"), partial(self._replace, start, word, one))
        if not offered:
            made.addAction(tr("No suggestions")).setEnabled(False)
        add_action(made, tr("Add “{word}” to the dictionary").format(word=word), partial(self._learn, word))
        made.addSeparator()

    def _offer_languages(self, made: QMenu) -> None:
        speller = self._spelling.need()
        made.addSeparator()
        under = menu(made)
        under.setTitle(tr("Spelling"))
        made.addMenu(under)
        on = self._spelling.is_on
        add_action(under, tr("Check spelling"), partial(self._spelling.switch, not on), checked=on)
        if speller is None:
            return
        under.addSeparator()
        for tag, name in language_names(speller.available).items():
            chosen = tag in speller.languages
            others = tuple(one for one in speller.languages if one != tag)
            wanted = others if chosen else (*others, tag)
            action = add_action(under, name, partial(self._spelling.choose, wanted), checked=chosen)
            action.setEnabled(bool(wanted))
        if not speller.available:
            under.addAction(tr("No dictionaries: install enchant and hunspell’s")).setEnabled(False)

    def _learn(self, word: str) -> None:
        if self._spelling.speller is not None:
            self._spelling.speller.learn(word)
            self._spelling.changed.emit()

    def _replace(self, start: int, word: str, other: str) -> None:
        """Write another word, as one step that can be undone, if the word still stands there."""
        text = self._text.text()
        if text[start : start + len(word)] != word:
            return
        cursor = self._text.textCursor()
        cursor.setPosition(utf16_units(text[:start]))
        cursor.setPosition(utf16_units(text[: start + len(word)]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(other)

    @staticmethod
    def _astral(text: str, until: int) -> int:
        """How many places more Qt counts up to here."""
        return utf16_units(text[:until]) - until
