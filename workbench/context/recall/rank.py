"""Ranks passages by relevance to a question: BM25, extended by neighbouring passages, near words, speakers and dates.

Each word of the question adds its best hit in a passage or its neighbours to that passage's score. Generators yield
every few milliseconds, so that other work on the same thread can go on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from operator import add
from typing import TypeVar, overload

from workbench.context.recall.index import REACH, Memo, PassageIndex, TermScores
from workbench.context.recall.near_words import NearWords
from workbench.context.recall.stop_words import words as _words
from workbench.context.recall.terms import Language, Term, english_base, folded, language_of, stems_of, terms
from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, PRIORITY_LOW, Artifact
from workbench.domain.recall import MatchedWord, WordKind
from workbench.domain.shown.attachment_view import Suggestion

# What a question asks for: its words, the speaker it means, and the months it names.


ROLES = frozenset(("", "user", "assistant", "tool", "system"))
_NAMED, _ROLE = 2.0, 1.5
_MOST_TERMS = 96
_MINE = _words(
    """
    i my me mine myself we our us ours ich mein meine meinen meinem meiner mir mich wir uns unser unsere je j mon ma mes
    moi nous notre nos yo mi mis nosotros nuestro nuestra
    """
)
_YOURS = _words(
    """
    you your yours yourself du dein deine deinen deinem deiner dir dich tu toi vous votre vos ton usted ustedes tus
    """
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janner janvier enero",
            "february feb februar fevrier febrero",
            "march mar marz mars marzo",
            "april apr avril abril",
            "may mai mayo",
            "june jun juni juin junio",
            "july jul juli juillet julio",
            "august aug aout agosto",
            "september sept sep septembre septiembre",
            "october oct oktober octobre octubre",
            "november nov novembre noviembre",
            "december dec dezember decembre diciembre",
        ),
        1,
    )
    for name in names.split()
}
# These are other words, too: they are months with a capital letter that does not only begin the question.
_DOUBTFUL = frozenset(("may", "march", "mar", "mars", "august", "jan", "jun", "sep", "dec", "mai", "juli"))
_WORD = re.compile(r"[^\W\d_]+")
_KIND_OF = re.compile(r"\b(?:kinds?|types?|sorts?) of\b", re.IGNORECASE)  # says nothing of what is asked for
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DATED = r"(?:\b(\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?: of| de)? )?{}(?:\.? ?(\d{{1,2}})(?!\d))?"
_EAST_ASIAN_MONTH = re.compile(r"(?<!\d)(1[0-2]|[1-9])\s?[月월]")


@dataclass(frozen=True, slots=True)
class Boost:
    """Passages whose score is multiplied because the question names their speaker or month.

    Attributes:
        word: as the question spells it.
        name: of the speaker, or the month as YYYY-MM.
    """

    word: str
    name: str
    places: frozenset[int]
    factor: float


@dataclass(frozen=True, slots=True)
class Query:
    """A question analysed for an index."""

    language: Language
    terms: tuple[Term, ...]
    speaker: Boost | None
    month: Boost | None


def read_question(index: PassageIndex, question: str) -> Query:
    """Analyse a question: its terms, language, and the speaker or month that it names."""
    usual = index.usual_language
    language = language_of(question, usual) or usual or "en"
    named = [speaker for speaker in index.by_speaker if speaker not in ROLES]
    names = {part: speaker for speaker in named for part in _name_parts(speaker)} or index.names_of_roles()
    distinct: dict[str, Term] = {}
    for term in terms(_KIND_OF.sub(lambda found: " " * len(found[0]), question), language):
        if term.word not in names:
            distinct.setdefault(term.stems[0], _with_all_stems(term, index.languages()))
    return Query(
        language,
        _rarest(index, tuple(distinct.values())),
        _speaker(index, question, names),
        _month(index, question),
    )


def _rarest(index: PassageIndex, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms of a very long question that are rarest in the index, in their order."""
    if len(terms) <= _MOST_TERMS:
        return terms
    numbered = sorted(enumerate(terms), key=lambda one: (index.passages_with(one[1].stems[0]), one[0]))
    kept = {number for number, _ in numbered[:_MOST_TERMS]}
    return tuple(term for number, term in enumerate(terms) if number in kept)


def _with_all_stems(term: Term, languages: Iterable[Language]) -> Term:
    """A term with its stems in all languages, since two words do not tell which language they are in."""
    stems = dict.fromkeys(chain(term.stems, *(stems_of(term.word, language) for language in languages)))
    return replace(term, stems=tuple(stems))


def _name_parts(speaker: str) -> list[str]:
    return [part for part in map(folded, _WORD.findall(speaker)) if len(part) > 1]


def _speaker(index: PassageIndex, question: str, names: dict[str, str]) -> Boost | None:
    words = {folded(word): word for word in reversed(_WORD.findall(question))}
    named = {names[part]: word for part, word in words.items() if part in names}
    if len(named) == 1:
        ((speaker, word),) = named.items()
        return _boost(word, speaker, index.by_speaker.get(speaker, ()), _NAMED)
    if named or not ROLES.intersection(index.by_speaker):
        return None
    mine = [word for part, word in words.items() if part in _MINE] or _characters(question, "我私僕나")
    yours = [word for part, word in words.items() if part in _YOURS] or _characters(question, "你您")
    if bool(mine) == bool(yours):
        return None
    role = "user" if mine else "assistant"
    return _boost((mine or yours)[-1], role, index.by_speaker.get(role, ()), _ROLE)


def _characters(question: str, wanted: str) -> list[str]:
    return [letter for letter in wanted if letter in question]


def _boost(word: str, name: str, places: Iterable[int], factor: float) -> Boost | None:
    found = frozenset(places)
    return Boost(word, name, found, factor) if found else None


def _month(index: PassageIndex, question: str) -> Boost | None:
    """A boost for the day or the month that a question names, and for the days after it, when people report on it."""
    if not index.by_day or not (named := _find_month(question)):
        return None
    word, number = named
    years = frozenset(_YEAR.findall(question))
    dated = re.search(_DATED.format(re.escape(word)), question)
    date = int(dated[1] or dated[2] or 0) if dated else 0
    for first, reach, factor in ((date, 3, 4.0), (1, 40, 2.0)):
        places = [
            place
            for day, there in index.by_day.items()
            if first and _is_in_or_just_after(day, number, first, reach, years)
            for place in there
        ]
        if places:
            return _boost(word, f"{number:02}", places, factor)
    return None


def _find_month(question: str) -> tuple[str, int] | None:
    if east := _EAST_ASIAN_MONTH.search(question):
        return east[0], int(east[1])
    for found in _WORD.finditer(question):
        word = folded(found[0])
        if word in _MONTHS and (word not in _DOUBTFUL or (found[0].istitle() and found.start())):
            return found[0], _MONTHS[word]
    return None


def _is_in_or_just_after(day: str, number: int, first: int, reach: int, years: frozenset[str]) -> bool:
    """Whether a day is at most so many days after the first one, in a calendar whose months all have 31."""
    year, month, date = day[:4], day[5:7], day[8:10]
    if not (year.isdecimal() and month.isdecimal() and date.isdecimal()):
        return False
    said_of = str(int(year) - (int(month) < number))
    days = (31 * (int(month) - number) + int(date) - first) % (12 * 31)
    return days <= reach and (not years or said_of in years)


T = TypeVar("T")
Hits = dict[int, dict[int, float]]  # by how far they spread: what was found at a place

SHARES = (1.0, 0.6, 0.4, 0.25)  # of a match, by the distance from where it is
# In a long index, near words and words that are in every tenth passage spread to the next ones only: more changes
# next to nothing, and takes most of the time.
_LONG, _OFTEN, _NEXT = 2_000, 0.1, 1
_NEAR = 0.8
_COMPOUND = 0.6
# A near word that is in more passages than that says nothing; but in a short conversation every word is in many of
# them, and in a very long one the work has to end.
_NEAR_SHARE, _NEAR_AT_LEAST, _NEAR_AT_MOST = 0.05, 3, 250
_DATE_START = 0.5
_SLICE = 1_500  # places worked on between two yields: about a millisecond on a slow core
_MOST_REMEMBERED = 150_000  # places, of all words together
_FEW = 1_000  # passages: so many are put in order at once
_SAMPLED = 16  # every such place, where an estimate is enough
_SPARSE = 0.04  # of the passages: a word that is in fewer is kept by place, in more as a whole list


@dataclass(frozen=True, slots=True)
class Mark:
    """A range of a passage's text to highlight."""

    start: int
    end: int
    kind: WordKind


@dataclass(frozen=True, slots=True)
class Match:
    """A passage with its score; `words` are filled in only by `explain`."""

    key: str
    score: float
    words: tuple[MatchedWord, ...] = ()


class Ranking(Sequence[Match]):
    """All passages with a score, best first, older first among equals; sorted lazily as far as it is read."""

    def __init__(self, index: PassageIndex, scores: list[float]) -> None:
        # The index makes new ones when something is taken out, so these stay as they are.
        self._passages, self._places = index.passages, index.places
        self._scores = scores
        self._count = len(index.passages)
        self._ordered: list[int] = []
        # Few are ever asked for, so they are put in order in steps, by their share of all.
        self._steps = [0.03, 0.2, 1.0] if self._count > _FEW else [1.0]
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

    def at(self, place: int) -> Match:
        passage = self._passages[place]
        assert passage is not None
        return Match(passage.key, self._scores[place])

    def _has(self, number: int) -> bool:
        while len(self._ordered) <= number and self._steps:
            self._order_next()
        return number < len(self._ordered)

    def _order_all(self) -> None:
        while self._steps:
            self._order_next()

    def _order_next(self) -> None:
        share, *self._steps = self._steps
        scores, reached = self._scores, self._reached
        # A sample says above which score the wanted share of the passages lies; the last step takes them all.
        sample = sorted(scores[::_SAMPLED], reverse=True)
        least = sample[int(share * len(sample))] if share < 1 else 0.0
        # The scores are more than the passages by what spread over the ends.
        some = [place for place, score in enumerate(scores[: self._count]) if least < score <= reached]
        there = [place for place in some if self._passages[place]]
        self._ordered += sorted(there, key=scores.__getitem__, reverse=True)
        self._reached = least


def run_to_end(steps: Generator[None, None, T]) -> T:
    """Run a generator of work slices to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result


def ranked(index: PassageIndex, question: str, near: NearWords | None) -> Ranking:
    """Rank the passages for a question in one go."""
    return run_to_end(ranking(index, question, near))


def ranking(index: PassageIndex, question: str, near: NearWords | None) -> Generator[None, None, Ranking]:
    """Rank the passages in slices of a few milliseconds; starts over when the index changes in between."""
    while True:
        version = index.version
        scores = yield from _scores(index, read_question(index, question), near)
        if index.version == version:
            return Ranking(index, scores)


def _scores(index: PassageIndex, asked: Query, near: NearWords | None) -> Generator[None, None, list[float]]:
    # What spreads over either end lands behind the last: a list's negative places are there, too.
    scores = [0.0] * (len(index.passages) + REACH)
    version = index.version
    index.prepare()
    for term in asked.terms:
        yield
        term_scores = yield from _term_scores(index, term, asked.language, near)
        if index.version != version:
            return scores
        if isinstance(term_scores, list):
            scores = list(map(add, scores, term_scores))
        else:
            for place, part in term_scores.items():
                scores[place] += part
    yield
    if asked.speaker:
        factor = asked.speaker.factor
        for place in asked.speaker.places:
            scores[place] *= factor
    if asked.month:
        for place in asked.month.places:
            scores[place] = (scores[place] + _DATE_START) * asked.month.factor
    return scores


def _term_scores(
    index: PassageIndex, term: Term, language: Language, near: NearWords | None
) -> Generator[None, None, TermScores]:
    """The score that one term gives each passage, near words included; cached until the index changes."""
    key, version = (term.word, term.stems, language, near is not None), index.version
    if key in index.memo:
        return index.memo[key]
    hits: Hits = {REACH: {}, _NEXT: {}}
    for way in _search_stems(index, term, language, near):
        index.find(way.stem, way.weight, hits[way.reach])
        yield
        if index.version != version:
            return {}
    if sum(map(len, hits.values())) < _SPARSE * len(index):
        term_scores: TermScores = _spread_few(hits)
    else:
        term_scores = yield from _spread_many(hits, len(index.passages) + REACH)
    if index.version == version:
        _remember(index.memo, key, term_scores)
    return term_scores


def _spread_few(hits: Hits) -> dict[int, float]:
    best: dict[int, float] = {}
    for reach, found in hits.items():
        for distance, share in enumerate(SHARES[: reach + 1]):
            for place, worth in found.items():
                for reached in (place - distance, place + distance):
                    if worth * share > best.get(reached, 0.0):
                        best[reached] = worth * share
    return best


def _spread_many(hits: Hits, size: int) -> Generator[None, None, list[float]]:
    """`_spread_few` into a list, which is faster for many hits; yields in between."""
    best = [0.0] * size
    for reach, found in hits.items():
        # Two lists, since pairs of them would be so many new objects to look after.
        places, worths = list(found), list(found.values())
        for place, worth in zip(places, worths, strict=True):
            if worth > best[place]:  # noqa: PLR1730  # calling max() would take twice as long
                best[place] = worth
        for distance, share in enumerate(SHARES[1 : reach + 1], 1):
            parts = list(map(share.__mul__, worths))
            for start in range(0, len(places), _SLICE):
                _raise(best, places[start : start + _SLICE], parts[start : start + _SLICE], distance)
                yield
    return best


def _raise(best: list[float], places: Sequence[int], parts: Sequence[float], distance: int) -> None:
    for place, part in zip(places, parts, strict=True):
        if part > best[place - distance]:  # noqa: PLR1730  # as above
            best[place - distance] = part
        if part > best[place + distance]:  # noqa: PLR1730
            best[place + distance] = part


def _remember(memo: Memo, key: tuple[object, ...], term_scores: TermScores) -> None:
    if len(term_scores) + sum(map(len, memo.values())) > _MOST_REMEMBERED:
        memo.clear()
    memo[key] = term_scores


@dataclass(frozen=True, slots=True)
class _SearchStem:
    """A stem that a question word is searched by, and what a hit is worth."""

    stem: str
    weight: float
    kind: WordKind
    reach: int


def _search_stems(
    index: PassageIndex, term: Term, language: Language, near: NearWords | None
) -> list[_SearchStem]:
    """The term's own stems, then those of near words and compounds that are not too common in the index."""
    most_often = max(map(index.passages_with, term.stems))
    rarity = index.rarity(most_often)
    near_reach = REACH if len(index) <= _LONG else _NEXT
    reach = REACH if most_often <= _OFTEN * len(index) else near_reach
    ways = [_SearchStem(stem, rarity, "exact", reach) for stem in term.stems]
    most = min(max(_NEAR_AT_LEAST, _NEAR_SHARE * len(index)), _NEAR_AT_MOST)
    others: Iterable[tuple[str, float]] = ()
    if language == "en" and near:
        others = _near(term.word, term.stems[0], near)
    elif language == "de":
        others = [(other, _COMPOUND) for other in index.compounds(term.stems[0])]
    for stem, nearness in others:
        if stem not in term.stems and 0 < (there := index.passages_with(stem)) <= most:
            weight = _NEAR * nearness * min(rarity, index.rarity(there))
            ways.append(_SearchStem(stem, weight, "near", near_reach))
    return ways


@lru_cache(maxsize=256)
def _near(word: str, stem: str, near: NearWords) -> tuple[tuple[str, float], ...]:
    """Stems of near words, looked up by the typed form, else by its base form."""
    for form in dict.fromkeys((word, english_base(word), stem)):
        if found := near.of(form):
            return tuple((each, nearness) for other, nearness in found for each in stems_of(other, "en"))
    return ()


def explain(index: PassageIndex, question: str, near: NearWords | None, key: str) -> Match:
    """One passage's match with the words that explain it; no words where it has no score or is not indexed."""
    return run_to_end(reasons_for(index, question, near)).of(key)


def reasons_for(index: PassageIndex, question: str, near: NearWords | None) -> Generator[None, None, Reasons]:
    """Prepare the explanations of matches for a question, yielding after each word."""
    asked = read_question(index, question)
    ways: list[tuple[str, Sequence[_SearchStem]]] = []
    for term in asked.terms:
        ways.append((question[term.start : term.end], _search_stems(index, term, asked.language, near)))
        yield
    return Reasons(index, asked, ways)


class Reasons:
    """Explains why passages match a question; valid as long as the index does not change."""

    def __init__(
        self, index: PassageIndex, asked: Query, ways: Sequence[tuple[str, Sequence[_SearchStem]]]
    ) -> None:
        self._index, self._asked, self._search_stems = index, asked, ways

    def of(self, key: str) -> Match:
        place, asked = self._index.place(key), self._asked
        if place is None:
            return Match(key, 0.0)
        reasons = (_reason(self._index, place, word, ways) for word, ways in self._search_stems)
        words = [reason for reason in reasons if reason]
        score = sum(word.part for word in words)
        if score and (speaker := _boost_at(place, asked.speaker)):
            words.append(MatchedWord(speaker.word, speaker.name, "speaker", score * (speaker.factor - 1)))
            score *= speaker.factor
        if month := _boost_at(place, asked.month):
            more = (score + _DATE_START) * month.factor - score
            words.append(MatchedWord(month.word, month.name, "date", more))
            score += more
        return Match(key, score, tuple(words))


def _boost_at(place: int, favoured: Boost | None) -> Boost | None:
    return favoured if favoured and place in favoured.places else None


def _reason(index: PassageIndex, place: int, word: str, ways: Sequence[_SearchStem]) -> MatchedWord | None:
    """A word's best hit in a passage or its neighbours, the only one that counts."""
    best: MatchedWord | None = None
    for distance in sorted(range(-REACH, REACH + 1), key=abs):
        for way in ways:
            if abs(distance) > way.reach:
                continue
            part = SHARES[abs(distance)] * index.worth(place + distance, way.stem, way.weight)
            if part > (best.part if best else 0.0):
                found = "" if distance else _spelling(index, place, way.stem)
                best = MatchedWord(word, found, "neighbour" if distance else way.kind, part, way.stem)
    return best


def _spelling(index: PassageIndex, place: int, stem: str) -> str:
    """How a passage spells the word of this stem."""
    passage = index.passages[place]
    text = passage.text if passage else ""
    return next((text[term.start : term.end] for term in terms(text) if stem in term.stems), stem)


def marks(text: str, words: Iterable[MatchedWord]) -> tuple[Mark, ...]:
    """The ranges of a match's words in its passage's text, in order and without overlaps."""
    kinds: dict[str, WordKind] = {word.stem: word.kind for word in words if word.kind in ("exact", "near")}
    found: list[Mark] = []
    for term in terms(text):
        kind = next((kinds[stem] for stem in term.stems if stem in kinds), None)
        if kind and found and term.start < found[-1].end:
            found[-1] = Mark(found[-1].start, max(found[-1].end, term.end), found[-1].kind)
        elif kind:
            found.append(Mark(term.start, term.end, kind))
    return tuple(found)


# How well texts fit a question, each against the best of them, and what priorities that suggests.


_AT_MOST = ((0.85, 2), (0.6, 4))
"""From this share on a text's priority is at most that, so that it is dropped late."""
_HARDLY, _AT_LEAST = 0.1, 7
"""Up to this share it is at least that, so that it is dropped early."""
_LEAST_STEP = 2
"""A smaller change is not worth a decision."""


def shares(index: PassageIndex, ranked: Iterable[Match]) -> dict[str, float]:
    """For each group of passages, its best score relative to the best of all; groups without a match are absent."""
    found = {passage.group: 0.0 for passage in index}
    best = 0.0
    for match in ranked:  # the best come first
        place = index.place(match.key)
        passage = None if place is None else index.passages[place]
        best = best or match.score
        if passage is not None and not found[passage.group]:
            found[passage.group] = match.score / best
    return found


def wanted_priority(share: float, now: int) -> int:
    """The priority that a relevance share suggests: relevant is dropped late, irrelevant early, others keep theirs."""
    low, high = _range(share)
    return min(max(now, low), high)


def suggested(found: Mapping[str, float], attached: Sequence[Artifact]) -> dict[str, int]:
    """The priorities that relevance shares suggest; none where all artifacts are equally relevant."""
    if len({_range(share) for share in found.values()}) < 2:
        return {}
    return {one.key: wanted_priority(found[one.key], one.priority) for one in attached if one.key in found}


def _range(share: float) -> tuple[int, int]:
    """The lowest and highest priority for a relevance share."""
    if share <= _HARDLY:
        return _AT_LEAST, PRIORITY_LOW
    return PRIORITY_ESSENTIAL, next((most for least, most in _AT_MOST if share >= least), PRIORITY_LOW)


def suggestions(
    wanted: Mapping[str, int], attached: Sequence[Artifact], decided: Collection[str]
) -> tuple[Suggestion, ...]:
    """The suggestions worth showing; never for artifacts pinned, dropped last, or `decided` on by the user."""
    return tuple(
        Suggestion(one.key, one.priority, wanted[one.key])
        for one in open_to_suggestions(attached, decided)
        if abs(wanted.get(one.key, one.priority) - one.priority) >= _LEAST_STEP
    )


def open_to_suggestions(attached: Iterable[Artifact], decided: Collection[str]) -> tuple[Artifact, ...]:
    """Returns the artifacts whose priority the user has not decided, so that one may be suggested."""
    return tuple(
        one
        for one in attached
        if not one.essential and one.priority != PRIORITY_ESSENTIAL and one.key not in decided
    )
