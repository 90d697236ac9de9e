"""What text must satisfy before it is counted, digested or sent, and its digest."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Words as search sees them: folded, without accents, each CJK character for itself; and plain-text
# snippets.

_IDEOGRAPH = (
    r"\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_WORD = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}_]+")
_QUERY = re.compile(r'(-?)"([^"]*)"?|(\S+)')
_WIDTH = 160


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a query asks for: words that stand together, perhaps only begun, perhaps unwanted."""

    words: tuple[str, ...]
    prefix: bool = False
    unwanted: bool = False


def words_of(text: str) -> list[str]:
    """The words of a text, folded."""
    return [word for match in _WORD.finditer(text) if (word := fold(match.group()).strip())]


def fold(word: str) -> str:
    """A word without case and accents."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))


def parse_query(query: str) -> tuple[Term, ...]:
    """What a person typed: words, "phrases", begin* and -unwanted. Nothing is an error; signs mean nothing else."""
    terms = []
    for minus, phrase, bare in _QUERY.findall(query):
        unwanted = bool(minus) or (bare.startswith("-") and len(bare) > 1)
        words = tuple(words_of(phrase or bare))
        if words:
            terms.append(Term(words, prefix=bare.endswith("*"), unwanted=unwanted))
    return tuple(terms)


def make_snippet(text: str, terms: Sequence[Term]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A piece of the text around its first match, on one line, and where in it the matches are."""
    matches = list(_matches(text, [term for term in terms if not term.unwanted]))
    first = matches[0][0] if matches else 0
    start = max(0, first - _WIDTH // 3)
    end = min(len(text), start + _WIDTH)
    marks = tuple((low - start, high - start) for low, high in matches if low >= start and high <= end)
    # Every character stays one character, so that the marks stay right.
    return "".join(" " if c.isspace() else c for c in text[start:end]), marks


def _matches(text: str, terms: Sequence[Term]) -> Iterable[tuple[int, int]]:
    """Where the terms are, word by word: of a phrase only where its words stand together."""
    spans = [match.span() for match in _WORD.finditer(text)]
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


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def repair_text(text: str) -> str:
    """Replace lone surrogates, which no encoding can carry, by U+FFFD; all other text is returned as it is."""
    if text.isascii():
        return text
    return _LONE_SURROGATE.sub("\ufffd", text)


def digest_text(text: str) -> str:
    """The SHA-256 of the text in UTF-8, as lower-case hex; different texts differ even in lone surrogates."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_chain(digests: tuple[str, ...] | list[str]) -> str:
    """One digest over a sequence of digests, in order."""
    return hashlib.sha256("\n".join(digests).encode("ascii")).hexdigest()
