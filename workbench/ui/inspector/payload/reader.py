"""The middle of the payload page: the outline, the text in the chosen writing, and what is looked for in it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Literal, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.domain.wire_form import WireForm
from workbench.ui.inspector.payload.curl_text import curl_text
from workbench.ui.inspector.payload.document import Identity, document_of
from workbench.ui.inspector.payload.json_text import json_text
from workbench.ui.inspector.payload.lines import Windows
from workbench.ui.inspector.payload.outline import Outline
from workbench.ui.inspector.payload.view import PayloadView
from workbench.ui.inspector.payload.written import WrittenText, messages_text
from workbench.ui.look.space import columns, fill
from workbench.ui.widgets.empty import EmptyState
from workbench.ui.widgets.hairline import Hairline

# Where words stand in a text, folded or not.

MOST_HITS = 10_000

Hit = tuple[int, int]


def find_all(text: str, words: str) -> list[Hit]:
    """Every place of the words, whatever their case; the first ten thousand."""
    if not words:
        return []
    lowered, wanted = text.lower(), words.lower()
    if len(lowered) != len(text):
        # A few letters are longer in lower case; their places would be off.
        found = re.finditer(re.escape(words), text, re.IGNORECASE)
        return [hit.span() for hit, _ in zip(found, range(MOST_HITS), strict=False)]
    hits: list[Hit] = []
    at = lowered.find(wanted)
    while at >= 0 and len(hits) < MOST_HITS:
        hits.append((at, at + len(wanted)))
        at = lowered.find(wanted, at + len(wanted))
    return hits


def next_hit(hits: list[Hit], behind: int) -> int:
    """The first hit that begins at a place or after it; from the end it goes on at the beginning."""
    return bisect_left(hits, (behind, 0)) % len(hits)


def hit_before(hits: list[Hit], before: int) -> int:
    """The last hit that begins before a place; from the beginning it goes on at the end."""
    return (bisect_right(hits, (before, -1)) - 1) % len(hits)


Writing = Literal["messages", "json", "curl"]


class Found(NamedTuple):
    """Which hit is shown, of how many; `more` where they were too many to count."""

    number: int = 0
    hits: int = 0
    more: bool = False


class PayloadReader(QStackedWidget):
    """Signals: `picked` tells which row was chosen in the outline or in the text."""

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.outline = Outline()
        self.text = PayloadView()
        self.empty = EmptyState("layers", "", "")
        self._written: WrittenText | None = None
        self._writing: Writing = "messages"
        self._opened: dict[Writing, dict[Identity, Windows]] = {"messages": {}, "json": {}, "curl": {}}
        self._words = ""
        self._hits: list[Hit] = []
        self._hit = -1
        both = QWidget()
        fill(columns(both), self.outline, Hairline(upright=True), (self.text, 1))
        self.addWidget(both)
        self.addWidget(self.empty)
        self.outline.picked.connect(self.picked)
        self.text.picked.connect(self.picked)

    def show_request(self, view: EnvelopeView | None, form: WireForm | None, writing: Writing) -> None:
        """Show a request in one of three writings; one that cannot be written so says why."""
        written = _write(form, writing) if form is not None else None
        if writing != self._writing or written is None:
            self.text.show_payload(None)
        self._writing, self._written = writing, written
        self.outline.show_view(view)
        if view is None or form is None or written is None:
            self.empty.say(*self._absence(view, form))
            self.setCurrentIndex(1)
        else:
            self.text.show_payload(document_of(view, form, written, self._opened[writing]))
            self.setCurrentIndex(0)
        self._look()

    def forget(self) -> None:
        """Fold everything again: another request is shown."""
        for opened in self._opened.values():
            opened.clear()
        self.text.show_payload(None)

    def select(self, key: RowKey | None) -> None:
        """Mark a row in the outline and its bytes in the text."""
        self.outline.select(key)
        self.text.select(key)

    def whole_text(self) -> str:
        """All of it, folded or not."""
        return self._written.text if self._written is not None else ""

    def look_for(self, words: str) -> Found:
        """Look for words, and go to the first hit behind where the cursor is."""
        self._words = words
        self._look()
        if self._hits:
            self._go(next_hit(self._hits, self.text.cursor_character()))
        return self.found()

    def step(self, by: int) -> Found:
        """Go to the next hit, or to the one before."""
        if self._hits:
            at = self.text.cursor_character()
            shown = self._hits[self._hit] if self._hit >= 0 else None
            start = shown[0] if shown is not None else at
            self._go(next_hit(self._hits, start + 1) if by > 0 else hit_before(self._hits, start))
        return self.found()

    def found(self) -> Found:
        return Found(self._hit + 1, len(self._hits), len(self._hits) >= MOST_HITS)

    def _look(self) -> None:
        shown = self._hits[self._hit] if self._hit >= 0 else None
        self._hits = find_all(self.whole_text(), self._words)
        self._hit = self._hits.index(shown) if shown in self._hits else -1

    def _go(self, hit: int) -> None:
        self._hit = hit
        self.text.reveal(*self._hits[hit])

    def _absence(self, view: EnvelopeView | None, form: WireForm | None) -> tuple[str, str]:
        if view is None:
            return (
                self.tr("Nothing to send yet"),
                self.tr("Write a message: its request is shown here, byte for byte."),
            )
        if form is None:
            return (
                self.tr("No bytes to show"),
                self.tr(
                    "The model of this request is not known here, so it cannot be written as it would be sent."
                ),
            )
        if self._writing == "curl":
            return self.tr("No address to send to"), self.tr(
                "This model runs without a server; a command could not ask it."
            )
        return self.tr("No body"), self.tr("This model is asked without a JSON document; see Messages.")


def _write(form: WireForm, writing: Writing) -> WrittenText | None:
    match writing:
        case "messages":
            return messages_text(form)
        case "json":
            return json_text(form) if form.body else None
        case "curl":
            return curl_text(form) if form.url and form.body else None
