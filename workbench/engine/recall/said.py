"""What was said in one chat, by its words: an index that follows the chat's history."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Mapping, Sequence

from workbench.context.assembly.history import bare_text
from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.terms import terms
from workbench.domain.message import Entry, Message

_SLICE_CHARS = 12_000
"""How much is taken in in one slice: about two milliseconds on a slow core."""
_MOST_CHARS = 40_000
"""Of a longer message only its beginning is looked at: it would hardly find room, and would hold up everyone."""
_LABEL = re.compile(r"([A-Z][^\W\d_][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}): ")
_LEAST_LABELS, _LABELS_PART = 3, 10
_LOOKED_AT = 1_000
_LONGEST_QUESTION = 1_000
"""Characters; nobody asks the same again in so many words."""

Slices = Generator[None, None, None]


class SaidIndex:
    """The passages of one history, in its order; what follows the known part is added, another branch is read anew.

    Attributes:
        index: what has been taken in.
    """

    def __init__(self) -> None:
        self.index = PassageIndex()
        self._entries: tuple[Entry, ...] = ()
        self._labels: frozenset[str] = frozenset()

    def follow(self, entries: tuple[Entry, ...], times: Mapping[str, str]) -> Slices:
        """Take in what is new, a little at a time; somebody else may do so for another history in between."""
        if entries is self._entries:
            return
        mine = None
        labels = yield from _labels(entries)
        while self._entries is not entries:
            if self._entries is not mine:
                self._begin(entries, labels)
            place, chars = len(self._entries), 0
            while place < len(entries) and chars < _SLICE_CHARS:
                self._take_in(entries[place], times.get(entries[place].id, ""))
                chars += 200 + _size(entries[place])
                place += 1
            self._entries = mine = entries[:place] if place < len(entries) else entries
            if mine is not entries:
                yield

    def _begin(self, entries: tuple[Entry, ...], labels: frozenset[str]) -> None:
        """Go on with what is known where it is the beginning of this history, else begin anew."""
        known = self._entries
        same = zip(known, entries, strict=False)
        if len(entries) < len(known) or labels != self._labels or any(a is not b and a != b for a, b in same):
            self.index, self._entries, self._labels = PassageIndex(), (), labels

    def says_only(self, key: str, asked: frozenset[str]) -> bool:
        """Whether a message has no word besides these."""
        place = self.index.place(key)
        passage = None if place is None else self.index.passages[place]
        if passage is None or len(passage.text) > _LONGEST_QUESTION:
            return False
        return all(not asked.isdisjoint(term.stems) for term in terms(passage.text))

    def _take_in(self, entry: Entry, when_utc: str) -> None:
        text, speaker = words_of(entry, self._labels)
        if text.strip():
            self.index.add(Passage(entry.id, text[:_MOST_CHARS], speaker, when_utc))


def words_of(entry: Entry, labels: frozenset[str] = frozenset()) -> tuple[str, str]:
    """What an entry says, and who says it: a role, or one of the names that messages begin with."""
    if not isinstance(entry, Message):
        return entry.body, entry.kind
    text = bare_text(entry)
    found = _LABEL.match(text) if labels else None
    if found is not None and found[1] in labels:
        return text[found.end() :], found[1]
    return text, entry.role


def _labels(entries: Sequence[Entry]) -> Generator[None, None, frozenset[str]]:
    """The names that many messages begin with, as in a conversation between people that was written down."""
    found: Counter[str] = Counter()
    for number, entry in enumerate(entries, 1):
        if number % _LOOKED_AT == 0:
            yield
        label = _LABEL.match(entry.texts[0]) if isinstance(entry, Message) and entry.texts else None
        if label is not None:
            found[label[1]] += 1
    least = max(_LEAST_LABELS, len(entries) // _LABELS_PART)
    return frozenset(label for label, number in found.items() if number >= least)


def _size(entry: Entry) -> int:
    return sum(map(len, entry.texts)) if isinstance(entry, Message) else len(entry.body)
