"""Words for full-text search: folded, without accents, each CJK character a word; and snippets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

_IDEOGRAPH = (
    r"\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_ASCII_WORD = re.compile("[a-z0-9]+")
_ASCII_WORDS = bytes(
    ord(chr(sign).lower()) if chr(sign).isascii() and chr(sign).isalnum() else ord(" ") for sign in range(256)
)
_QUERY = re.compile(r'(-?)"([^"]*)"?|(\S+)')
_WIDTH = 160
_LONG = 20_000


@cache  # compiling it takes 5 ms of a start, and words in ASCII need none of it
def _word() -> re.Pattern[str]:
    return re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}_]+")


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query: a word or phrase, perhaps a prefix, perhaps negated."""

    words: tuple[str, ...]
    prefix: bool = False
    unwanted: bool = False


def words_of(text: str) -> list[str]:
    """The words of a text, folded."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return [word for match in _word().finditer(text) if (word := fold(match.group()).strip())]


def word_line(text: str) -> str:
    """A text's words as they are indexed: folded and separated by blanks."""
    if text.isascii():
        # Letters become small in the same step: each step of a text of 16 MB is another 16 MB.
        return text.encode().translate(_ASCII_WORDS).decode()
    return " ".join(words_of(text))


def fold(word: str) -> str:
    """A word without case and accents."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))


def parse_query(query: str) -> tuple[Term, ...]:
    """Parse a query: words, "phrases", prefix* and -negated. Never an error; other signs mean nothing."""
    terms = []
    for minus, phrase, bare in _QUERY.findall(query):
        unwanted = bool(minus) or (bare.startswith("-") and len(bare) > 1)
        words = tuple(words_of(phrase or bare))
        if words:
            terms.append(Term(words, prefix=bare.endswith("*"), unwanted=unwanted))
    return tuple(terms)


def make_snippet(text: str, terms: Sequence[Term]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """An excerpt around a text's first match, on one line, and the spans of the matches in it."""
    wanted = [term for term in terms if not term.unwanted]
    if len(text) > _LONG:
        text = _near(text, wanted)
    matches = list(_matches(text, wanted))
    first = matches[0][0] if matches else 0
    start = max(0, first - _WIDTH // 3)
    end = min(len(text), start + _WIDTH)
    marks = tuple((low - start, high - start) for low, high in matches if low >= start and high <= end)
    # Every character stays one character, so that the marks stay right.
    return "".join(" " if c.isspace() else c for c in text[start:end]), marks


def _near(text: str, terms: Sequence[Term]) -> str:
    """The part of a long text around the first match; all of it where only folding finds one."""
    phrases = (r"[\W_]+".join(re.escape(word) for word in term.words) for term in terms)
    whole = (
        f"{phrase}" if term.prefix else rf"{phrase}(?![^\W_])"
        for phrase, term in zip(phrases, terms, strict=True)
    )
    found = re.search(rf"(?<![^\W_])(?:{'|'.join(whole)})", text, re.IGNORECASE)
    if found is None:
        return text
    start = max(0, found.start() - _LONG // 2)
    # Cut at a word: half of one could be taken for another.
    while 0 < start < found.start() and not text[start - 1].isspace():
        start += 1
    return text[start : start + _LONG]


def _matches(text: str, terms: Sequence[Term]) -> Iterable[tuple[int, int]]:
    """The spans of matched words; of a phrase only where its words are adjacent."""
    spans = [match.span() for match in _word().finditer(text)]
    words = [fold(text[start:end]) for start, end in spans]
    found = {
        position + step
        for term in terms
        for position in range(len(words) - len(term.words) + 1)
        if _begins_at(words, position, term)
        for step in range(len(term.words))
    }
    return (spans[position] for position in sorted(found))


def _begins_at(words: Sequence[str], position: int, term: Term) -> bool:
    *first, last = term.words
    end = position + len(first)
    if words[position:end] != first:
        return False
    return words[end].startswith(last) if term.prefix else words[end] == last


# Finding something by a few of its letters: how well they fit, and where they stand.


WORD_START, IN_A_ROW, ANYWHERE = 8, 5, 1
TITLE_FIRST = 20


def letters_in(typed: str, text: str) -> tuple[int, tuple[int, ...]] | None:
    """A fuzzy match: the score and positions of the typed letters in order in a text; None without a match."""
    wanted, within = typed.casefold(), text.casefold()
    if len(within) != len(text):
        within = text.lower() if len(text.lower()) == len(text) else text
    whole = within.find(wanted)
    if whole >= 0:
        at_start = whole == 0 or not within[whole - 1].isalnum()
        score = len(wanted) * IN_A_ROW + (WORD_START if at_start else 0) + (TITLE_FIRST if whole == 0 else 0)
        return score, tuple(range(whole, whole + len(wanted)))
    places: list[int] = []
    score, start = 0, 0
    for letter in wanted:
        if letter.isspace():
            continue
        place = within.find(letter, start)
        if place < 0:
            return None
        first = place == 0 or not within[place - 1].isalnum()
        score += WORD_START if first else IN_A_ROW if places and place == places[-1] + 1 else ANYWHERE
        places.append(place)
        start = place + 1
    # Letters strewn over a long title are not what somebody meant.
    return (score, tuple(places)) if score >= 3 * len(places) else None
