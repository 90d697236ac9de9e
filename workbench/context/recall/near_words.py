"""Words of similar meaning in a packed table, which is searched in place and never unpacked.

All numbers are little-endian. A head (`HEAD`), then for each word, in the order of the alphabet: where its letters end
(u32), and where its list ends (u32); then all letters, and all lists: entries of a word's number (u16) and a nearness
in 255ths (u8), the nearest first.
"""

from __future__ import annotations

import hashlib
import struct
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr

MAGIC = b"NEARWRD1"
HEAD = struct.Struct("<8s32sIII")  # magic, SHA-256 of what follows the head, words, bytes of letters, entries
_ENTRY = struct.Struct("<HB")
_ENDS = struct.Struct("<II")
FULL = 255


class NearWordsBroken(WorkbenchError):
    """The table of near words is inconsistent with its header."""


class NearWords:
    """The table; `data` is the whole file, or a view of it."""

    def __init__(self, data: bytes | memoryview) -> None:
        whole = memoryview(data)
        if len(whole) < HEAD.size:
            raise NearWordsBroken(_BROKEN)
        magic, digest, words, letters, entries = HEAD.unpack_from(whole)
        start = HEAD.size + _ENDS.size * words
        if (
            magic != MAGIC
            or len(whole) != start + letters + _ENTRY.size * entries
            or hashlib.sha256(whole[HEAD.size :]).digest() != digest
        ):
            raise NearWordsBroken(_BROKEN)
        ends = struct.unpack_from(f"<{2 * words}I", whole, HEAD.size)
        # The ends, with the start before the first of them; and the letters as one text: cut, not decoded.
        self._letter_ends = array("I", (0, *ends[::2]))
        self._list_ends = array("I", (0, *ends[1::2]))
        self._letters = str(whole[start : start + letters], "ascii")
        self._lists = whole[start + letters :]

    def __len__(self) -> int:
        return len(self._list_ends) - 1

    def of(self, word: str) -> Sequence[tuple[str, float]]:
        """The near words of a lower-case word with their similarity, from 1 to 0; none for an unknown word."""
        number = bisect_left(range(len(self)), word, key=self._word)
        if number == len(self) or self._word(number) != word:
            return ()
        start, end = (_ENTRY.size * place for place in self._list_ends[number : number + 2])
        return [(self._word(near), part / FULL) for near, part in _ENTRY.iter_unpack(self._lists[start:end])]

    def _word(self, number: int) -> str:
        return self._letters[self._letter_ends[number] : self._letter_ends[number + 1]]


def packed(near: Mapping[str, Sequence[tuple[str, float]]]) -> bytes:
    """The packed table; every near word must itself be a word of the table."""
    words = sorted(near)
    numbers = {word: number for number, word in enumerate(words)}
    ends, letters, lists = bytearray(), bytearray(), bytearray()
    for word in words:
        letters += word.encode("ascii")
        for other, part in near[word]:
            lists += _ENTRY.pack(numbers[other], max(1, min(FULL, round(part * FULL))))
        ends += _ENDS.pack(len(letters), len(lists) // _ENTRY.size)
    content = bytes(ends + letters + lists)
    digest = hashlib.sha256(content).digest()
    return HEAD.pack(MAGIC, digest, len(words), len(letters), len(lists) // _ENTRY.size) + content


_BROKEN = tr(
    "The table of near words is damaged. Recall works without it, by exact words. Install the program again."
)
