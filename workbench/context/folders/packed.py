"""Packs the sections of many files into index segments: a few arrays each, which open at once and are never changed.

A segment holds some files. What a word is worth in a section, and in a file as a whole, is computed when the segment is
packed, in 80ths: a question only multiplies it with the word's rarity. Numbers are little-endian.
"""

from __future__ import annotations

import re
import struct
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from zlib import crc32

from workbench.context.recall.terms import counted
from workbench.context.shorten.outline import SectionSize, sections_of
from workbench.domain.errors import WorkbenchError
from workbench.domain.files.document import PLAIN_KINDS, Document
from workbench.domain.translation import tr

SCALE = 80
SECTION_SIZE = SectionSize(150, 220, 360, between_words=True)
"""Short sections: a quarter of a small window then quotes three dozen files rather than eight."""
LONGEST_TEXT = 4_000_000
"""Characters of a file that are indexed; what comes after is not found."""
_MAGIC, VECTORS = b"FOLDSEG2", b"FOLDVEC1"
_PARTS = 17
_K1 = 1.2
_SECTION_B, _SECTION_USUAL = 0.5, 60.0
_FILE_B, _FILE_USUAL = 0.75, 600.0
_HEADING, _TITLE, _LEAD = 0.8, 1.5, 1.0  # what standing there adds, beside at most 2.2 for the text
_LEAD_CHARS = 900
_LIST = 0.5
_PATH = re.compile(r"[^\W_]+")


class SegmentBroken(WorkbenchError):
    """A stored segment is not what was written; its files are read again."""


@dataclass(frozen=True, slots=True)
class IndexedSection:
    """A section of an indexed file: its characters, its lines from 1 on, what it is called, its number in its lines."""

    start: int
    end: int
    first_line: int
    last_line: int
    title: str
    piece: int = 1

    @property
    def anchor(self) -> str:
        return f"L{self.first_line}-{self.last_line}" + (f".{self.piece}" if self.piece > 1 else "")


@dataclass(slots=True)
class _Postings:
    """By word, places of two bytes, each with its worth in one, which garbage collection passes over.

    It looked through hundreds of thousands of arrays, and held up everyone for 180 ms.
    """

    lists: defaultdict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))

    def add(self, place: int, worths: Mapping[str, float]) -> None:
        packed = {
            worth: bytes((place & 255, place >> 8, max(1, min(255, round(SCALE * worth)))))
            for worth in set(worths.values())
        }
        for stem, worth in worths.items():
            self.lists[stem] += packed[worth]

    def packed(self, stems: Sequence[bytes]) -> tuple[bytes, bytes, bytes]:
        """Where the list of each word ends; and all lists of places, and of worths."""
        found = [self.lists.get(stem.decode(), b"") for stem in stems]
        ends = array("I", accumulate((len(one) // 3 for one in found), initial=0))
        joined = b"".join(found)
        places = bytearray(2 * ends[-1])
        places[::2], places[1::2] = joined[::3], joined[1::3]
        return _little(ends), bytes(places), joined[2::3]


@dataclass(slots=True)
class SegmentWriter:
    """Collects files for one segment.

    Attributes:
        chars: how long their texts are together.
    """

    chars: int = 0
    _files: list[str] = field(default_factory=list)
    _titles: list[str] = field(default_factory=list)
    _numbers: dict[str, array[int]] = field(
        default_factory=lambda: {name: array("I") for name in ("file", "start", "end", "first", "last")}
    )
    _sections: _Postings = field(default_factory=_Postings)
    _whole: _Postings = field(default_factory=_Postings)

    def __len__(self) -> int:
        return len(self._files)

    @property
    def full(self) -> bool:
        """Whether the next file belongs into another segment."""
        return self.chars >= _MOST_CHARS or len(self._titles) >= _MOST_SECTIONS or len(self) >= _MOST_FILES

    def add(self, path: str, document: Document) -> Generator[None, None, None]:
        """Index a file, in time slices; the sections of a very long one end where the segment is full."""
        text = document.text[:LONGEST_TEXT]
        number, words, length = len(self._files), dict[str, int](), 0
        self._files.append(path)
        self.chars += len(text)
        sections = document_sections(path, document)
        title, heading = "", dict[str, int]()
        for section in sections:
            if len(self._titles) >= _MOST_PLACES:
                break
            piece = text[section.start : section.end]
            counts, kept, _ = counted(piece)
            part = _part_of_prose(piece, kept)
            worths = _saturated(counts, kept, _SECTION_B, _SECTION_USUAL, part)
            if section.title != title:
                title, heading = section.title, counted(section.title)[0]
            for stem in heading:
                worths[stem] = worths.get(stem, 0.0) + _HEADING
            self._sections.add(len(self._titles), worths)
            self._note(number, section)
            length += kept
            for stem, n in counts.items():
                words[stem] = words.get(stem, 0) + n
            yield
        title = next((one.title for one in sections if one.title), "")
        self._whole.add(number, _worth_of_file(f"{title}\n{_spaced(path)}", text, words, length))

    def _note(self, number: int, section: IndexedSection) -> None:
        row = (number, section.start, section.end, section.first_line, section.last_line)
        for numbers, value in zip(self._numbers.values(), row, strict=True):
            numbers.append(value)
        self._titles.append(" ".join(section.title.split()))

    def packed(self) -> bytes:
        """The segment as bytes."""
        stems = [stem.encode() for stem in self._whole.lists]
        titles = [title.encode() for title in self._titles]
        parts = [
            b"".join(stems),
            _little(array("I", accumulate(map(len, stems), initial=0))),
            _little(_slots(stems)),
            "\n".join(self._files).encode(),
            b"".join(titles),
            _little(array("I", accumulate(map(len, titles), initial=0))),
            *map(_little, self._numbers.values()),
            *self._sections.packed(stems),
            *self._whole.packed(stems),
        ]
        return b"".join((_MAGIC, *(struct.pack("<I", len(part)) for part in parts), *parts))


_MOST_CHARS, _MOST_SECTIONS, _MOST_FILES, _MOST_PLACES = 2_000_000, 20_000, 2_000, 65_000


def document_sections(path: str, document: Document) -> list[IndexedSection]:
    """The sections of a document, called after its headings or pages."""
    # What a reader made of a page or a book has headings as Markdown has them, whatever its file is called.
    name = path if document.read_as.kind in PLAIN_KINDS else "document.md"
    text = document.text[:LONGEST_TEXT]
    found, page, pages = [], 0, document.pages
    for one in sections_of(name, text, SECTION_SIZE):
        if not text[one.start : one.end].strip():
            continue
        while page + 1 < len(pages) and pages[page + 1].start <= one.start:
            page += 1
        title = one.title or (pages[page].title if pages else "")
        found.append(IndexedSection(one.start, one.end, one.first_line, one.last_line, title))
    return found


def _part_of_prose(text: str, kept: int) -> float:
    """What is little else than names counts less, such as an index or a list of links: they have all words.

    It is told by how many words are no stop words, where words stand between blanks.
    """
    if not text.isascii() and max(text) >= "\u2e80":
        return 1.0
    share = kept / max(1, len(text.split()))
    return 1.0 - _LIST * min(1.0, max(0.0, (share - 0.7) / 0.4))


def _saturated(
    counts: Mapping[str, int], length: int, b: float, usual: float, part: float = 1.0
) -> dict[str, float]:
    """What each word is worth in a text of that length, by how often it is there: BM25 without its rarity."""
    base = _K1 * (1 - b + b * max(length, 1) / usual)
    worth = {count: part * (_K1 + 1) * count / (count + base) for count in set(counts.values())}
    return {stem: worth[count] for stem, count in counts.items()}


def _spaced(path: str) -> str:
    return " ".join(_PATH.findall(path.rpartition(".")[0] or path))


def _worth_of_file(title: str, text: str, words: Mapping[str, int], length: int) -> dict[str, float]:
    """What each word is worth in a file as a whole: in its text, its first lines, its title and its path."""
    worths = _saturated(words, length, _FILE_B, _FILE_USUAL)
    for text_part, more in ((text[:_LEAD_CHARS], _LEAD), (title, _TITLE)):
        for stem in counted(text_part)[0]:
            worths[stem] = worths.get(stem, 0.0) + more
    return worths


def hash_of(stem: bytes) -> int:
    """Where a word is looked for first."""
    return crc32(stem)


def _slots(stems: Sequence[bytes]) -> array[int]:
    """A hash table of the words, at most half full: their numbers from 1 on, 0 where it is free."""
    slots = array("I", bytes(4 << max(1, (2 * len(stems)).bit_length())))
    most = len(slots) - 1
    for number, stem in enumerate(stems, 1):
        at = hash_of(stem) & most
        while slots[at]:
            at = (at + 1) & most
        slots[at] = number
    return slots


def _little(numbers: array[int]) -> bytes:
    return _in_order(array(numbers.typecode, numbers)).tobytes()


def _numbers(kind: str, data: memoryview) -> array[int]:
    numbers = array(kind)
    numbers.frombytes(data)
    return _in_order(numbers)


def _in_order(numbers: array[int]) -> array[int]:
    """The numbers, turned round on a machine that is not little-endian."""
    if struct.pack("=H", 1) != struct.pack("<H", 1):
        numbers.byteswap()
    return numbers


class Lists:
    """The postings of a segment's words: in which places each is, and what it is worth there."""

    def __init__(self, ends: memoryview, places: memoryview, worths: memoryview) -> None:
        self._ends, self._places, self._worths = _numbers("I", ends), _numbers("H", places), bytes(worths)
        if len(self._places) != len(worths) or self._ends[-1] != len(worths):
            raise SegmentBroken(_BROKEN)

    def count(self, word: int) -> int:
        return self._ends[word + 1] - self._ends[word]

    def of(self, word: int) -> tuple[array[int], bytes]:
        start, end = self._ends[word], self._ends[word + 1]
        return self._places[start:end], self._worths[start:end]


class Segment:
    """A packed segment, opened: words are looked up in place.

    Attributes:
        files: by number, by their paths in the folder. dead: the numbers of those that have changed since or are gone.
        size: of the segment itself, in bytes; behind: the vectors of its sections, if any.
        file_of: the file of each section. sections, whole: the postings of sections, and of whole files.
    """

    def __init__(self, data: bytes) -> None:
        head = len(_MAGIC) + 4 * _PARTS
        if len(data) < head or not data.startswith(_MAGIC):
            raise SegmentBroken(_BROKEN)
        sizes = struct.unpack_from(f"<{_PARTS}I", data, len(_MAGIC))
        ends = list(accumulate(sizes, initial=head))
        self.size, self.behind = ends[-1], data[ends[-1] :]
        if self.size > len(data) or (self.behind and not self.behind.startswith(VECTORS)):
            raise SegmentBroken(_BROKEN)
        parts = [memoryview(data)[start:end] for start, end in pairwise(ends)]
        self._letters, self._word_ends, self._slots = (
            bytes(parts[0]), _numbers("I", parts[1]), _numbers("I", parts[2])
        )  # fmt: skip
        self.files = tuple(str(parts[3], "utf-8").split("\n")) if parts[3] else ()
        self._titles, self._title_ends = bytes(parts[4]), _numbers("I", parts[5])
        self.file_of, *self._spans = (_numbers("I", part) for part in parts[6:11])
        self.sections, self.whole = Lists(*parts[11:14]), Lists(*parts[14:17])
        self.dead: set[int] = set()

    def __len__(self) -> int:
        """How many sections there are."""
        return len(self.file_of)

    @property
    def chars(self) -> int:
        """How long its sections are together."""
        return sum(self._spans[1]) - sum(self._spans[0])

    def word(self, stem: bytes, hashed: int) -> int | None:
        """The number of a word, by its letters and `hash_of` them; None where no file has it."""
        slots, most = self._slots, len(self._slots) - 1
        at = hashed & most
        while slots[at]:
            number = slots[at] - 1
            if self._letters[self._word_ends[number] : self._word_ends[number + 1]] == stem:
                return number
            at = (at + 1) & most
        return None

    def section(self, place: int) -> IndexedSection:
        title = self._titles[self._title_ends[place] : self._title_ends[place + 1]].decode()
        start, end, first, last = (numbers[place] for numbers in self._spans)
        lines = (self.file_of, *self._spans[2:])
        before = place - 1
        while before >= 0 and all(numbers[before] == numbers[place] for numbers in lines):
            before -= 1
        return IndexedSection(start, end, first, last, title, place - before)

    def sections_of(self, number: int) -> range:
        """The places of a file's sections."""
        first = self.first_sections.get(number, len(self))
        return range(first, bisect_right(self.file_of, number, first))

    @cached_property
    def first_sections(self) -> dict[int, int]:
        """The place of each file's first section."""
        return {number: place for place, number in reversed(tuple(enumerate(self.file_of)))}


_BROKEN = tr("A part of a folder's index is damaged; its files are read again.")
