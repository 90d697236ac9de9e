"""Finds words in the chat in view: the bar they are typed in, where they stand, and the way from one to the next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.ui import formatting
from workbench.ui.chat.messages.feed import Answer, Item, Note, Question, key_of
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.messages.tool_line import CALL, LONGEST_SHOWN
from workbench.ui.chat.messages.tool_words import command_words, record_text
from workbench.ui.chat.transcript.transcript import Transcript
from workbench.ui.look.space import S2, S4, columns, fill
from workbench.ui.widgets.buttons import tool_button
from workbench.ui.widgets.choice import Check, Field
from workbench.ui.widgets.found_words import MOST_MARKED, wanted
from workbench.ui.widgets.labels import label, set_text

BATCH_MS = 8
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
TEXT, THINKING = "text", "thinking"
"""The parts of a message: its words and the thoughts before them; the calls below them have numbers."""
# What Markdown does not show: where a link leads, and the language of code.
_UNSEEN = re.compile(r"(?<=\])\([^()\s]*\)|^[ \t]*`{3,}[^\n`]*$", re.MULTILINE)


class Finder(QObject):
    """Holds what was found, marks it in the messages that have widgets, and goes from one match to the next.

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
        self._looked = 0
        self._matches: list[Match] = []
        self._current: Match | None = None
        self._marked = False
        self._from, self._go = "", False
        self._turns = QTimer(self)
        self._turns.timeout.connect(self._look_on)
        bar.changed.connect(self._on_changed)
        bar.stepped.connect(self.step)
        bar.closed.connect(self.close)
        transcript.settled.connect(self._mark_shown)

    def open(self) -> None:
        """Let words be typed; what was found before is found again."""
        self.bar.begin()
        self._on_changed()

    def show_words(self, chat: str, message: str, words: Sequence[str]) -> None:
        """Mark words that were found elsewhere, beginning with a message; the chat may not be in view yet."""
        self._awaited = chat
        self._given = (" ".join(words), tuple(words))
        self.bar.set_words(self._given[0])
        self.bar.show()
        self._from = message
        self._begin(wanted(words), go=True)

    def step(self, by: int) -> None:
        """Go to the next match, or the one before; after the last comes the first."""
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
        self._begin(None, go=False)
        self.left.emit()

    def is_open(self) -> bool:
        return not self.bar.isHidden()

    def matches(self) -> tuple[Match, ...]:
        return tuple(self._matches)

    def current(self) -> Match | None:
        return self._current

    def refresh(self, chat: str) -> None:
        """The chat may have changed: look through what is new in it; in another chat the search is over."""
        if chat != self._chat:
            self._chat, self._known = chat, {}
            if self.is_open() and chat != self._awaited:
                self.close()
        if self._pattern is not None and self._transcript.column.items() is not self._items:
            self._search_again()

    def finish(self) -> None:
        """Look through all that is left now; for tests and pictures."""
        while self._turns.isActive():
            self._look_on()

    def _on_changed(self) -> None:
        words = self.bar.field.text()
        if words == self._given[0] and self._given[1]:
            pattern = wanted(self._given[1], match_case=self.bar.case.isChecked())
        else:
            self._given = ("", ())
            pattern = wanted((words,), match_case=self.bar.case.isChecked())
        self._from = self._from or self._first_in_sight()
        self._begin(pattern, go=bool(words.strip()))

    def _begin(self, pattern: re.Pattern[str] | None, *, go: bool) -> None:
        self._pattern, self._go = pattern, go
        self._known, self._current = {}, None
        self._search_again()
        self._mark_shown()

    def _search_again(self) -> None:
        """Begin at the top; messages that were looked through already cost nothing."""
        self._items = self._transcript.column.items()
        self._looked, self._matches = 0, []
        if self._pattern is None:
            self._turns.stop()
            return
        self._turns.start(0)
        self._look_on()

    def _look_on(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        pattern = self._pattern
        while pattern is not None and self._looked < len(self._items) and clock.elapsed() < BATCH_MS:
            self._matches.extend(self._matches_of(self._items[self._looked], pattern))
            self._looked += 1
        searching = self._looked < len(self._items)
        if not searching:
            self._turns.stop()
        self._choose(searching)
        self.bar.show_count(self._index(), len(self._matches), searching=searching)

    def _matches_of(self, item: Item, pattern: re.Pattern[str]) -> tuple[Match, ...]:
        said = _said(item)
        known = self._known.get(item.key)
        if known is None or known[0] != said:
            known = self._known[item.key] = (said, matches_in(item, pattern))
        return known[1]

    def _choose(self, searching: bool) -> None:
        """Go to the first match at or below where one reads; where there is none below, to the first of all."""
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
        self.bar.show_count(self._index(), len(self._matches), searching=self._turns.isActive())

    def _mark_shown(self) -> None:
        """Mark what has widgets now; those that show the same as before are left alone."""
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


def _said(item: Item) -> object:
    """What of an item is searched; where it stands in the request is not."""
    if isinstance(item, Question | Note):
        return item.record
    return (item.record, item.calls) if isinstance(item, Answer) else item.key


class FindBar(QWidget):
    """A field, how many there are, and the ways to the next one.

    Signals:
        changed: other words, or another case. stepped: forwards (1) or backwards (-1). closed: it is wanted no longer.
    """

    changed = Signal()
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chrome")
        self.field = Field(self.tr("Find in this chat"), icon="search")
        self.count = label("", "small", "t2")
        self.count.setMinimumWidth(96)
        self.case = Check(self.tr("Match case"))
        self.previous = tool_button(
            "chevron-up", self.tr("Previous match"), self.tr("Previous match (Shift+F3)")
        )
        self.next = tool_button("chevron-down", self.tr("Next match"), self.tr("Next match (F3)"))
        self.close_it = tool_button("x", self.tr("Close the search"), self.tr("Close (Esc)"))
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
        """Show it, with everything in the field selected to be typed over."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def set_words(self, words: str) -> None:
        """Put words into the field without telling anyone."""
        with QSignalBlocker(self.field):
            self.field.setText(words)

    def show_count(self, current: int | None, total: int, *, searching: bool = False) -> None:
        if not self.field.text().strip():
            words = ""
        elif not total:
            words = self.tr("Searching…") if searching else self.tr("Not found")
        else:
            words = self.tr("{n} of {total}").format(
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
    """One match: the message, the part of it, and which of that part's matches it is."""

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
