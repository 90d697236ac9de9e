"""Words of nearly the same meaning, in a packed table: read where it lies, never unpacked.

All numbers are little-endian. A head (`HEAD`), then for each word, in the order of their bytes: where its letters end
(u32), and where its list ends (u32); then all letters, and all lists: entries of a word's number (u16) and a nearness
in 255ths (u8), the nearest first.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

from workbench.domain.errors import WorkbenchError

MAGIC = b"NEARWRD1"
HEAD = struct.Struct("<8s32sIII")  # magic, SHA-256 of what follows the head, words, bytes of letters, entries
_ENTRY = struct.Struct("<HB")
_ENDS = struct.Struct("<II")
FULL = 255


class NearWordsBroken(WorkbenchError):
    """The table of near words is not what its head says."""


class NearWords:
    """The table; `data` is the whole file, or a view of it."""

    def __init__(self, data: bytes | memoryview) -> None:
        self._data = memoryview(data)
        if len(self._data) < HEAD.size:
            raise NearWordsBroken(_BROKEN)
        magic, digest, words, letters, entries = HEAD.unpack_from(self._data)
        self._words = int(words)
        self._letters = HEAD.size + _ENDS.size * self._words
        self._lists = self._letters + letters
        if (
            magic != MAGIC
            or len(self._data) != self._lists + _ENTRY.size * entries
            or hashlib.sha256(self._data[HEAD.size :]).digest() != digest
        ):
            raise NearWordsBroken(_BROKEN)

    def __len__(self) -> int:
        return self._words

    def of(self, word: str) -> Sequence[tuple[str, float]]:
        """The near words of a lower-case word and how near they are, from 1 to 0; none for an unknown word."""
        number = self._find(word.encode("utf-8", "replace"))
        if number is None:
            return ()
        start = self._ends(number - 1)[1] if number else 0
        end = self._ends(number)[1]
        entries = self._data[self._lists + _ENTRY.size * start : self._lists + _ENTRY.size * end]
        return [(self._word(near).decode("utf-8"), part / FULL) for near, part in _ENTRY.iter_unpack(entries)]

    def _find(self, word: bytes) -> int | None:
        low, high = 0, self._words
        while low < high:
            middle = (low + high) // 2
            if self._word(middle) < word:
                low = middle + 1
            else:
                high = middle
        return low if low < self._words and self._word(low) == word else None

    def _word(self, number: int) -> bytes:
        start = self._ends(number - 1)[0] if number else 0
        return bytes(self._data[self._letters + start : self._letters + self._ends(number)[0]])

    def _ends(self, number: int) -> tuple[int, int]:
        letters, entries = _ENDS.unpack_from(self._data, HEAD.size + _ENDS.size * number)
        return letters, entries


def packed(near: dict[str, Sequence[tuple[str, float]]]) -> bytes:
    """The table's bytes; every near word must itself be a word of the table."""
    words = sorted(near, key=str.encode)
    numbers = {word: number for number, word in enumerate(words)}
    ends, letters, lists = bytearray(), bytearray(), bytearray()
    for word in words:
        letters += word.encode()
        for other, part in near[word]:
            lists += _ENTRY.pack(numbers[other], max(1, min(FULL, round(part * FULL))))
        ends += _ENDS.pack(len(letters), len(lists) // _ENTRY.size)
    content = bytes(ends + letters + lists)
    digest = hashlib.sha256(content).digest()
    return HEAD.pack(MAGIC, digest, len(words), len(letters), len(lists) // _ENTRY.size) + content


_BROKEN = (
    "The table of near words is damaged. Recall works without it, by exact words. Install the program again."
)
