"""What a question asks for: its words, the speaker it means, and the months it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

from workbench.context.recall.index import PassageIndex
from workbench.context.recall.stop_words import words as _words
from workbench.context.recall.terms import Language, Term, folded, language_of, stems_of, terms

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
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_EAST_ASIAN_MONTH = re.compile(r"(?<!\d)(1[0-2]|[1-9])\s?[月월]")


@dataclass(frozen=True, slots=True)
class Boost:
    """Passages that count more, and the word that says so.

    Attributes:
        word: as it stands in the question.
        name: of the speaker, or the month as YYYY-MM.
    """

    word: str
    name: str
    places: frozenset[int]
    factor: float


@dataclass(frozen=True, slots=True)
class Query:
    """A question, read for an index."""

    language: Language
    terms: tuple[Term, ...]
    speaker: Boost | None
    month: Boost | None


def read_question(index: PassageIndex, question: str) -> Query:
    """What a question asks for, of the passages that there are."""
    usual = index.usual_language
    language = language_of(question, usual) or usual or "en"
    names = {
        part: speaker for speaker in index.by_speaker if speaker not in ROLES for part in _name_parts(speaker)
    }
    distinct: dict[str, Term] = {}
    for term in terms(question, language):
        if term.word not in names:
            distinct.setdefault(term.stems[0], _in_all(term, index.languages()))
    return Query(
        language,
        _rarest(index, tuple(distinct.values())),
        _speaker(index, question, names),
        _month(index, question),
    )


def _rarest(index: PassageIndex, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The words of a very long question that say most, in their order."""
    if len(terms) <= _MOST_TERMS:
        return terms
    numbered = sorted(enumerate(terms), key=lambda one: (index.passages_with(one[1].stems[0]), one[0]))
    kept = {number for number, _ in numbered[:_MOST_TERMS]}
    return tuple(term for number, term in enumerate(terms) if number in kept)


def _in_all(term: Term, languages: Iterable[Language]) -> Term:
    """A word with its stems in all languages: a question of two words does not say in which one it is."""
    stems = dict.fromkeys(chain(term.stems, *(stems_of(term.word, language) for language in languages)))
    return replace(term, stems=tuple(stems))


def _name_parts(speaker: str) -> list[str]:
    return [part for part in map(folded, _WORD.findall(speaker)) if len(part) > 1]


def _speaker(index: PassageIndex, question: str, names: dict[str, str]) -> Boost | None:
    words = {folded(word): word for word in reversed(_WORD.findall(question))}
    if names:
        named = {names[part]: word for part, word in words.items() if part in names}
        if len(named) != 1:
            return None
        ((speaker, word),) = named.items()
        return _favoured(word, speaker, index.by_speaker[speaker], _NAMED)
    mine = [word for part, word in words.items() if part in _MINE] or _characters(question, "我私僕나")
    yours = [word for part, word in words.items() if part in _YOURS] or _characters(question, "你您")
    if bool(mine) == bool(yours):
        return None
    role = "user" if mine else "assistant"
    return _favoured((mine or yours)[-1], role, index.by_speaker.get(role, ()), _ROLE)


def _characters(question: str, wanted: str) -> list[str]:
    return [letter for letter in wanted if letter in question]


def _favoured(word: str, name: str, places: Iterable[int], factor: float) -> Boost | None:
    found = frozenset(places)
    return Boost(word, name, found, factor) if found else None


def _month(index: PassageIndex, question: str) -> Boost | None:
    """The month that a question names, with the first ten days of the next: people tell what has just been."""
    if not index.by_day or not (named := _month_named(question)):
        return None
    word, number = named
    years = frozenset(_YEAR.findall(question))
    places = [
        place
        for day, there in index.by_day.items()
        if _is_in_or_just_after(day, number, years)
        for place in there
    ]
    return _favoured(word, f"{number:02}", places, 2.0)


def _month_named(question: str) -> tuple[str, int] | None:
    if east := _EAST_ASIAN_MONTH.search(question):
        return east[0], int(east[1])
    for found in _WORD.finditer(question):
        word = folded(found[0])
        if word in _MONTHS and (word not in _DOUBTFUL or (found[0].istitle() and found.start())):
            return found[0], _MONTHS[word]
    return None


def _is_in_or_just_after(day: str, number: int, years: frozenset[str]) -> bool:
    year, month, date = day[:4], day[5:7], day[8:10]
    if not (year.isdecimal() and month.isdecimal() and date.isdecimal()):
        return False
    after = int(month) == number % 12 + 1 and int(date) <= 10
    said_of = str(int(year) - 1) if after and int(month) == 1 else year
    return (int(month) == number or after) and (not years or said_of in years)
