"""An in-memory inverted index of passages, which grows with every message.

A passage has a place, counted in the order of adding. Between two groups (say, chats) three places stay empty, so that
passages of different groups are never neighbours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import log, sqrt

from workbench.context.recall.terms import LANGUAGES, Language, counted, folded

REACH = 3  # how many passages to either side a match scores
_EXCEPTIONS = 0.05  # of the passages: texts in one language look like another one now and then
_HEAD = 5  # letters that two German compounds must share before they are compared
_RATHER_LONG, _RATHER_OFTEN = 1.2, 2.2  # BM25's k1, and k1 + 1; its b is a half
# "Hi Anna", "Thanks, Claude": a name that one of two speakers calls the other by.
_ADDRESSED = re.compile(
    r"\b(?i:hey|hi|hello|dear|thanks|thank you|bye|welcome|congrats|congratulations|hallo|danke|liebe|lieber|bonjour"
    r"|salut|merci|ch[eè]re?|hola|gracias|querid[ao]),?\s+([^\W\d_a-zà-ÿ][^\W\d_]+)"
)
_ADDRESSED_OFTEN = 3
_GREETING = 60  # letters: people call one another by name at the beginning
_OTHER_ROLE = {"user": "assistant", "assistant": "user"}
TermScores = dict[int, float] | list[float]  # what a word gives, by place
Memo = dict[tuple[object, ...], TermScores]


@dataclass(frozen=True, slots=True)
class Passage:
    """Something that can be recalled: a message, or a section of a file.

    Attributes:
        key: unique in its index.
        speaker: "user", "assistant", "tool", or a name.
        when_utc: when it was said, in ISO form, or "".
        group: what it is a part of; only passages of one group that follow each other are neighbours.
    """

    key: str
    text: str
    speaker: str = ""
    when_utc: str = ""
    group: str = ""


class PassageIndex:
    """Passages by their words; not safe to use from two threads at once.

    Attributes:
        passages: by place; None where a place is empty.
        places: of passages, by their keys.
        version: changes with every modification.
        memo: scores of words that `rank` caches until the next modification.
    """

    def __init__(self) -> None:
        self.version = 0
        self.memo: Memo = {}
        self._clear()

    def _clear(self) -> None:
        self.passages: list[Passage | None] = []
        self.by_speaker: dict[str, list[int]] = {}
        self.by_day: dict[str, list[int]] = {}
        self.places: dict[str, int] = {}
        # Most words are in a message once: those are plain lists of places.
        self._once: dict[str, list[int]] = {}
        self._often: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []
        self._length = 0
        self._heads: dict[str, list[str]] = {}
        self._languages: Counter[Language] = Counter()
        self._addressed: Counter[tuple[str, str]] = Counter()  # who is called by which name
        self._damping: list[float] = []
        self._alone: list[float] = []  # what a word that is there once is worth
        self._prepared = -1  # for which version

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, key: object) -> bool:
        return key in self.places

    def __iter__(self) -> Iterator[Passage]:
        return (passage for passage in self.passages if passage)

    def place(self, key: str) -> int | None:
        return self.places.get(key)

    def add(self, passage: Passage) -> None:
        """Append a passage; one with the same key is replaced in place."""
        if passage.key in self.places:
            self.replace(passage)
            return
        self._changed()
        if self.passages and (last := self.passages[-1]) and last.group != passage.group:
            self.passages += [None] * REACH
            self._lengths += [0] * REACH
        self._index(passage, len(self.passages))

    def replace(self, passage: Passage) -> None:
        """Replace the passage with the same key; rebuilds the index, so this is for rare edits."""
        self._rebuild([passage if each.key == passage.key else each for each in self])

    def remove(self, key: str) -> None:
        """Remove a passage, if it is there; rebuilds the index."""
        if key in self.places:
            self._rebuild([each for each in self if each.key != key])

    def _rebuild(self, passages: list[Passage]) -> None:
        self._changed()
        self._clear()
        for passage in passages:
            self.add(passage)

    def _changed(self) -> None:
        self.version += 1
        self.memo.clear()

    def _index(self, passage: Passage, place: int) -> None:
        counts, length, language = counted(passage.text)
        once, often = self._once, self._often
        for stem, count in counts.items():
            if count > 1:
                often.setdefault(stem, []).append((place, count))
            elif stem in once:
                once[stem].append(place)
            else:
                once[stem] = [place]
        if language == "de":
            self._index_prefixes(counts)
        if language:
            self._languages[language] += 1
        self.passages.append(passage)
        self.places[passage.key] = place
        self._lengths.append(length)
        self._length += max(length, 1)
        self.by_speaker.setdefault(passage.speaker, []).append(place)
        if other := _OTHER_ROLE.get(passage.speaker):
            greeting = passage.text[:_GREETING]
            self._addressed.update((other, folded(name)) for name in _ADDRESSED.findall(greeting))
        if passage.when_utc:
            self.by_day.setdefault(passage.when_utc[:10], []).append(place)

    def _index_prefixes(self, counts: dict[str, int]) -> None:
        for stem in counts:
            if len(stem) >= _HEAD and stem.isalpha():
                heads = self._heads.setdefault(stem[:_HEAD], [])
                if stem not in heads:
                    heads.append(stem)

    def names_of_roles(self) -> dict[str, str]:
        """By name, whether it is the user's or the assistant's: that of whom the other one calls so."""
        names = {name: role for (role, name), count in self._addressed.items() if count >= _ADDRESSED_OFTEN}
        return {name: role for name, role in names.items() if not self._addressed[_OTHER_ROLE[role], name]}

    @property
    def usual_language(self) -> Language | None:
        most = max(self._languages.values(), default=0)
        return next((each for each in LANGUAGES if most and self._languages[each] == most), None)

    def languages(self) -> list[Language]:
        """The languages of a noticeable share of the passages."""
        return [each for each, count in self._languages.items() if count > _EXCEPTIONS * len(self)]

    def passages_with(self, stem: str) -> int:
        return len(self._once.get(stem, ())) + len(self._often.get(stem, ()))

    def rarity(self, passages_with: int) -> float:
        """What a word counts that is in so many passages: the inverse document frequency, more for rare words."""
        usual = log(1 + (len(self) - passages_with + 0.5) / (passages_with + 0.5))
        return usual * sqrt(usual) / 2

    def compounds(self, stem: str) -> list[str]:
        """German compounds that begin with this stem, or that it begins with."""
        return [
            other
            for other in self._heads.get(stem[:_HEAD], ())
            if other != stem and (other.startswith(stem) or stem.startswith(other))
        ]

    def prepare(self) -> None:
        """Precompute the length normalisation of each place: the longer a passage, the less a word counts."""
        if self._prepared != self.version:
            half = _RATHER_LONG / 2
            each = half * max(len(self), 1) / max(self._length, 1)
            self._damping = [half + each * (length or 1) for length in self._lengths]
            self._alone = [_RATHER_OFTEN / (1 + damping) for damping in self._damping]
            self._prepared = self.version

    def worth(self, place: int, stem: str, weight: float) -> float:
        """The score of a stem at one place; 0 where it does not occur."""
        if not 0 <= place < len(self.passages):
            return 0.0
        once, often = self._once.get(stem, []), self._often.get(stem, [])
        count = 0
        if (at := bisect_left(once, place)) < len(once) and once[at] == place:
            count = 1
        elif (at := bisect_left(often, (place, 0))) < len(often) and often[at][0] == place:
            count = often[at][1]
        self.prepare()
        return weight * _RATHER_OFTEN * count / (count + self._damping[place])

    def find(self, stem: str, weight: float, hits: dict[int, float]) -> None:
        """Record a stem's score at each of its places, where it is higher than the one already recorded."""
        self.prepare()
        full, damping, noted = weight * _RATHER_OFTEN, self._damping, hits.get
        places = self._once.get(stem, ())
        worths = map(weight.__mul__, map(self._alone.__getitem__, places))
        if not hits:
            hits.update(zip(places, worths, strict=True))
        else:
            for place, worth in zip(places, worths, strict=True):
                if worth > noted(place, 0.0):
                    hits[place] = worth
        for place, count in self._often.get(stem, ()):
            worth = full * count / (count + damping[place])
            if worth > noted(place, 0.0):
                hits[place] = worth
