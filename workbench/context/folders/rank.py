"""Ranks the sections of followed folders for a question: BM25 over sections and whole files, in packed segments.

Questions are in people's own words, manuals are not: near words and related words count, everyday words count little.
Whether anything fits is told by the share of the question's telling words that a section and its file cover.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nlargest
from itertools import compress
from math import log, log10
from typing import NamedTuple

from workbench.context.folders.packed import SCALE, IndexedSection, Segment, hash_of
from workbench.context.recall.near_words import NearWords
from workbench.context.recall.terms import Term, counted, english_base, language_of, stems_of, terms
from workbench.domain.recall import MatchedWord, WordKind

_EVERYDAY = 0.5
_NEAR, _RELATED = 0.8, 0.8
_MOST_RARE = 5.0
_MOST_TERMS = 48
_MOST_NEAR, _NEAR_LEAST = 8, 0.3
_NEAR_PART = 0.2  # of all sections: a near word that is in more says nothing
_NEAR_AT_MOST = 1_500  # so that a question to a large folder ends soon
_OFTEN_PART = 0.35  # and so many a word of the question itself, where there are others
_EVERYDAY_PART = 0.1
_FILE_SHARE = 0.3
_LEADS = 15  # best files whose first sections are candidates, whatever they say
_CANDIDATES = 200
_LEAST_PART = 0.3  # of the best score in a segment: below it nothing is a candidate
_AGAIN = 0.6  # of its score, a second section of the same file; and so on
_COVERED: Mapping[str, float] = {"exact": 1.0, "near": 0.5}
_SCORED, _UNKNOWN, _BY_CHANCE, FITS = 0.5, 0.5, 2.0, 0.18
_BY_SIZE, _SMALL = 0.2, 4_000  # chance grows with each power of ten of sections, from so many on
_LOOKED_AT = 12
_COPY = 0.7  # of all words of two sections
_SPELLINGS = (("our", "or"), ("ise", "ize"), ("isi", "izi"), ("isa", "iza"), ("yse", "yze"), ("tre", "ter"))


@dataclass(frozen=True, slots=True)
class RelatedWords:
    """What manuals call what people ask about: stems by stem; and the stems of everyday words."""

    related: Mapping[str, frozenset[str]] = field(default_factory=dict)
    everyday: frozenset[str] = frozenset()


def read_related(text: str) -> RelatedWords:
    """The table as it is shipped: lines of everyday words behind "!", and "word: words that mean it"."""
    related: dict[str, frozenset[str]] = {}
    everyday: set[str] = set()
    for line in text.splitlines():
        if line.startswith("!"):
            everyday.update(stem for word in line[1:].split() for stem in stems_of(word, "en"))
        elif ":" in line and not line.startswith("#"):
            said, _, meant = line.partition(":")
            for stem in stems_of(said.strip(), "en"):
                stems = {one for word in meant.split() for one in stems_of(word, "en")}
                related[stem] = related.get(stem, frozenset()) | stems
    return RelatedWords(related, frozenset(everyday))


class Words(NamedTuple):
    """The tables of words that a search uses."""

    near: NearWords | None = None
    related: RelatedWords = RelatedWords()


class _Way(NamedTuple):
    """A stem that a word of the question is searched by, its part of the word's weight, and its number by segment."""

    stem: str
    part: float
    kind: WordKind
    numbers: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Sought:
    """A word of the question: its rarity among sections and among files, and the ways to find it, the best last."""

    term: Term
    rarity: float
    file_rarity: float
    everyday: float
    ways: tuple[_Way, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that matches a question; `covers` is the share of the question's telling words that it has.

    Attributes:
        stems: of its text.
    """

    segment: Segment
    place: int
    score: float
    covers: float = 0.0
    words: tuple[MatchedWord, ...] = ()
    stems: frozenset[str] = frozenset()

    @property
    def path(self) -> str:
        return self.segment.files[self.segment.file_of[self.place]]

    @property
    def section(self) -> IndexedSection:
        return self.segment.section(self.place)


class FolderSearch:
    """One question to some segments; `run` yields every few milliseconds."""

    def __init__(self, segments: Sequence[Segment], question: str, words: Words) -> None:
        self._segments, self._question, self._words = segments, question, words
        self._sections = sum(map(len, segments))
        self._files = sum(len(one.files) for one in segments)
        self._sought: tuple[_Sought, ...] = ()
        self._known: dict[str, Mapping[int, int]] = {}

    def run(self) -> Generator[None, None, tuple[Hit, ...]]:
        """The best sections, the best first; a file's further ones come later than their scores say."""
        self._sought = yield from self._read_question()
        found: list[tuple[float, int, int]] = []
        for at, segment in enumerate(self._segments):
            scores, files = [0.0] * len(segment), [0.0] * len(segment.files)
            for one in self._sought:
                self._add(at, one, scores, files)
                yield
            floor = found[-1][0] if len(found) == _CANDIDATES else 0.0
            some = _best(segment, scores, files, floor)
            found = nlargest(_CANDIDATES, [*found, *((score, -at, place) for score, place in some)])
        return spread_over_files([Hit(self._segments[-at], place, score) for score, at, place in found])

    def _read_question(self) -> Generator[None, None, tuple[_Sought, ...]]:
        language = language_of(self._question, "en") or "en"
        distinct: dict[str, Term] = {}
        for term in terms(self._question, language):
            distinct.setdefault(term.stems[0], term)
        found = []
        for term in list(distinct.values())[:_MOST_TERMS]:
            # Anybody joins words by hyphens: what no file writes so says nothing, and its parts count.
            if "-" not in self._question[term.start : term.end] or self._count(term.stems[0]):
                found.append(self._seek(term, language))
            yield
        often = {1.0: _OFTEN_PART, _EVERYDAY: _EVERYDAY_PART}
        rare = [
            one for one in found if self._count(one.term.stems[0]) <= often[one.everyday] * self._sections
        ]
        return tuple(rare or found)

    def _seek(self, term: Term, language: str) -> _Sought:
        there, files = self._count(term.stems[0]), self._count_files(term.stems[0])
        rarity = min(_MOST_RARE, _rarity(self._sections, there))
        related = self._words.related
        parts = dict.fromkeys(related.related.get(term.stems[0], ()), _RELATED)
        if language == "en" and self._words.near is not None:
            for stem, nearness in _near_stems(term, self._words.near)[:_MOST_NEAR]:
                if nearness >= _NEAR_LEAST:
                    parts[stem] = max(parts.get(stem, 0.0), _NEAR * nearness)
        ways = []
        for stem, part in parts.items():
            among = self._count(stem)
            if stem not in term.stems and 0 < among <= min(
                _NEAR_AT_MOST, max(3, _NEAR_PART * self._sections)
            ):
                worth = part * min(1.0, _rarity(self._sections, among) / rarity)
                ways.append(_Way(stem, worth, "near", self._numbers(stem)))
        ways.sort(key=lambda way: (way.part, way.stem))
        spelt = (stem for stem in _spelt(term.word) if self._count(stem))
        exact = [_Way(stem, 1.0, "exact", self._numbers(stem)) for stem in (*spelt, *term.stems)]
        plain = term.word in related.everyday or term.stems[0] in related.everyday
        file_rarity = min(_MOST_RARE, _rarity(self._files, files))
        return _Sought(term, rarity, file_rarity, _EVERYDAY if plain else 1.0, (*ways, *exact))

    def _numbers(self, stem: str) -> Mapping[int, int]:
        """The number of a word in each segment that has it."""
        if stem not in self._known:
            letters = stem.encode("utf-8", "replace")
            hashed = hash_of(letters)
            found = ((place, one.word(letters, hashed)) for place, one in enumerate(self._segments))
            self._known[stem] = {place: number for place, number in found if number is not None}
        return self._known[stem]

    def _count(self, stem: str) -> int:
        return sum(self._segments[at].sections.count(word) for at, word in self._numbers(stem).items())

    def _count_files(self, stem: str) -> int:
        return sum(self._segments[at].whole.count(word) for at, word in self._numbers(stem).items())

    def _add(self, at: int, one: _Sought, scores: list[float], files: list[float]) -> None:
        """Add what one word gives to the sections and files of a segment; of several ways the best counts."""
        segment = self._segments[at]
        for lists, weight, total in (
            (segment.sections, one.rarity * one.everyday, scores),
            (segment.whole, one.file_rarity * one.everyday, files),
        ):
            hits = dict[int, float]()
            for way in one.ways:  # the best comes last, and overwrites the others
                if at in way.numbers:
                    places, worths = lists.of(way.numbers[at])
                    table = _table(round(weight * way.part, 2))
                    hits.update(zip(places, map(table.__getitem__, worths), strict=True))
            for place, worth in hits.items():
                total[place] += worth

    def explained(self, hit: Hit, text: str) -> Hit:
        """A hit with the words of the question that its text has, and the share of all that it covers."""
        stems = frozenset(counted(text)[0])
        found = stems.union(counted(f"{hit.section.title}\n{hit.path}")[0])
        words, covered, whole = [], 0.0, 0.0
        for one in self._sought:
            weight = one.rarity * one.everyday**2
            whole += weight
            way = next((way for way in reversed(one.ways) if way.stem in found), None)
            if way is not None:
                covered += weight * _COVERED[way.kind]
                word = self._question[one.term.start : one.term.end]
                part = one.rarity * way.part * one.everyday
                words.append(MatchedWord(word, way.stem, way.kind, part, way.stem))
        words.sort(key=lambda word: -word.part)
        total = sum(word.part for word in words) or 1.0
        scaled = (MatchedWord(w.word, w.found, w.kind, w.part * hit.score / total, w.stem) for w in words)
        return Hit(hit.segment, hit.place, hit.score, covered / (whole or 1.0), tuple(scaled), stems)

    def fits(self, best: Sequence[Hit]) -> bool:
        """Whether anything fits at all, by the best hits, explained.

        Scores alone do not tell: those of questions about other things reach those of good ones. So the share of the
        question's words that a section covers counts more, words that no file knows count against it, and so does that
        some section has a word of the question by chance: the fewer words there are, the larger is its share, and the
        more sections there are, the more of them some section has.
        """
        whole = sum(one.rarity * one.everyday for one in self._sought)
        telling = [one for one in self._sought if one.everyday == 1.0]
        unknown = sum(one.rarity for one in telling if not self._count(one.term.stems[0]))
        if not best or not whole:
            return False
        covers = max(one.covers for one in best[:_LOOKED_AT])
        missing = unknown / (sum(one.rarity for one in telling) or 1.0)
        chance = _BY_CHANCE / max(2, len(self._sought)) + _BY_SIZE * log10(max(1.0, self._sections / _SMALL))
        return covers + _SCORED * best[0].score / whole - _UNKNOWN * missing - chance > FITS


def _rarity(all_of_them: int, there: int) -> float:
    return log(1 + (all_of_them - there + 0.5) / (there + 0.5))


def _spelt(word: str) -> Iterator[str]:
    """The stems of an English word as it is spelt on the other side of the Atlantic: of "colour", "organise"."""
    for british, american in _SPELLINGS:
        for one, other in ((british, american), (american, british)):
            if one in word[2:]:
                yield from stems_of(word[:2] + word[2:].replace(one, other), "en")


def _near_stems(term: Term, near: NearWords) -> Sequence[tuple[str, float]]:
    """Stems of near words, looked up by the typed form, else by its base form."""
    for form in dict.fromkeys((term.word, english_base(term.word), term.stems[0])):
        if found := near.of(form):
            return [(stem, nearness) for other, nearness in found for stem in stems_of(other, "en")]
    return ()


@lru_cache(maxsize=1024)
def _table(weight: float) -> list[float]:
    """What each packed worth counts."""
    each = weight / SCALE
    return [each * worth for worth in range(256)]


def _best(
    segment: Segment, scores: list[float], files: list[float], floor: float
) -> Iterator[tuple[float, int]]:
    """The living sections of a segment that score above `floor`, with their files' scores added.

    The first sections of its best files are among them, whatever they say.
    """
    file_of, dead = segment.file_of, segment.dead
    least = max(_LEAST_PART * max(scores, default=0.0), floor - _FILE_SHARE * max(files, default=0.0))
    places = set(compress(range(len(scores)), map(least.__lt__, scores)))
    for number in nlargest(_LEADS, range(len(files)), key=files.__getitem__):
        if files[number] and number in segment.first_sections:
            places.add(segment.first_sections[number])
    for place in places:
        score = scores[place] + _FILE_SHARE * files[file_of[place]]
        if score > floor and file_of[place] not in dead:
            yield score, place


def without_copies(hits: Sequence[Hit]) -> list[Hit]:
    """The explained hits without those that have about the same words as a better one: the same page in two formats."""
    found: list[Hit] = []
    for hit in hits:
        if not any(len(hit.stems & one.stems) > _COPY * len(hit.stems | one.stems) for one in found):
            found.append(hit)
    return found


def spread_over_files(found: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits with each further section of a file scored lower, in their new order."""
    times: dict[str, int] = {}
    spread = []
    for hit in found:
        times[hit.path] = times.get(hit.path, -1) + 1
        spread.append((hit.score * _AGAIN ** times[hit.path], hit))
    spread.sort(key=lambda one: -one[0])
    return tuple(Hit(hit.segment, hit.place, score) for score, hit in spread)
