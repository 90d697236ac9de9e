"""Which passages matter for a question: the method of BM25, with neighbours, near words, speakers and dates.

A passage gets the best of what each word of the question finds in it or near it; the sum over the words is its score.
The work is done in small slices, so that whoever shares the thread can go on in between.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import overload

from workbench.context.recall.asked import Asked, Favoured, read_question
from workbench.context.recall.index import REACH, Memo, PassageIndex
from workbench.context.recall.near_words import NearWords
from workbench.context.recall.words import Language, Term, english_base, stems_of, terms
from workbench.domain.recall import MatchedWord, WordKind

SHARES = (1.0, 0.6, 0.4, 0.25)  # of a match, by the distance from where it is
_NEAR = 0.8
_COMPOUND = 0.6
_NEAR_AT_MOST = 0.05  # of all passages: a near word that is in more of them says nothing
_NEAR_AT_LEAST = 3  # passages: in a short conversation every word is in many of them
_DATE_START = 0.5
_SLICE = 1_500  # places worked on between two breaths: about two milliseconds on a slow core
_MOST_REMEMBERED = 150_000  # places, of all words together
_MISFITS = 60  # so many in a row that do not fit, and the room that is left is taken for too small
_STEPS = (0.6, 0.4, 0.25, 0.1, 0.0)  # scores are put in order in steps, since few are ever asked for


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a passage's text to be marked."""

    start: int
    end: int
    kind: WordKind


@dataclass(frozen=True, slots=True)
class Match:
    """A passage that matters; `words` are only there where somebody asked (`explain`)."""

    key: str
    score: float
    words: tuple[MatchedWord, ...] = ()


class Ranking(Sequence[Match]):
    """All passages with a score, the best first, older ones first among equals; in order as far as somebody looks."""

    def __init__(self, index: PassageIndex, scores: list[float]) -> None:
        # The index makes new ones when something is taken out, so these stay as they are.
        self._passages, self._places = index.passages, index.places
        self._scores = scores
        self._best = max(scores, default=0.0)
        self._ordered: list[int] = []
        self._step = 0
        self._reached = float("inf")

    def __iter__(self) -> Iterator[Match]:
        number = 0
        while self._has(number):
            yield self.at(self._ordered[number])
            number += 1

    def __len__(self) -> int:
        self._order_all()
        return len(self._ordered)

    def __bool__(self) -> bool:
        return self._has(0)

    @overload
    def __getitem__(self, number: int) -> Match: ...
    @overload
    def __getitem__(self, number: slice) -> list[Match]: ...
    def __getitem__(self, number: int | slice) -> Match | list[Match]:
        if isinstance(number, slice):
            if number.stop is None or number.stop < 0 or (number.start or 0) < 0 or (number.step or 1) < 0:
                self._order_all()
            else:
                self._has(number.stop - 1)
            return [self.at(place) for place in self._ordered[number]]
        if number < 0:
            self._order_all()
        elif not self._has(number):
            raise IndexError(number)
        return self.at(self._ordered[number])

    def place(self, key: str) -> int:
        """Where a passage stands among the others."""
        return self._places.get(key, -1)

    def of(self, keys: Iterable[str]) -> list[Match]:
        """The matches of some passages, the best first; what is not there is left out, what has no score is not."""
        places = sorted(place for key in keys if (place := self.place(key)) >= 0)
        return sorted(map(self.at, places), key=lambda match: -match.score)

    def at(self, place: int) -> Match:
        """The match at a place that is not empty; its score may be nothing."""
        passage = self._passages[place]
        assert passage is not None
        return Match(passage.key, self._scores[place])

    def _has(self, number: int) -> bool:
        while len(self._ordered) <= number and self._step < len(_STEPS):
            self._order_next()
        return number < len(self._ordered)

    def _order_all(self) -> None:
        while self._step < len(_STEPS):
            self._order_next()

    def _order_next(self) -> None:
        least, reached = self._best * _STEPS[self._step], self._reached
        passages = self._passages
        # The list is longer than the passages by what shone over its ends.
        some = [
            place
            for place, score in enumerate(self._scores[: len(passages)])
            if least < score <= reached and passages[place]
        ]
        self._ordered += sorted(some, key=self._scores.__getitem__, reverse=True)
        self._step, self._reached = self._step + 1, least


def ranked(index: PassageIndex, question: str, near: NearWords | None) -> Ranking:
    """The passages that matter for a question, all at once."""
    steps = ranking(index, question, near)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: Ranking = done.value
            return result


def ranking(index: PassageIndex, question: str, near: NearWords | None) -> Generator[None, None, Ranking]:
    """The same in slices of a few milliseconds; begins again when the index changes in between."""
    while True:
        version = index.version
        scores = yield from _scores(index, read_question(index, question), near)
        if index.version == version:
            return Ranking(index, scores)


def _scores(index: PassageIndex, asked: Asked, near: NearWords | None) -> Generator[None, None, list[float]]:
    # What shines over either end lands behind the last: a list's negative places are there, too.
    scores = [0.0] * (len(index.passages) + REACH)
    index.damping()
    done = 0
    version = index.version
    for term in asked.terms:
        shine = yield from _shine(index, term, asked.language, near)
        if index.version != version:
            return scores
        for place, part in shine.items():
            scores[place] += part
        done += len(shine)
        if done > 4 * _SLICE:
            yield
            done = 0
    if asked.speaker:
        factor = asked.speaker.factor
        for place in asked.speaker.places:
            scores[place] *= factor
    if asked.month:
        for place in asked.month.places:
            scores[place] = (scores[place] + _DATE_START) * asked.month.factor
    return scores


def _shine(
    index: PassageIndex, term: Term, language: Language, near: NearWords | None
) -> Generator[None, None, dict[int, float]]:
    """What a word of the question gives to each passage, near ones included; kept until the index changes."""
    key, version = (term.word, term.stems, near is not None), index.version
    if key in index.memo:
        return index.memo[key]
    best = yield from _hits(index, _ways(index, term, language, near))
    items = list(best.items())
    for start in range(0, len(items), _SLICE):
        _spread(best, items[start : start + _SLICE])
        if start + _SLICE < len(items):
            yield
    if index.version == version:
        _remember(index.memo, key, best)
    return best


def _hits(index: PassageIndex, ways: Sequence[_Way]) -> Generator[None, None, dict[int, float]]:
    """Where a word is found, by any of its ways, and the best of what that is worth."""
    hits: dict[int, float] = {}
    waiting, version = 0, index.version
    for way in ways:
        for place, worth in index.hits(way.stem, way.weight):
            if worth > hits.get(place, 0.0):
                hits[place] = worth
        waiting += index.passages_with(way.stem)
        if waiting > 2 * _SLICE:
            yield
            waiting = 0
            if index.version != version:
                break
    return hits


def _remember(memo: Memo, key: tuple[object, ...], shine: dict[int, float]) -> None:
    if len(shine) + sum(map(len, memo.values())) > _MOST_REMEMBERED:
        memo.clear()
    memo[key] = shine


def _spread(best: dict[int, float], hits: list[tuple[int, float]]) -> None:
    get = best.get
    for distance, share in enumerate(SHARES[1:], 1):
        for place, worth in hits:
            part = worth * share
            if part > get(place - distance, 0.0):
                best[place - distance] = part
            if part > get(place + distance, 0.0):
                best[place + distance] = part


@dataclass(frozen=True, slots=True)
class _Way:
    """A stem by which a word is found, and what finding it is worth."""

    stem: str
    weight: float
    kind: WordKind


def _ways(index: PassageIndex, term: Term, language: Language, near: NearWords | None) -> list[_Way]:
    """Its own stems, then those of near words and compounds that are not all over the place."""
    rarity = index.rarity(max(map(index.passages_with, term.stems)))
    ways = [_Way(stem, rarity, "exact") for stem in term.stems]
    most = max(_NEAR_AT_LEAST, _NEAR_AT_MOST * len(index))
    others = _near(term, near) if language == "en" and near else []
    if language == "de":
        others += [(other, _COMPOUND) for other in index.compounds(term.stems[0])]
    for stem, nearness in others:
        if stem not in term.stems and 0 < (there := index.passages_with(stem)) <= most:
            ways.append(_Way(stem, _NEAR * nearness * min(rarity, index.rarity(there)), "near"))
    return ways


def _near(term: Term, near: NearWords) -> list[tuple[str, float]]:
    """Stems of near words, of the form that was typed or else of its base."""
    for form in dict.fromkeys((term.word, english_base(term.word), term.stems[0])):
        if found := near.of(form):
            return [(stem, nearness) for word, nearness in found for stem in stems_of(word, "en")]
    return []


def chosen(
    matches: Ranking,
    tokens_of: Callable[[str], int],
    budget: int,
    *,
    always: frozenset[str] = frozenset(),
    never: frozenset[str] = frozenset(),
) -> tuple[Match, ...]:
    """The best that fit, in the order in which they were said; `always` before all others, even without a score."""
    taken: list[Match] = []
    misfits = 0
    others = (match for match in matches if match.key not in always)
    for match in chain(matches.of(always), others):
        if match.key in never:
            continue
        if (tokens := tokens_of(match.key)) <= budget:
            taken.append(match)
            budget -= tokens
            misfits = 0
        elif (misfits := misfits + 1) > _MISFITS and match.key not in always:
            break
    return tuple(sorted(taken, key=lambda match: matches.place(match.key)))


def explain(index: PassageIndex, question: str, near: NearWords | None, key: str) -> Match:
    """The match of one passage with its words; without any where it has no score, or is not there."""
    return Reasons(index, question, near).of(key)


class Reasons:
    """Why passages match a question: it is read once for all of them, as long as the index stays as it is."""

    def __init__(self, index: PassageIndex, question: str, near: NearWords | None) -> None:
        self._index = index
        self._asked = asked = read_question(index, question)
        self._ways = [
            (question[term.start : term.end], _ways(index, term, asked.language, near))
            for term in asked.terms
        ]

    def of(self, key: str) -> Match:
        """The match of a passage with its words."""
        place, asked = self._index.place(key), self._asked
        if place is None:
            return Match(key, 0.0)
        reasons = (_reason(self._index, place, word, ways) for word, ways in self._ways)
        words = [reason for reason in reasons if reason]
        score = sum(word.part for word in words)
        if score and (speaker := _counts_for(place, asked.speaker)):
            words.append(MatchedWord(speaker.word, speaker.name, "speaker", score * (speaker.factor - 1)))
            score *= speaker.factor
        if month := _counts_for(place, asked.month):
            more = (score + _DATE_START) * month.factor - score
            words.append(MatchedWord(month.word, month.name, "date", more))
            score += more
        return Match(key, score, tuple(words))


def _counts_for(place: int, favoured: Favoured | None) -> Favoured | None:
    return favoured if favoured and place in favoured.places else None


def _reason(index: PassageIndex, place: int, word: str, ways: Sequence[_Way]) -> MatchedWord | None:
    """The best of what a word finds in a passage and in its neighbours: only that counts."""
    best: MatchedWord | None = None
    for distance in sorted(range(-REACH, REACH + 1), key=abs):
        for way in ways:
            part = SHARES[abs(distance)] * index.worth(place + distance, way.stem, way.weight)
            if part > (best.part if best else 0.0):
                found = "" if distance else _form(index, place, way.stem)
                best = MatchedWord(word, found, "neighbour" if distance else way.kind, part, way.stem)
    return best


def _form(index: PassageIndex, place: int, stem: str) -> str:
    """How a stem is written in a passage."""
    passage = index.passages[place]
    text = passage.text if passage else ""
    return next((text[term.start : term.end] for term in terms(text) if stem in term.stems), stem)


def marks(text: str, words: Iterable[MatchedWord]) -> tuple[Mark, ...]:
    """Where the words of a match stand in its passage's text, in order, never one over another."""
    kinds: dict[str, WordKind] = {word.stem: word.kind for word in words if word.kind in ("exact", "near")}
    found: list[Mark] = []
    for term in terms(text):
        kind = next((kinds[stem] for stem in term.stems if stem in kinds), None)
        if kind and found and term.start < found[-1].end:
            found[-1] = Mark(found[-1].start, max(found[-1].end, term.end), found[-1].kind)
        elif kind:
            found.append(Mark(term.start, term.end, kind))
    return tuple(found)
