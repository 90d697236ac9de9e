"""Splits a text into comparable words: without case, accents and endings, in any language.

Identifiers, file names, versions and numbers count as wholes and by their parts; Chinese, Japanese and Korean by
characters and pairs of them. Which language a text is in is voted by its most common words; a text that is not English
is compared by its own stems and by the English ones, so that names and loan words are found from either side.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import add
from typing import Literal

from workbench.context.recall import irregular, stop_words
from workbench.context.recall.porter import english_stem, french_stem, german_stem, spanish_stem

Language = Literal["en", "de", "fr", "es"]
LANGUAGES: tuple[Language, ...] = ("en", "de", "fr", "es")

# What stands between the letters of one chunk: an apostrophe, or what joins the parts of a name in code or a number.
_CHUNK = re.compile(r"\w+(?:(?:[.'’_/:@+#&-]|,(?=\d{3}\b))\w+)*")
_EAST_ASIAN = re.compile(
    "[\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003134f]+"
)
_SYLLABLE = re.compile("[\u3040-\u30ff\uac00-\ud7af]")  # kana and Hangul: one alone says nothing
_PARTS = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]")
# "l'école", "d'accord", "O'Brien": the word stands after the apostrophe; "Anna's", "don't": before it.
_ELIDED = stop_words.words("l d j m t s n c o qu jusqu lorsqu puisqu quoiqu")
_LONGEST_CHUNK = 64
_MOST_PARTS = 64
_STOP_WORDS: dict[str, frozenset[str]] = {
    "en": stop_words.ENGLISH,
    "de": stop_words.GERMAN,
    "fr": stop_words.FRENCH,
    "es": stop_words.SPANISH,
}
_STEMMERS: dict[str, Callable[[str], str]] = {"de": german_stem, "fr": french_stem, "es": spanish_stem}
# Letters that settle it where common words are few.
_LETTERS: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("de", re.compile("[äöüßÄÖÜ]")),
    ("es", re.compile("[ñ¿¡áíóú]")),
    ("fr", re.compile("[çèêàùœâîô]")),
)

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A significant word of a text.

    Attributes:
        word: in lower case and without accents, before stemming.
        stems: what it is found by; the first is that of the text's own language.
        start, end: its span in the text.
    """

    word: str
    stems: Stems
    start: int
    end: int


def terms(text: str, language: Language | None = None) -> tuple[Term, ...]:
    """The significant words of a text in order; its language is detected where not given."""
    plain, east_asian = _without_east_asian(text)
    spoken = language or language_of(text) or "en"
    found = [
        Term(word, stems, chunk.start(), chunk.end())
        for chunk in _CHUNK.finditer(plain)
        for word in words_of(chunk[0])
        if (stems := stems_of(word, spoken))
    ]
    return tuple(sorted((*found, *east_asian), key=lambda term: term.start))


def language_of(text: str, usual: Language | None = None) -> Language | None:
    """The language with the most common words in a text, with a bonus for the `usual` one; None without any."""
    return _detect_language(text, {chunk.lower() for chunk in _CHUNK.findall(text)}, usual)


def counted(text: str) -> tuple[dict[str, int], int, Language | None]:
    """How often each stem occurs in a text, its number of significant words, and its language; optimised for speed."""
    plain, counts = _east_asian_counts(text)
    length = sum(counts.values())
    chunks = Counter(_CHUNK.findall(plain))
    language = _detect_language(text, {chunk.lower() for chunk in chunks})
    spoken = language or "en"
    for chunk, n in chunks.items():
        if found := (
            _stems_of_chunk(chunk, spoken)
            if len(chunk) <= _LONGEST_CHUNK
            else _stems_of_long_chunk(chunk, spoken)
        ):
            length += n
            for stem in found:
                counts[stem] = counts.get(stem, 0) + n
    return counts, length, language


def _detect_language(text: str, distinct: set[str], usual: Language | None = None) -> Language | None:
    if not text.isascii():
        distinct = {folded(word) for word in distinct}
    votes = {language: len(_STOP_WORDS[language] & distinct) for language in LANGUAGES}
    if not text.isascii():
        for language, letters in _LETTERS:
            votes[language] += 1 if letters.search(text) else 0
    if usual:
        votes[usual] += 1
    best = max(
        LANGUAGES, key=lambda language: (votes[language], language == usual)
    )  # English before its equals
    return best if votes[best] else None


@lru_cache(maxsize=1 << 16)
def _stems_of_chunk(chunk: str, language: str) -> Stems:
    """All stems that a chunk is found by in a text of a language."""
    return _stems_of_long_chunk(chunk, language)


def _stems_of_long_chunk(chunk: str, language: str) -> Stems:
    return tuple(stem for word in words_of(chunk) for stem in stems_of(word, language))


@lru_cache(maxsize=1 << 16)
def stems_of(word: str, language: str) -> Stems:
    """The stems of a folded word: in its language, then the English one; none for a stop word."""
    if word in _STOP_WORDS[language]:
        return ()
    english = english_stem(english_base(word))
    if language == "en":
        return (english,)
    own = _STEMMERS[language](word)
    return (own,) if own == english else (own, english)


def english_base(word: str) -> str:
    """The base of an irregular form ("went": "go"); any other word unchanged."""
    return irregular.ENGLISH.get(word, word)


def words_of(chunk: str) -> tuple[str, ...]:
    """A chunk's words, folded: itself, or the whole and its parts."""
    if chunk.isalpha() and not _HUMP.search(chunk):
        return (folded(chunk[:_LONGEST_CHUNK]),)
    if "'" in chunk or "’" in chunk:
        return tuple(word for part in _around_apostrophes(chunk) for word in words_of(part))
    parts = [
        folded(piece)
        for part in _PARTS.findall(chunk)[:_MOST_PARTS]
        for piece in (_CAMEL.findall(part) if part.isascii() and _HUMP.search(part) else (part,))
    ]
    whole = folded(chunk[:_LONGEST_CHUNK]).replace(",", "")
    if len(parts) == 1:
        return (whole,) if whole.isalnum() else (parts[0],)
    if whole.replace("-", "").isalpha():
        whole = whole.replace("-", "")  # "e-mail" is "email"
    return (whole, *(part for part in parts if len(part) > 1 or part.isdigit()))


def _around_apostrophes(chunk: str) -> Iterator[str]:
    """The significant side of an apostrophe; none for "won't" and the like."""
    if chunk.lower().endswith(("n't", "n’t")):
        return
    first, *others = re.split("['’]", chunk)
    yield from others[:_MOST_PARTS] if first.lower() in _ELIDED and others else (first,)


def folded(word: str) -> str:
    """A word without case and accents: "Café" is "cafe", "Straße" is "strasse"."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter)) or word


def _without_east_asian(text: str) -> tuple[str, tuple[Term, ...]]:
    """The text with blanks in place of Chinese, Japanese and Korean, and those as characters and pairs."""
    if text.isascii() or not _EAST_ASIAN.search(text):
        return text, ()
    found = tuple(term for run in _EAST_ASIAN.finditer(text) for term in _in_pieces(run[0], run.start()))
    return _blanked(text), found


def _in_pieces(run: str, start: int) -> Iterator[Term]:
    for length, pieces in ((1, run), (2, map(add, run, run[1:]))):
        for place, piece in enumerate(pieces, start):
            if _is_significant(piece):
                yield Term(piece, (piece,), place, place + length)


def _east_asian_counts(text: str) -> tuple[str, dict[str, int]]:
    """The text with East Asian parts blanked, and how often each character and pair occurs: what an index needs."""
    if text.isascii() or not _EAST_ASIAN.search(text):
        return text, {}
    counts = Counter[str]()
    for run in _EAST_ASIAN.findall(text):
        counts.update(run)
        counts.update(map(add, run, run[1:]))
    return _blanked(text), {piece: count for piece, count in counts.items() if _is_significant(piece)}


def _is_significant(piece: str) -> bool:
    return piece not in stop_words.EAST_ASIAN and not _SYLLABLE.fullmatch(piece)


def _blanked(text: str) -> str:
    return _EAST_ASIAN.sub(lambda run: " " * len(run[0]), text)
