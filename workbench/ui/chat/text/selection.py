"""A selection across the blocks of one message: prose, code, tables and formulas, in reading order."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from workbench.ui.widgets.stack import Stack

SCROLL_MS, LEAST_STEP_PX, LONGEST_STEP_PX = 25, 4, 60


class Part(NamedTuple):
    """What is selected of one block, as positions in its text; without an `end`, everything from `start` on."""

    start: int = 0
    end: int | None = None


WHOLE = Part()


class Readable(Protocol):
    """What a selection needs of a block's widget."""

    def place_at(self, spot: QPoint) -> int:
        """The position in the text nearest to a point of the widget."""

    def word_at(self, place: int) -> tuple[int, int]:
        """Start and end of the word around a position."""

    def select_part(self, part: Part | None, seen: int | None = None) -> None:
        """Show a part as selected, or nothing; a position given as `seen` is scrolled into view."""

    def text_of(self, part: Part) -> str:
        """The text of a part, as it is copied."""


class Holder(Stack):
    """The widget that holds the blocks of a message."""

    @abstractmethod
    def readables(self) -> Sequence[Readable]: ...


class Selection(QObject):
    """The selection in a message, which the mouse, keys and menus of all its blocks change.

    It refers to widgets only while something is selected: a reference cycle is left to the garbage collector, which
    may run in another thread than theirs.
    """

    def __init__(self, holder: Holder) -> None:
        super().__init__(holder)
        self._origin: Readable | None = None
        self._first, self._by_words = (0, 0), False
        self._parts: dict[Readable, Part] = {}
        self._all = False
        self._scroll: QTimer | None = None

    def parts(self) -> dict[Readable, Part]:
        return dict(self._parts)

    def text(self) -> str:
        """The selected text as it is copied: an empty line between blocks, code as it was written."""
        wanted = [block.text_of(self._parts[block]) for block in self._blocks() if block in self._parts]
        return "\n\n".join(text for text in wanted if text)

    def copy(self) -> None:
        """Copy the selected text; with nothing selected, leave the clipboard alone."""
        text = self.text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def begin(self, block: Readable, first: tuple[int, int], *, by_words: bool = False) -> None:
        """Begin at a press of the button: `first`, a position or a word, stays selected while dragging."""
        self._clear_others()
        self._origin, self._first, self._by_words = block, first, by_words
        self._show({block: Part(*first)} if first[0] != first[1] else {})

    def drag_to(self, spot: QPoint) -> None:
        blocks = self._blocks()
        if self._origin is None or self._origin not in blocks:
            return
        block, place = self._block_at(blocks, self._holder().mapFromGlobal(spot))
        origin, target = blocks.index(self._origin), blocks.index(block)
        if origin == target:
            self._show_within(self._origin, place)
        else:
            first, last = min(origin, target), max(origin, target)
            wanted = dict.fromkeys(blocks[first : last + 1], WHOLE)
            below = target > origin
            wanted[self._origin] = Part(self._first[0]) if below else Part(0, self._first[1])
            start, end = self._extended_to_word(block, place)
            wanted[block] = Part(0, end) if below else Part(start)
            self._show(wanted)
        self._scroll_towards(spot)

    def release(self) -> None:
        """End dragging, and with it the automatic scrolling."""
        if self._scroll is not None:
            self._scroll.stop()

    def select_all(self) -> None:
        self._clear_others()
        blocks = self._blocks()
        self._origin, self._first = (blocks[0], (0, 0)) if blocks else (None, (0, 0))
        self._show(dict.fromkeys(blocks, WHOLE))
        self._all = True

    def clear(self) -> None:
        self.release()
        self._origin = None
        self._show({})

    def renew(self) -> None:
        """After the blocks changed, keep the selection in those that are left; a selection of all stays one of all."""
        if not self._parts:
            return
        blocks = self._blocks()
        kept = {block: part for block, part in self._parts.items() if block in blocks}
        self._parts = dict.fromkeys(blocks, WHOLE) if self._all else kept
        for block, part in self._parts.items():
            block.select_part(part)

    def _show_within(self, block: Readable, place: int) -> None:
        start, end = self._extended_to_word(block, place)
        part = Part(min(start, self._first[0]), max(end, self._first[1]))
        for other in [other for other in self._parts if other is not block]:
            other.select_part(None)
        self._parts = {block: part} if part.start != part.end else {}
        block.select_part(part, place)

    def _holder(self) -> Holder:
        holder = self.parent()
        assert isinstance(holder, Holder)
        return holder

    def _blocks(self) -> Sequence[Readable]:
        return self._holder().readables()

    def _extended_to_word(self, block: Readable, place: int) -> tuple[int, int]:
        return block.word_at(place) if self._by_words else (place, place)

    def _show(self, wanted: dict[Readable, Part]) -> None:
        before, self._parts, self._all = self._parts, wanted, False
        for block in before:
            if block not in wanted:
                block.select_part(None)
        for block, part in wanted.items():
            if before.get(block) != part:
                block.select_part(part)

    def _block_at(self, blocks: Sequence[Readable], spot: QPoint) -> tuple[Readable, int]:
        found = blocks[0]
        for block in blocks:
            if _widget(block).y() > spot.y():
                break
            found = block
        return found, found.place_at(spot - _widget(found).pos())

    def _clear_others(self) -> None:
        """Clear the selections of other messages, so that there is only one."""
        outermost: QWidget = self._holder()
        while isinstance(outermost.parentWidget(), Stack):
            outermost = outermost.parentWidget()
        others: Iterable[Selection] = outermost.findChildren(Selection)
        for other in others:
            if other is not self:
                other.clear()

    def _scroll_towards(self, spot: QPoint) -> None:
        area = self._scroll_area()
        if area is None or not self._scroll_distance(area, spot):
            self.release()
            return
        if self._scroll is None:
            self._scroll = QTimer(self)
            self._scroll.setInterval(SCROLL_MS)
            self._scroll.timeout.connect(self._scroll_step)
        if not self._scroll.isActive():
            self._scroll.start()

    def _scroll_step(self) -> None:
        area, spot = self._scroll_area(), QCursor.pos()
        if area is not None:
            bar = area.verticalScrollBar()
            bar.setValue(bar.value() + self._scroll_distance(area, spot))
        self.drag_to(spot)

    def _scroll_area(self) -> QAbstractScrollArea | None:
        above: QWidget | None = self._holder().parentWidget()
        while above is not None and not isinstance(above, QAbstractScrollArea):
            above = above.parentWidget()
        return above

    def _scroll_distance(self, area: QAbstractScrollArea, spot: QPoint) -> int:
        """How far to scroll for a point beyond the edge: the further out, the more."""
        y, height = area.viewport().mapFromGlobal(spot).y(), area.viewport().height()
        beyond = y if y < 0 else max(0, y - height)
        if not beyond:
            return 0
        size = min(max(abs(beyond) // 2, LEAST_STEP_PX), LONGEST_STEP_PX)
        return size if beyond > 0 else -size


def _widget(block: Readable) -> QWidget:
    assert isinstance(block, QWidget)
    return block


# Where stretches of a written text stand in what is shown of it: marks of Markdown are left out there.


_WORD = re.compile(r"\w+|[^\w\s]")
_REACH = 4_000
"""How far ahead in the source a shown word is looked for; a word not found is not in the source."""


class Mark(NamedTuple):
    """A range of a text to be marked; a strong one more than others.

    `look` is the style of a line under it with the name of its colour, for a fact; empty for what a piece carried.
    """

    start: int
    end: int
    strong: bool = False
    look: tuple[str, str] = ("", "")


def marks_in(source: str, texts: Sequence[str], marks: Sequence[Mark]) -> list[list[Mark]]:
    """The marks of a source text in each of the texts shown for it, word by word."""
    found: list[list[Mark]] = []
    for words in _words_of_source(source, texts):
        placed: list[tuple[Mark, int]] = []
        for word, start, end in words:
            number = _mark_at(start, end, marks)
            if number is not None:
                placed.append((marks[number]._replace(start=word.start(), end=word.end()), number))
        found.append(_joined(placed))
    return found


def numbered_in(
    source: str, texts: Sequence[str], ranges: Sequence[tuple[int, int]]
) -> list[list[tuple[int, int, int]]]:
    """Where ranges of a source text, in order and apart, stand in the texts shown for it, each with its number."""
    number = 0
    found: list[list[tuple[int, int, int]]] = []
    for words in _words_of_source(source, texts):
        own: list[tuple[int, int, int]] = []
        for word, start, end in words:
            while number < len(ranges) and ranges[number][1] <= start:
                number += 1
            if number < len(ranges) and ranges[number][0] < end:
                goes_on = own and own[-1][2] == number
                own.append((own.pop()[0] if goes_on else word.start(), word.end(), number))
        found.append(own)
    return found


def _words_of_source(source: str, texts: Iterable[str]) -> Iterator[list[tuple[re.Match[str], int, int]]]:
    """The words of each text that is shown, with where they begin and end in the source."""
    at = 0
    for text in texts:
        words: list[tuple[re.Match[str], int, int]] = []
        for word in _WORD.finditer(text):
            place = source.find(word.group(), at, at + _REACH)
            if place >= 0:
                at = place + len(word.group())
                words.append((word, place, at))
        yield words


def _mark_at(start: int, end: int, marks: Sequence[Mark]) -> int | None:
    return next((n for n, one in enumerate(marks) if one.start < end and start < one.end), None)


def _joined(placed: Sequence[tuple[Mark, int]]) -> list[Mark]:
    """The words of the same range as one mark."""
    joined: list[tuple[Mark, int]] = []
    for mark, number in placed:
        goes_on = joined and joined[-1][1] == number
        start = joined.pop()[0].start if goes_on else mark.start
        joined.append((mark._replace(start=start), number))
    return [mark for mark, _ in joined]
