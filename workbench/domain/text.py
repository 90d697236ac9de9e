"""What text must satisfy before it is counted, digested or sent, and its digest."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

# Words as search sees them: folded, without accents, each CJK character for itself; and plain-text
# snippets.

_IDEOGRAPH = (
    r"\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_WORD = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}_]+")
_ASCII_WORD = re.compile("[a-z0-9]+")
_ASCII_WORDS = bytes(sign if chr(sign).isascii() and chr(sign).isalnum() else ord(" ") for sign in range(256))
_QUERY = re.compile(r'(-?)"([^"]*)"?|(\S+)')
_WIDTH = 160
_LONG = 20_000


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a query asks for: words that stand together, perhaps only begun, perhaps unwanted."""

    words: tuple[str, ...]
    prefix: bool = False
    unwanted: bool = False


def words_of(text: str) -> list[str]:
    """The words of a text, folded."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return [word for match in _WORD.finditer(text) if (word := fold(match.group()).strip())]


def word_line(text: str) -> str:
    """The words of a text as they are indexed: folded, with blanks around them."""
    if text.isascii():
        return text.encode().lower().translate(_ASCII_WORDS).decode()
    return " ".join(words_of(text))


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
    """The piece of a long text in which the terms are met first; all of it where only folding tells."""
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
    try:
        text.encode()  # many times as quick as looking for one
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def harmless(text: str) -> str:
    """Foreign text in which nothing acts unseen: controls, and what hides or turns text round, stand as their codes.

    By a fixed list, so that the same text gives the same bytes with every Python.
    """
    text = repair_text(text).replace("\r\n", "\n")
    return _UNSEEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def digest_text(text: str) -> str:
    """The SHA-256 of the text in UTF-8, as lower-case hex; different texts differ even in lone surrogates."""
    return _digest(text) if len(text) < _LONG_CHARS else _long_digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# A long draft is digested at every key, several times over: as a message, as a segment, for its count.
_LONG_CHARS = 20_000
_long_digest = lru_cache(maxsize=4)(_digest)


def digest_chain(digests: tuple[str, ...] | list[str]) -> str:
    """One digest over a sequence of digests, in order."""
    return hashlib.sha256("\n".join(digests).encode("ascii")).hexdigest()


# What a chat is called until someone names it: the first words of its first question, without their markup.

_LONGEST_TITLE = 60
_MOST_CLEANED, _MOST_SEARCHED = 500, 200_000
_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
_LINE_MARKS = re.compile(
    r"^(?:#{1,6}[ \t]+|>[ \t]*|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,3}[.)][ \t]+|\|[ \t]*)+"
)
_RULE = re.compile(r"[-*_=|: \t]{3,}")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_STARS = re.compile(r"(?<![\w*])(\*{1,3}|~~)(?=\S)([^*~]+?)(?<=\S)\1(?![\w*])")
_CODE = re.compile(r"(`+)(.+?)\1")
_TAG = re.compile(
    r"</?(?:a|b|br|code|div|em|h[1-6]|i|img|li|ol|p|pre|span|strong|u|ul)(?:\s[^<>]*)?/?>", re.IGNORECASE
)


def title_from(question: str) -> str:
    """The first line with words in it, cut at a word where it is long; a line of code only where there is no other."""
    question = question[:_MOST_SEARCHED]
    for text in (_FENCED.sub("", question), _FENCE.sub("", question)):
        line = next((bare for bare in map(_without_markup, text.splitlines()) if bare), "")
        if line:
            return _cut_at_word(line)
    return _cut_at_word(next((bare for bare in map(str.strip, question.splitlines()) if bare), ""))


def _without_markup(line: str) -> str:
    line = line.strip()[:_MOST_CLEANED]
    if _RULE.fullmatch(line):
        return ""
    line = _TAG.sub("", _LINK.sub(r"\1", _LINE_MARKS.sub("", line)))
    return " ".join(_CODE.sub(r"\2", _STARS.sub(r"\2", line)).split())


def _cut_at_word(line: str) -> str:
    if len(line) <= _LONGEST_TITLE:
        return line
    cut = line[: _LONGEST_TITLE - 1]
    # One word longer than half a title, or a script without blanks, is cut where it must be.
    if line[_LONGEST_TITLE - 1] != " " and " " in cut[_LONGEST_TITLE // 2 :]:
        cut = cut.rpartition(" ")[0]
    return f"{cut.rstrip()}…"
