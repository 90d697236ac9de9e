"""Token counts cached by content digest, so that only changed text is counted."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from workbench.context.text.changed_text import common_length, common_tail
from workbench.domain.segment import Segment
from workbench.domain.text import digest_bytes
from workbench.ports.counting import Tokenizer

_LINE = r"(?:[^\s/]|[^\S\r\n]++\S)"
_STARTS_A_LINE = re.compile(_LINE)
# No token holds a space after anything but blanks, so that a line of a megabyte is counted by its changed words.
_CUT = re.compile(rf"\n(?={_LINE})|\S(?= )")
# Nor does one hold a letter and a digit, or either and a mark that follows it, but for an apostrophe. By a list that is
# the same in every version of Unicode: base64, addresses and Chinese have no spaces.
_LETTER, _MARK = (
    r"A-Za-z\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3",
    r"!-&(-/:-@[-`{-~、。！（），：；？",
)
_CUT_IN_WORD = re.compile(rf"[{_LETTER}](?=[0-9{_MARK}])|[0-9](?=[{_LETTER}{_MARK}])")
_LONG_WORD = 512
_UP_TO_LAST_CUT = re.compile(rf".*(?:\n(?={_LINE})|\S(?= ))", re.DOTALL)


def is_safe_cut(left: str, right: str) -> bool:
    """Whether the count of left + right is certainly the sum of their counts.

    False where one of them is empty: the texts on both sides of an empty one would never be compared with each other.
    """
    if left.endswith("\n"):
        return _STARTS_A_LINE.match(right) is not None
    return right.startswith(" ") and bool(left) and not left[-1].isspace()


def last_safe_cut(text: str) -> int:
    """Index of the last safe cut inside the text; 0 if there is none."""
    found = _UP_TO_LAST_CUT.match(text)
    return found.end() if found else 0


def first_safe_cut(text: str, start: int = 0) -> int:
    """Index of the first safe cut after a character at `start` or later; the length if there is none."""
    found = _CUT.search(text, start)
    return found.end() if found else len(text)


def delta_count(old_text: str, old_count: int, new_text: str, count: Callable[[str], int]) -> int:
    """The exact count of an edited text: the old count, corrected by recounting between safe cuts."""
    head = common_length(old_text, new_text)
    tail = common_tail(old_text, new_text, min(len(old_text), len(new_text)) - head)
    start = _cut_before(new_text, head)
    kept = len(new_text) - _cut_after(new_text, len(new_text) - tail)
    old_middle = old_text[start : len(old_text) - kept]
    new_middle = new_text[start : len(new_text) - kept]
    if len(old_middle) + len(new_middle) >= len(new_text):
        return count(new_text)
    return old_count - count(old_middle) + count(new_middle)


def _cut_before(text: str, end: int) -> int:
    """Index of a safe cut before a place, with the characters on its both sides: in a long word, one inside that."""
    near = max(0, end - _LONG_WORD)
    found = last_safe_cut(text[near:end])
    if not found and near:
        found = max((one.end() - near for one in _CUT_IN_WORD.finditer(text, near, end)), default=0)
    return near + found if found else last_safe_cut(text[:end])


def _cut_after(text: str, start: int) -> int:
    """The same after a place."""
    end = start + _LONG_WORD
    found = _CUT.search(text, start, end)
    if found is None and end < len(text):
        found = _CUT_IN_WORD.search(text, start, end)
    return found.end() if found else first_safe_cut(text, start)


def common_tokens(left: str, right: str, tokenizer: Tokenizer) -> int:
    """How many tokens both texts start with, encoding only around their first difference.

    Equal to `tokenizer.common_prefix(left, right)` for every text.
    """
    head = common_length(left, right)
    start = last_safe_cut(left[:head])
    shared = tokenizer.count(left[:start]) if start else 0
    near = tuple(text[start : first_safe_cut(text, head)] for text in (left, right))
    found = tokenizer.common_prefix(*near)
    for part, whole in zip(near, (left, right), strict=True):
        if start + len(part) < len(whole) and found == tokenizer.count(part):
            # Equal up to where we cut: different characters with equal tokens, as a lone surrogate and U+FFFD.
            return shared + tokenizer.common_prefix(left[start:], right[start:])
    return shared + found


# Long text counted in pieces: a tokenizer that works beside the loop must not hold it up with one long
# call.

_PIECE_CHARS = 64_000


class InPieces:
    """A tokenizer that counts long texts in pieces; the sum is exact, because the cuts are safe."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    @property
    def name(self) -> str:
        return self._tokenizer.name

    def count(self, text: str) -> int:
        return sum(self._tokenizer.count(piece) for piece in pieces(text, _PIECE_CHARS))

    def common_prefix(self, left: str, right: str) -> int:
        return self._tokenizer.common_prefix(left, right)


def pieces(text: str, least_chars: int) -> Iterator[str]:
    """The text split at safe cuts into pieces of at least `least_chars` characters."""
    if len(text) <= least_chars:
        yield text
        return
    start = 0
    while start < len(text):
        end = first_safe_cut(text, start + least_chars - 1)
        yield text[start:end]
        start = end


_HOT_CHARACTERS = 4_000_000
_WORTH_A_DELTA = 256
_LONG = 2048
_END_CHARS = 32
"""An edit leaves a text its first or its last characters: only where those are equal is more compared."""
_REMEMBERED_TEXTS = 4
_MOST_COUNTS = 60_000
"""More than the longest chats have texts; the store may have a million."""


class DigestCounts(dict[bytes, int]):
    """Token counts by SHA-256, limited to the most recently used."""

    def __init__(
        self, known: Mapping[bytes, int] = MappingProxyType({}), beside: DigestCounts | None = None
    ) -> None:
        super().__init__(known)
        self._older: Mapping[bytes, int] = {}
        self._beside = beside

    def find(self, digest: bytes) -> int | None:
        """The count of a text by digest, marked as used; None where it is unknown."""
        known = self.get(digest)
        if known is None:
            known = self._older.get(digest)
            if known is not None:
                self.know({digest: known})
        # Counts beside others know what those know, and leave them as they are: another thread uses them.
        return self._beside.glance(digest) if known is None and self._beside is not None else known

    def glance(self, digest: bytes) -> int | None:
        """The count of a text by digest, not marked as used."""
        known = self.get(digest)
        return self._older.get(digest) if known is None else known

    def know(self, counts: Mapping[bytes, int]) -> None:
        """Add counts; the least recently used are evicted."""
        if len(self) + len(counts) > _MOST_COUNTS:
            self._older = dict(self)
            self.clear()
        self.update(counts)

    def copy(self) -> DigestCounts:
        """A copy for use in a thread, with the same counts; it changes nothing here."""
        return DigestCounts(beside=self)


class CountMemo:
    """A caching tokenizer.

    Recent texts are looked up by themselves, without hashing; all others by their digest.

    Attributes:
        counts: may be handed in, filled from the store.
    """

    def __init__(self, tokenizer: Tokenizer, counts: DigestCounts | None = None) -> None:
        self._tokenizer = tokenizer
        self.counts = DigestCounts() if counts is None else counts
        self._new: dict[bytes, int] = {}
        self._hot: dict[str, int] = {}
        self._hot_characters = 0
        self._recent: deque[tuple[str, int]] = deque(maxlen=_REMEMBERED_TEXTS)
        # Apart from long texts: many short ones would drive out a draft that takes half a second to count.
        self._recent_short: deque[tuple[str, int]] = deque(maxlen=_REMEMBERED_TEXTS)

    @property
    def name(self) -> str:
        return self._tokenizer.name

    def count(self, text: str) -> int:
        known = self._hot.get(text)
        if known is None:
            known = self._by_digest(text, digest_bytes(text))
            self._keep_recent(text, known)
        return known

    def count_segment(self, segment: Segment) -> int:
        """The count of a segment that is nothing but text, whose digest is kept with it."""
        known = self._hot.get(segment.text)
        if known is None:
            known = self._by_digest(segment.text, bytes.fromhex(segment.digest))
            self._keep_recent(segment.text, known)
        return known

    def count_all(self, segments: Iterable[Segment]) -> None:
        """Count many segments that are nothing but text in a row, which is faster than with other work in between."""
        digests: dict[bytes, str] = {}
        edited = len(self._recent) > 0  # a long text may be one of them with a letter more
        for one in segments:
            text = one.text
            if text in self._hot or (len(text) >= _LONG and edited):
                continue
            digest = bytes.fromhex(one.digest)
            known = self.counts.find(digest)
            if known is None:
                digests[digest] = text
            else:
                self._keep_recent(text, known)
        counts = [*map(self._tokenizer.count, digests.values())]
        new = dict(zip(digests, counts, strict=True))
        self._new.update(new)
        self.counts.know(new)
        for text, tokens in zip(digests.values(), counts, strict=True):
            self._keep_recent(text, tokens)
            if len(text) >= _LONG:
                self._recent.appendleft((text, tokens))

    def take_new(self) -> dict[bytes, int]:
        new, self._new = self._new, {}
        return new

    def copy(self) -> CountMemo:
        """A copy for use in a thread, with the same counts; it changes nothing here."""
        return CountMemo(InPieces(self._tokenizer), self.counts.copy())

    def merge(self, apart: CountMemo) -> None:
        """Take over what a `copy` has counted, also for the store."""
        counted = apart.take_new()
        self.counts.know(counted)
        self._new.update(counted)
        for text, tokens in apart._hot.items():
            self._keep_recent(text, tokens)

    def common_prefix(self, left: str, right: str) -> int:
        return self._tokenizer.common_prefix(left, right)

    def _keep_recent(self, text: str, tokens: int) -> None:
        if self._hot_characters > _HOT_CHARACTERS:
            self._hot, self._hot_characters = {}, 0
        self._hot[text] = tokens
        self._hot_characters += len(text)

    def _forget_predecessor(self, text: str) -> None:
        """Forget the predecessor of a text being typed: a copy for every letter would need much memory."""
        if self._hot.pop(text, None) is not None:
            self._hot_characters -= len(text)
        self._new.pop(digest_bytes(text), None)

    def _by_digest(self, text: str, digest: bytes) -> int:
        known = self.counts.find(digest)
        if known is None:
            known = self._new[digest] = self._count_uncached(text)
            self.counts.know({digest: known})
        return known

    def _count_uncached(self, text: str) -> int:
        if len(text) < _WORTH_A_DELTA:
            return self._tokenizer.count(text)
        is_long = len(text) >= _LONG
        recent = self._recent if is_long else self._recent_short
        first, last = text[:_END_CHARS], text[-_END_CHARS:]
        for old_text, old_tokens in recent:
            near = old_text.startswith(first) or old_text.endswith(last)
            if near and _is_edit_of(old_text, text):
                tokens = delta_count(old_text, old_tokens, text, self._tokenizer.count)
                if is_long:
                    self._forget_predecessor(old_text)
                break
        else:
            tokens = self._tokenizer.count(text)
        recent.appendleft((text, tokens))
        return tokens


def _is_edit_of(old: str, new: str) -> bool:
    """Whether a text is the old one with a single changed place."""
    half = min(len(old), len(new)) // 2
    return new.startswith(old[:half]) or new.endswith(old[-half:])
