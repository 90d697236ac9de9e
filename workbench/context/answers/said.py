"""The facts that an answer states, with their places: those of its prose, its quotations, and quoted blocks of code."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import accumulate
from typing import Literal

from workbench.context.shorten.facts import CJK, FOREIGN, Fact, FactsOf, cleaned

SaidKind = Literal["number", "date", "time", "name", "code", "path", "url", "email", "quotation", "line"]
Span = tuple[int, int]
LEAST_QUOTED_WORDS = 4
_QUOTED_SIGNS = 6
_SMALL = 13
"""Numbers in words below this one are mostly the writer's own ("two reasons"), unless they have a unit."""
_FACTOR = re.compile(rf"\d{{1,2}}(?:\s?(?:\w|[{CJK}]{{1,2}}))?\s?[×x*]\s?\d")
"""A small number before what it multiplies, which is no fact: 2 × 240 g, 3晚×468元."""
TITLES = frozenset({"herr", "herrn", "frau", "mr", "mrs", "ms", "dr", "prof"})
_FENCED = re.compile(
    r"^[ ]{0,3}(```+|~~~+)[^\n]*\n(.*?)(?:^[ ]{0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_QUOTATION = re.compile(
    r'"([^"\n]{12,600})"|“([^”\n]{6,600})”|„([^“”"\n]{12,600})[“”"]|«\s?([^»\n]{12,600}?)\s?»|»([^«\n]{12,600})«'
    r"|「([^」\n]{6,600})」|『([^』\n]{6,600})』"
)
_WORD = re.compile(rf"[{CJK}]|[^\W_{CJK}]+(?:['’-][^\W_{CJK}]+)*")
_SIGN = re.compile(f"[{CJK}]")
_GIVEN = f"[{CJK}](?<![的了是在有和与及等为也都就将被把对从到于不以其之说])"
"""A sign of a name: none of those that only join words."""
_ENDS = re.compile(
    r"[.!?…](?<!\bMio.)(?<!\bMrd.)(?<!\bDr.)(?<!\bNr.)(?<!\bca.)(?<!\bbzw.)(?<!\b[A-Za-z].)(?=\s)|[。！？\n]"
)
_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_LONGEST_SENTENCE = 2_000
_LINE = re.compile(r"(?:\b(?:[Ll]ines?|Zeilen?)\s(?:\d+\s?[-–]\s?)?|第\s?|\w\.\w{1,5}:)$")


@dataclass(frozen=True, slots=True)
class Said:
    """One fact of an answer, to be looked for.

    Attributes:
        text: as the answer writes it; spans: all its places in the answer.
        key: by which equal ones are the same; fact: its forms, where it is a number, a date or a time.
        around: the words of the sentence that states it first.
        block: of a line of code, which block it stands in; -1 elsewhere.
        line: of a number that names a line of a file, which; 0 elsewhere.
    """

    text: str
    kind: SaidKind
    spans: tuple[Span, ...]
    key: tuple[str, ...]
    language: str = "en"
    fact: Fact | None = None
    around: frozenset[str] = frozenset()
    block: int = -1
    line: int = 0


def facts_said(answer: str, known: frozenset[str] = frozenset()) -> tuple[Said, ...]:
    """Every fact of an answer once, in the order of their first places; `known` words begin a name."""
    found: dict[tuple[str, ...], list[Said]] = {}
    for one in _Answer(answer, known).said():
        found.setdefault(one.key, []).append(one)
    facts = (
        replace(same[0], spans=tuple(span for one in same for span in one.spans))
        if len(same) > 1
        else same[0]
        for same in found.values()
    )
    return tuple(sorted(facts, key=lambda one: one.spans[0]))


def own_code(answer: str) -> str:
    """The blocks of code in an answer."""
    return "\n".join(found[2] for found in _FENCED.finditer(answer))


class _Answer:
    """One answer: its prose without its blocks of code, cleaned, with the way back to its own places."""

    def __init__(self, answer: str, known: frozenset[str]) -> None:
        self._answer = answer
        self._blocks = [found.span(2) for found in _FENCED.finditer(answer)]
        self._prose = _FENCED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), answer)
        self._facts = FactsOf(self._prose, known)
        self._words: dict[int, frozenset[str]] = {}

    def said(self) -> Iterator[Said]:
        language = self._facts.language
        for fact in (_as_meant(one, language) for one in self._facts.placed):
            start, end = self._own(fact.span)
            before = self._answer[max(0, start - 2) : start].strip()
            factor = _FACTOR.match(self._answer, start) or (before == "×" and end - start < 3)
            multiplies = fact.keys == fact.bare and factor
            if not (_is_small(fact) or multiplies or fact.text.lower() in TITLES):
                kind = _kind(fact)
                yield Said(
                    self._answer[start:end], kind, ((start, end),), (kind, *sorted(fact.keys)), language, fact,
                    self._around(start), line=self._line_named(start, end),
                )  # fmt: skip
        for name in filter(FOREIGN.match, self._facts.known):
            alike = f"(?:{name[1]}{_GIVEN}|{_GIVEN}{name[2]})" if len(name) > 2 else _GIVEN
            for found in re.finditer(name[0] + alike, self._answer):
                yield Said(found[0], "name", (found.span(),), ("name", found[0]))
        yield from self._quotations()
        yield from self._lines()

    def _line_named(self, start: int, end: int) -> int:
        """The number of a line, where that is what a number is: "line 72", "Zeile 72", "auth.py:72"."""
        written = self._answer[start:end]
        before = _LINE.search(self._answer[max(0, start - 14) : start]) if written.isdecimal() else None
        return int(written[:9]) if before else 0

    def _quotations(self) -> Iterator[Said]:
        for found in _QUOTATION.finditer(self._prose):
            words = found[found.lastindex or 0]
            if is_quotation(words):
                span, key = found.span(found.lastindex or 0), ("quotation", cleaned(words))
                yield Said(words, "quotation", (span,), key, around=self._around(span[0]))

    def _lines(self) -> Iterator[Said]:
        """The lines of blocks; whether a block is a quotation is seen when they are looked for."""
        for number, (start, end) in enumerate(self._blocks):
            at = start
            for line in self._answer[start:end].splitlines(keepends=True):
                bare = line.strip()
                if bare:
                    span = (at + line.index(bare), at + line.index(bare) + len(bare))
                    key = ("line", str(number), str(at))
                    yield Said(bare, "line", (span,), key, block=number)
                at += len(line)

    def _around(self, at: int) -> frozenset[str]:
        number = bisect_right(self._sentence_starts, at)
        found = self._words.get(number)
        if found is None:
            sentence = self._answer[slice(*self._sentence_starts[number - 1 : number + 1])].lower()
            found = self._words[number] = frozenset(_WORD.findall(sentence[:_LONGEST_SENTENCE]))
        return found

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [*sentence_starts(self._answer), len(self._answer)]

    def _own(self, span: Span) -> Span:
        """A place of the cleaned text as one of the answer."""
        if len(self._facts.clean) == len(self._prose):
            return span
        cleaned_at, own_at = self._shifts
        return tuple(  # type: ignore[return-value]
            min(len(self._answer), own_at[n] + min(at - cleaned_at[n], self._room(n)))
            for at in span
            for n in (bisect_right(cleaned_at, at) - 1,)
        )

    def _room(self, number: int) -> int:
        _, own_at = self._shifts
        return (own_at[number + 1] if number + 1 < len(own_at) else len(self._answer)) - own_at[number]

    @cached_property
    def _shifts(self) -> tuple[list[int], list[int]]:
        """Where pieces begin in the cleaned text and in the answer; cleaning changes lengths outside ASCII only."""
        text = self._prose
        pieces: list[str] = []
        at = 0
        for found in _RUN.finditer(text):
            pieces += [text[at : found.start()], *_characters(found[0])]
            at = found.end()
        pieces = [piece for piece in (*pieces, text[at:]) if piece]
        own = list(accumulate(map(len, pieces), initial=0))
        return list(accumulate((len(cleaned(piece)) for piece in pieces), initial=0)), own


def _characters(run: str) -> Iterator[str]:
    """The characters of a run, each with the marks that combine with it."""
    start = 0
    for at in range(1, len(run) + 1):
        if at == len(run) or not unicodedata.combining(run[at]):
            yield run[start:at]
            start = at


def sentence_starts(text: str) -> list[int]:
    """Where the sentences of a text begin; a line of a list or a table is one."""
    return [0, *(found.end() for found in _ENDS.finditer(text))]


def is_quotation(words: str) -> bool:
    """Whether words in quotation marks are quoted, not just named: at least four of them."""
    found = _WORD.findall(words)
    signs = sum(_SIGN.match(one) is not None for one in found)
    return len(found) - signs >= LEAST_QUOTED_WORDS or signs >= _QUOTED_SIGNS


def _kind(fact: Fact) -> SaidKind:
    if fact.kind == "code" and re.match(
        r"(?:[A-Za-z]:\\|~/|\.{0,2}/)?[\w.@+~-]+[/\\][\w.@+/\\~-]*$|/\w", fact.text
    ):
        return "path"
    return fact.kind


def _is_small(fact: Fact) -> bool:
    """Whether it is a small number in words, without a unit: most are about the answer itself."""
    if fact.kind != "number" or any(sign.isdigit() for sign in fact.text):
        return False
    return any(f"n:{value}" in fact.keys for value in range(_SMALL))


def _as_meant(fact: Fact, language: str) -> Fact:
    """A number as its language reads it: 12,500 is no 12.5 in English."""
    found = re.search(r"\d([.,])\d{3}(?!\d)", fact.text)
    if fact.kind != "number" or found is None or len(fact.keys) < 2:
        return fact
    decimal = "," if language in ("de", "fr", "es") else "."
    # Of both readings, the one with decimals is the smaller.
    chosen = (min if found[1] == decimal else max)(
        fact.keys, key=lambda key: Decimal(key[2:].partition(" ")[0])
    )
    bare = frozenset(key for key in fact.bare if ("." in key) == (found[1] == decimal))
    return replace(fact, keys=frozenset({chosen}), bare=bare or fact.bare)


def quoted_parts(words: str) -> Sequence[str]:
    """A quotation's words in the parts that dots of omission leave."""
    parts = re.split(r"\[?(?:\.{3}|…)\]?", words)
    return [part for part in parts if _WORD.search(part)]
