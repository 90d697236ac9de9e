"""Shortens a long text to its structure and a preview, and checks that a short text keeps the facts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from workbench.context.recall.terms import folded, stems_of
from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.context_settings import CompactionSettings
from workbench.domain.translation import joined, tr

if TYPE_CHECKING:
    from workbench.context.shorten.facts import FactsOf

# The one door every compaction passes: what a short text must not lose and must not add, checked after it was made.


_NAMED = 8
NOT_SHORTER = tr("It would not be shorter than what it replaces.")
NOT_RECOVERABLE = tr("Its text cannot be had again from anywhere, so it stays as it is.")


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with a short text: facts that are not in the original, and lost facts of the user."""

    invented: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every required fact is kept and none is new."""
        return not (self.invented or self.lost)

    @property
    def words(self) -> str:
        """What was lost and what was added, in words; empty where nothing was."""
        said = []
        if self.lost:
            said.append(tr("lost from your messages: {facts}", facts=_listed(self.lost)))
        if self.invented:
            said.append(tr("not in the original: {facts}", facts=_listed(self.invented)))
        return joined(said, "; ")


@dataclass(frozen=True)
class Original:
    """What a short text replaces; its facts are extracted once.

    Attributes:
        texts: everything that it replaces; own_words: what the user wrote of it, whose facts must stay.
        recoverable: whether the model can get the whole text again.
        must_say: what the short text must contain verbatim, such as how to get the whole.
        extractive: the short text is made of pieces of the original and of our own words about it, so that its facts
            hold by construction and are not looked for again.
    """

    texts: tuple[str, ...]
    own_words: tuple[str, ...] = ()
    recoverable: bool = True
    must_say: tuple[str, ...] = ()
    extractive: bool = False

    @property
    def chars(self) -> int:
        return sum(map(len, self.texts))

    @cached_property
    def facts(self) -> FactsOf:
        return facts_of("\n\n".join(self.texts))

    @cached_property
    def own_facts(self) -> FactsOf:
        return facts_of("\n\n".join(self.own_words), self.facts.names, self.facts.language)


def facts_of(text: str, *known: Any) -> FactsOf:
    """The facts of a text; loaded late: their patterns take 20 ms of a start, and most requests shorten nothing."""
    from workbench.context.shorten.facts import FactsOf

    return FactsOf(text, *known)


def extract_of(artifact: Artifact, hint: str) -> Original:
    """The original of an extract of an artifact, which must say how to get the whole."""
    return Original((artifact.text,), recoverable=artifact.recoverable, must_say=(hint,), extractive=True)


@dataclass(frozen=True, slots=True)
class Enforced:
    """The short text where it may replace the original; None where the original stays, with the reason in words."""

    text: str | None
    refusal: str = ""
    checked: Checked = Checked()


def check(short: str, original: Original) -> Checked:
    """Compare a short text's facts with the original's: none may be new, and none of the user's may be lost."""
    made = facts_of(short, original.facts.names, original.facts.language)
    invented = [fact.text for fact in made.found if not original.facts.holds(fact)]
    invented += [word for word in made.openings if not _has_word_form(word, original.facts)]
    lost = [fact.text for fact in original.own_facts.found if not made.holds_exactly(fact)]
    return Checked(tuple(dict.fromkeys(invented)), tuple(dict.fromkeys(lost)))


def _has_word_form(word: str, facts: FactsOf) -> bool:
    """Whether a text has a word in any of its forms."""
    return word.lower() in facts.words or not facts.stems.isdisjoint(stems_of(folded(word), facts.language))


def enforced(short: str, original: Original) -> Enforced:
    """Accept a short text, or say why the original stays."""
    if not original.recoverable:
        return Enforced(None, NOT_RECOVERABLE)
    if len(short) >= original.chars:
        return Enforced(None, NOT_SHORTER)
    missing = [words for words in original.must_say if words not in short]
    if missing:
        return Enforced(None, tr("It does not say: {facts}.", facts=_listed(missing)))
    if original.extractive:
        return Enforced(short)
    checked = check(short, original)
    if not checked.holds:
        return Enforced(None, checked.words, checked)
    return Enforced(short, checked=checked)


def _listed(words: Sequence[str]) -> str:
    named, more = ", ".join(words[:_NAMED]), len(words) - _NAMED
    return tr("{shown} and {n} more", shown=named, n=more) if more > 0 else named


_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_FENCE_MARKS = ("```", "~~~")
_FENCE = re.compile(r"[ ]{0,3}(```|~~~)")
# The same in every Python, so that a cut falls at the same place.
_UNICODE = unicodedata.ucd_3_2_0
_PREVIEWS_WITHOUT_HEADINGS = 4
_LONGEST_FACT = 64
_LONGEST_CHARACTER = 64
_SENTENCE_END = re.compile(r"[.!?。！？]['\")\]]*\s")


@dataclass(frozen=True, slots=True)
class Shortening:
    """How texts are shortened in one request: the sizes, and the tools by which a model could get the rest."""

    sizes: CompactionSettings
    tools: frozenset[str] = frozenset()

    def applies_to(self, artifact: Artifact) -> bool:
        """Whether an artifact may be shortened: it is recoverable, and longer than a minimum."""
        long = len(artifact.text) > self.sizes.verbatim_chars
        return artifact.recoverable and long and artifact.kind not in self.sizes.verbatim_kinds

    def may_summarise(self, artifact: Artifact) -> bool:
        """Whether a summary written by a model may replace it."""
        kinds = self.sizes.summary_kinds
        allowed = artifact.kind not in self.sizes.verbatim_kinds and (kinds is None or artifact.kind in kinds)
        return allowed and artifact.recoverable

    def can_recover(self, artifact: Artifact) -> bool:
        """Whether the model has the tool to read the whole text."""
        return artifact.recovery_tool in self.tools


def compact_text(artifact: Artifact, how: Shortening) -> str | None:
    """The artifact's text shortened, with how to get the whole; None where it is sent verbatim.

    What would not get shorter stays as it is.
    """
    text, settings = artifact.text, how.sizes
    if not how.applies_to(artifact):
        return None
    body = _sections(text, settings) or _cut(text, _PREVIEWS_WITHOUT_HEADINGS * settings.section_chars)
    recovery = f"to have it in full: {artifact.recover_with}"
    if not how.can_recover(artifact):
        recovery = f"without a tool to {artifact.recover_with}, ask for what is missing"
    short = f"{body}\n[compacted from {len(text):,} characters; {recovery}]"
    return enforced(short, extract_of(artifact, artifact.recover_with)).text


def _sections(text: str, settings: CompactionSettings) -> str:
    starts = list(headings(text))
    if not starts:
        return ""
    shown = starts[: settings.max_sections]
    ends = [*starts[1 : len(shown)], starts[len(shown)] if len(starts) > len(shown) else len(text)]
    pieces = [
        _section(text[start:end], settings.section_chars) for start, end in zip(shown, ends, strict=True)
    ]
    if opening := text[: starts[0]].strip():
        pieces.insert(0, _cut(opening, settings.section_chars))
    if omitted := len(starts) - len(shown):
        pieces.append(f"[{omitted} more section{'s' if omitted > 1 else ''} omitted]")
    return "\n\n".join(pieces)


def headings(text: str) -> Iterator[int]:
    """Offsets of headings, except in fenced code, where a # is a comment."""
    marked = sorted({start for mark in _FENCE_MARKS for start in lines_with(text, mark)})
    fences = [start for start in marked if _FENCE.match(text, start)]
    position = 0
    for start in lines_with(text, "#"):
        if _HEADING.match(text, start) is None:
            continue
        while position < len(fences) and fences[position] < start:
            position += 1
        if position % 2 == 0:
            yield start


def lines_with(text: str, mark: str) -> Iterator[int]:
    """Offsets of lines that contain a mark; searching for it is far faster than testing every line."""
    at = text.find(mark)
    while at >= 0:
        yield text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        at = text.find(mark, end) if end >= 0 else -1


def _section(section: str, limit: int) -> str:
    first_line, _, body = section.partition("\n")
    heading, preview = _cut(first_line.rstrip(), limit), _cut(body.strip(), limit)
    return f"{heading}\n{preview}" if preview else heading


def _cut(text: str, limit: int) -> str:
    """At most `limit` characters, ending at a paragraph, else a sentence, else a word."""
    if len(text) <= limit:
        return text
    head = text[: limit + 1]
    # A cut in the first half would throw away more than it tidies.
    half = limit // 2
    paragraph = head.rfind("\n\n")
    if paragraph >= half:
        return head[:paragraph].rstrip() + " …"
    sentences = [match.end() for match in _SENTENCE_END.finditer(head)]
    if sentences and sentences[-1] >= half:
        return head[: sentences[-1]].rstrip() + " …"
    word = max(head.rfind(" "), head.rfind("\n"))
    return whole_facts(text, word if word >= half else limit).rstrip() + " …"


def whole_characters(text: str, end: int) -> str:
    """The text up to `end`, cut before and never inside a character made of several code points.

    One of very many is torn: it is no character of any language, and there may be nothing before it.
    """
    least = max(0, end - _LONGEST_CHARACTER)
    start = end
    while least < start < len(text) and joins(text[start - 1], text[start]):
        start -= 1
    return text[: end if 0 < start == least else start]


def whole_facts(text: str, end: int) -> str:
    """The text up to `end`, cut before and never inside a number, a name or an identifier.

    A plain word may be torn, and so is what is very long: there is nothing else to do with it.
    """
    fact = fact_around(text, end)
    return whole_characters(text, end if fact is None else fact[0])


def fact_around(text: str, place: int) -> tuple[int, int] | None:
    """The span of the number, name or identifier that a cut at this place would split."""
    first = last = place
    while first > max(0, place - _LONGEST_FACT) and _binds(text[first - 1]):
        first -= 1
    while last < min(len(text), place + _LONGEST_FACT) and _binds(text[last]):
        last += 1
    telling = any(c.isdigit() or c.isupper() or c in "_/@" for c in text[first:last])
    within = place - _LONGEST_FACT < first < place < last < place + _LONGEST_FACT
    return (first, last) if telling and within else None


def _binds(character: str) -> bool:
    return character.isalnum() or character in "_.,:/@-'%$€"


def joins(before: str, after: str) -> bool:
    """Whether two code points form one displayed character."""
    skin_tone = 0x1F3FB <= ord(after) <= 0x1F3FF
    # By category, not by combining class: the vowel signs of Thai and Hindi have class 0.
    return skin_tone or "\u200d" in (before, after) or _UNICODE.category(after).startswith("M")
