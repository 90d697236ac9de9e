"""A written request cut into the lines that the Payload view shows; long pieces are folded, but nothing is lost.

A line here is a paragraph of the view. It ends where the text has a line end, where a piece ends, in a JSON string
behind every `\\n`, and after so many characters that no single paragraph can hold the window up.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.ui.inspector.payload.written import WrittenText
from workbench.ui.widgets.plain import utf16_units

LONGEST_LINE = 1_000
SHOWN_LINES, SHOWN_CHARACTERS = 6, 700
"""A piece within both limits is never folded."""
HEAD_LINES, HEAD_CHARACTERS = 3, 300
"""How much of a folded piece stays visible."""
OPENED_LINES, OPENED_CHARACTERS = 400, 60_000
"""How much one click on a fold shows; more would cause a noticeable delay."""

Window = tuple[int, int]
"""A visible range of a section, counted from the section's start so that it stays valid when text before it grows."""
Windows = tuple[Window, ...]


class Section(NamedTuple):
    """A range of the text that folds on its own: a piece, encoded bytes, text between; empty for a message's head."""

    start: int
    end: int
    span: int | None = None
    message: int | None = None
    encoded: bool = False


class Line(NamedTuple):
    """One paragraph of the view, and the range of its section that it shows; a fold hides its range."""

    kind: Literal["role", "text", "fold"]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sections:
    """All sections of a text, in order."""

    written: WrittenText
    all: tuple[Section, ...]

    def at(self, place: int) -> int:
        """Number of the section that holds the character at a place of the text."""
        found = bisect_right(self.all, place, key=lambda section: section.start) - 1
        while found > 0 and self.all[found].message is not None and found + 1 < len(self.all):
            found += 1
        return max(found, 0)


def cut(written: WrittenText) -> Sections:
    """Cut a text into sections."""
    return Sections(written, tuple(_sections(written)))


def _sections(written: WrittenText) -> Iterator[Section]:
    heads = deque(written.heads)
    at = 0
    for number, span in enumerate(written.spans):
        while heads and heads[0].at <= span.start and heads[0].message <= span.message:
            yield Section(heads[0].at, heads[0].at, message=heads.popleft().message)
        if span.start > at and written.between:
            yield from _between(written, at, span.start)
        yield Section(span.start, span.end, number)
        at = span.end
    for head in heads:
        yield Section(head.at, head.at, message=head.message)
    if at < len(written.text) and written.between:
        yield from _between(written, at, len(written.text))


def _between(written: WrittenText, start: int, end: int) -> Iterator[Section]:
    """The text between two pieces as sections; encoded bytes in it get sections of their own."""
    for first, last in written.encoded:
        if start <= first and last <= end:
            yield Section(start, first)
            yield Section(first, last, encoded=True)
            start = last
    yield Section(start, end)


def section_lines(sections: Sections, number: int, opened: Windows = ()) -> Iterator[Line]:
    """The lines of one section, with a fold for each hidden part; `opened` are the parts that were unfolded."""
    section = sections.all[number]
    if section.message is not None:
        yield Line("role", 0, 0)
        return
    at, length = 0, section.end - section.start
    inside = ((min(start, length), min(end, length)) for start, end in opened)
    for start, end in merged((first_window(sections, number), *inside)):
        if start > at:
            yield Line("fold", at, start)
        for line_start, line_end in split(sections.written, section.start + start, section.start + end):
            yield Line("text", line_start - section.start, line_end - section.start)
        at = end
    if at < length:
        yield Line("fold", at, length)


def first_window(sections: Sections, number: int) -> Window:
    """The part of a section that is visible before anything is unfolded."""
    section = sections.all[number]
    if section.encoded:
        return 0, 0
    if _is_short(sections.written, section):
        return 0, section.end - section.start
    end = _lines_end(sections.written, section.start, section.end, HEAD_LINES)
    return 0, min(end - section.start, HEAD_CHARACTERS)


def opened_from(sections: Sections, number: int, fold: Window) -> Window:
    """The part that a click on a fold shows: all of it, or only its beginning if it is long."""
    first = sections.all[number].start
    end = _lines_end(sections.written, first + fold[0], first + fold[1], OPENED_LINES)
    return fold[0], min(end - first, fold[0] + OPENED_CHARACTERS)


def opened_around(sections: Sections, place: int) -> tuple[int, Window]:
    """The section of a place in the text, and a window of a few lines around it."""
    number = sections.at(place)
    section, written = sections.all[number], sections.written
    start = _line_start(written, max(section.start, place - HEAD_CHARACTERS), section.start, place)
    end = _lines_end(written, place, section.end, HEAD_LINES)
    return number, (start - section.start, min(end, place + OPENED_CHARACTERS) - section.start)


def merged(windows: Sequence[Window]) -> Windows:
    """The windows in order, with those that touch joined."""
    if len(windows) == 1:
        return tuple(windows)
    kept: list[Window] = []
    for start, end in sorted(windows):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return tuple(kept)


def split(written: WrittenText, start: int, end: int) -> Iterator[Window]:
    """Start and end of each line in a part of the text, its line end included."""
    at = start
    while at < end:
        stop = min(_line_end(written, at, end), at + LONGEST_LINE)
        yield at, stop
        at = stop


def line_ends(written: WrittenText, start: int, end: int) -> int:
    """How many line ends there are in a part of the text."""
    if not written.escaped:
        return written.text.count("\n", start, end)
    part = written.text[start:end]
    return part.count("\n") + part.replace("\\\\", "").count("\\n")


def _is_short(written: WrittenText, section: Section) -> bool:
    if section.span is None or section.end - section.start > SHOWN_CHARACTERS:
        return section.span is None and section.end - section.start <= OPENED_CHARACTERS
    return line_ends(written, section.start, section.end) <= SHOWN_LINES


def _line_end(written: WrittenText, start: int, end: int) -> int:
    """Where the line that begins at `start` ends, behind its line end."""
    plain = written.text.find("\n", start, end)
    limit = end if plain < 0 else plain + 1
    at = start
    while written.escaped:
        found = written.text.find("\\n", at, limit)
        if found < 0:
            break
        if _is_escape(written.text, found, start):
            return found + 2
        at = found + 1
    return limit


def _line_start(written: WrittenText, start: int, first: int, place: int) -> int:
    """Where the first line after `start` begins; `start` itself if none begins before `place`."""
    end = _line_end(written, start, place)
    return end if first < start < end < place else start


def _is_escape(text: str, backslash: int, first: int) -> bool:
    """Whether the backslash begins an escape; it does not where it is the second of a pair."""
    run = backslash
    while run > first and text[run - 1] == "\\":
        run -= 1
    return (backslash - run) % 2 == 0


def _lines_end(written: WrittenText, start: int, end: int, lines: int) -> int:
    at = start
    for _ in range(lines):
        if at >= end:
            break
        at = min(_line_end(written, at, end), at + LONGEST_LINE)
    return at


# Characters that hide or act, made visible; and the way between what is shown and what stands there.
#
# Qt counts UTF-16 units of what is shown, we count characters of what is sent.


# Controls except tab and line end, separators that Qt would break lines at, marks that reorder or join, letters
# that are invisible, lone surrogates, characters that Qt keeps for itself, tags. A variation selector is left alone
# only where it belongs: behind something that can be an emoji.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff]|(?<![\xa9\xae0-9#*\u203c-\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
)
_NAMES = {
    "\x00": "NUL", "\x07": "BEL", "\x08": "BS", "\x0b": "VT", "\x0c": "FF", "\r": "CR", "\x1b": "ESC",
    "\x7f": "DEL", "\u00ad": "SHY", "\u061c": "ALM", "\u200b": "ZWSP", "\u200c": "ZWNJ", "\u200d": "ZWJ",
    "\u200e": "LRM", "\u200f": "RLM", "\u2028": "LS", "\u2029": "PS", "\u202a": "LRE", "\u202b": "RLE",
    "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO", "\u2060": "WJ", "\u2066": "LRI", "\u2067": "RLI",
    "\u2068": "FSI", "\u2069": "PDI", "\ufeff": "BOM",
}  # fmt: skip


def visible(text: str) -> str:
    """The text as it is shown: invisible and control characters are written out, as in ⟨RLO⟩."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: mark(found.group()), text)


def mark(letter: str) -> str:
    """What is shown in place of an invisible or control character."""
    return f"⟨{_NAMES.get(letter) or f'U+{ord(letter):04X}'}⟩"


def marked_ranges(text: str) -> list[tuple[int, int]]:
    """Start and length of each such mark in the shown text, in UTF-16 units."""
    found, at, end = [], 0, 0
    for hit in _HIDDEN.finditer(text):
        at += utf16_units(text[end : hit.start()])
        length = utf16_units(mark(hit.group()))
        found.append((at, length))
        at += length
        end = hit.end()
    return found


def shown_offset(text: str, place: int) -> int:
    """Where a character of the text begins in the shown text, in UTF-16 units."""
    # Cut after showing would cut marks; cut before it, a selector at the cut could lose what it belongs to.
    whole = [hit for hit in _HIDDEN.finditer(text) if hit.start() < place]
    return utf16_units(text[:place]) + sum(
        utf16_units(mark(hit.group())) - utf16_units(hit.group()) for hit in whole
    )


def source_offset(text: str, shown_units: int) -> int:
    """The character of the text that is shown at an offset; within a mark, the character it replaces."""
    at, place = 0, 0
    for hit in _HIDDEN.finditer(text):
        plain = text[place : hit.start()]
        step = utf16_units(plain)
        if at + step > shown_units:
            break
        at, place = at + step, hit.start()
        length = utf16_units(mark(hit.group()))
        if at + length > shown_units:
            return place
        at, place = at + length, hit.end()
    return place + _characters(text[place:], shown_units - at)


def _characters(text: str, wanted_units: int) -> int:
    """How many characters the first UTF-16 units of a text are; half a surrogate pair does not count."""
    if text.isascii():
        return min(wanted_units, len(text))
    at = 0
    for number, letter in enumerate(text):
        at += 2 if letter > "\uffff" else 1
        if at > wanted_units:
            return number
    return len(text)
