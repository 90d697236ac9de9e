"""Extractive summaries without a model: of messages, by sentences with facts; of texts, by their sections."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from workbench.context.shorten.code import declarations
from workbench.context.shorten.compact import (
    NOT_SHORTER,
    Checked,
    Enforced,
    Original,
    Shortening,
    check,
    enforced,
    extract_of,
    facts_of,
    headings,
    whole_characters,
)
from workbench.context.shorten.pieces import clipped, ending_of, line_spans, shape_of
from workbench.domain.chunk import command_of
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message

if TYPE_CHECKING:
    from workbench.context.shorten.facts import FactsOf

_SENTENCE = re.compile(r"(?<=[.!?…])(?:['\")\]’”»]*)\s+(?=\S)|(?<=[。！？])")
_SPEAKERS = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "System"}
_LONGEST_CALL = 200
_TRIES = 4


@dataclass(frozen=True, slots=True)
class SummaryMessage:
    """One message to be summarised; `note` is our description of what is not quoted, such as a tool's result."""

    speaker: str
    text: str = ""
    own: bool = False
    note: str = ""


def summary_messages(entries: Sequence[Entry]) -> tuple[SummaryMessage, ...]:
    """A run of history as input of a summary: its words, and a line for each tool result and picture."""
    calls = {call.id: call for one in entries if isinstance(one, Message) for call in one.tool_calls}
    found: list[SummaryMessage] = []
    for entry in entries:
        if not isinstance(entry, Message):
            found.append(_chunk_message(entry))
        elif entry.role == "tool":
            call = calls.get(entry.tool_call_id or "")
            words = "a result" if call is None else f"{call.name} {_shorten_arguments(call.arguments)}"
            found.append(SummaryMessage("Tool", note=_left_out(words, entry.text)))
        else:
            note = (
                f"[{len(entry.images)} picture{'s' if len(entry.images) > 1 else ''}]" if entry.images else ""
            )
            found.append(SummaryMessage(_SPEAKERS[entry.role], entry.text, entry.role == "user", note))
    return tuple(one for one in found if one.text.strip() or one.note)


def _chunk_message(chunk: Entry) -> SummaryMessage:
    assert not isinstance(chunk, Message)
    command = command_of(chunk)
    if command is not None:
        return SummaryMessage("Tool", note=_left_out(command.words, command.result))
    if chunk.kind in ("environment", "delegation"):
        return SummaryMessage("Tool", note=_left_out(chunk.kind, chunk.body))
    own = chunk.kind == "agent" and getattr(chunk, "role", "") == "user"
    return SummaryMessage("User" if own else "Assistant", chunk.body, own)


def _left_out(words: str, text: str) -> str:
    return f"[{words}: {len(text):,} characters are left out; call it again to have them]"


def _shorten_arguments(arguments: str) -> str:
    return arguments if len(arguments) <= _LONGEST_CALL else "as before"


def original_of(said: Sequence[SummaryMessage]) -> Original:
    """What a summary of these messages is checked against; our notes on results count as said."""
    texts = tuple(part for one in said for part in (one.text, one.note) if part)
    return Original(texts, tuple(one.text for one in said if one.own))


@dataclass
class _Outline:
    """An extractive summary in progress: the sentences of each message that stay."""

    said: Sequence[SummaryMessage]
    whole: FactsOf
    sentences: list[list[str]] = field(default_factory=list)
    kept: list[set[int]] = field(default_factory=list)

    def choose(self) -> None:
        """Keep the user's first sentences and those with facts; of answers, the first and facts mentioned again."""
        self.sentences = [list(_sentences(one.text)) for one in self.said]
        names, language = self.whole.names, self.whole.language
        facts = [
            [facts_of(sentence, names, language).found for sentence in sentences] if one.text else []
            for one, sentences in zip(self.said, self.sentences, strict=True)
        ]
        own: set[str] = set()
        for one, found in zip(self.said, facts, strict=True):
            own |= {key for some in found for fact in some for key in fact.keys} if one.own else set()
        later: set[str] = set()
        self.kept = [set() for _ in self.said]
        for place in range(len(self.said) - 1, -1, -1):
            about = own | later
            self.kept[place] = set(_chosen(facts[place], None if self.said[place].own else about))
            later |= {key for some in facts[place] for fact in some for key in fact.keys}

    def mend(self, checked: Checked) -> bool:
        """Restore sentences with lost facts, remove those of answers that seem to add facts; whether any changed."""
        changed = False
        for place, one in enumerate(self.said):
            for number, sentence in enumerate(self.sentences[place]):
                if one.own and number not in self.kept[place] and _holds_any(sentence, checked.lost):
                    self.kept[place].add(number)
                    changed = True
                if not one.own and number in self.kept[place] and _holds_any(sentence, checked.invented):
                    self.kept[place].remove(number)
                    changed = True
        return changed

    @property
    def text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for one, sentences, kept in zip(self.said, self.sentences, self.kept, strict=True):
            chosen = [sentence for number, sentence in enumerate(sentences) if number in kept]
            if chosen:
                yield f"{one.speaker}: " + "\n".join(chosen)
            if one.note:
                yield one.note


def _holds_any(sentence: str, facts: Collection[str]) -> bool:
    return any(fact in sentence for fact in facts)


def _chosen(facts: Sequence[Sequence[object]], about: Collection[str] | None) -> Iterator[int]:
    for number, found in enumerate(facts):
        keys = {key for fact in found for key in getattr(fact, "keys", ())}
        if number == 0 or (keys and (about is None or not keys.isdisjoint(about))):
            yield number


def _sentences(text: str) -> Iterator[str]:
    """A text's sentences, none of them across a line break."""
    for line in text.splitlines():
        yield from (part.strip() for part in _SENTENCE.split(line) if part.strip())


def outline(said: Sequence[SummaryMessage]) -> Enforced:
    """Summarise messages by their own sentences; refused where the result is not shorter or loses facts."""
    original = original_of(said)
    made = _Outline(said, original.facts)
    made.choose()
    for _ in range(_TRIES):
        if len(made.text) >= original.chars:
            return Enforced(None, NOT_SHORTER)
        checked = check(made.text, original)
        if checked.holds or not made.mend(checked):
            break
    return enforced(made.text, original)


# A long text in sections that can come back one by one, and its outline: what there is of it, and where.
#
# Sections follow the text's own shape: headings, declarations, blocks between blank lines. The outline depends on the
# text alone, never on a question, so that it can stand in a prefix.


class SectionSize(NamedTuple):
    """Characters: none ends before the least, at a blank line from the usual on, and none is longer than the most.

    A longer line is cut anywhere, or `between_words`: behind a sentence where one ends in its second half.
    """

    least: int = 200
    usual: int = 1_000
    most: int = 1_600
    between_words: bool = False


USUAL_SIZE = SectionSize()
_MOST_ENTRIES = 60
_TITLE = 72


@dataclass(frozen=True, slots=True)
class TextSection:
    """A section of a text, as ranges of characters and of lines from 1; `title` is its heading or declaration."""

    start: int
    end: int
    first_line: int
    last_line: int
    title: str

    @property
    def anchor(self) -> str:
        """The part behind # that names the section."""
        return f"L{self.first_line}-{self.last_line}"


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or a piece of a very long one."""

    start: int
    end: int
    number: int


def sections_of(name: str, text: str, size: SectionSize = USUAL_SIZE) -> Iterator[TextSection]:
    """Split a text into sections of a size that can be quoted; together they cover all of it."""
    titles = _titles(name, text)
    title = under = ""
    chars = 0
    first: _Line | None = None
    last = _Line(0, 0, 0)
    for line in _lines(text, size):
        heading = titles.get(line.start)
        if first and chars and _ends(text, (last, line), chars, heading is not None, size):
            yield _section(first, last, under)
            first, chars = None, 0
        title = title if heading is None else heading
        if first is None or not under:
            under = title
        first, last = first or line, line
        chars += line.end - line.start
    if first:
        yield _section(first, last, under)


def outlined_text(artifact: Artifact, how: Shortening) -> str | None:
    """A table of contents of a text with line numbers, and how to get the text; None where that is not shorter."""
    text = artifact.text
    if not how.applies_to(artifact):
        return None
    have = f"to have it in full: {artifact.recover_with}"
    if not how.can_recover(artifact):
        have = f"without a tool to {artifact.recover_with}, ask for {artifact.name_for_model}"
    note = f"[an outline of {len(text):,} characters; sections that matter for a question are quoted before it; {have}]"
    body = "\n".join(_entries(artifact.name_for_model, text))
    return enforced(f"{body}\n{note}", extract_of(artifact, artifact.recover_with)).text


def _entries(name: str, text: str) -> Iterator[str]:
    """A line for each heading or declaration, or for each section where there is none."""
    listed = list(_heading_spans(name, text))
    shown = listed if len(listed) <= _MOST_ENTRIES else _evenly_spread(listed)
    for (first, last, words), after in pairwise((*shown, (0, 0, ""))):
        yield f"lines {first}–{last}: {words}"
        gap = after[0] - last - 1
        if after[0] and gap > 0:
            yield f"… {gap:,} more lines"


def _heading_spans(name: str, text: str) -> Iterator[tuple[int, int, str]]:
    titles = _titles(name, text)
    if not titles:
        for one in sections_of(name, text):
            words = text[one.start : one.end].strip().partition("\n")[0]
            yield one.first_line, one.last_line, clipped(words, _TITLE)
        return
    numbers = {start: number for number, (start, _) in enumerate(line_spans(text), 1)}
    firsts = sorted((numbers[start], words) for start, words in titles.items())
    if firsts[0][0] > 1:
        firsts.insert(0, (1, "…"))
    for (first, words), (after, _) in pairwise((*firsts, (len(numbers) + 1, ""))):
        yield first, after - 1, words


def _evenly_spread(entries: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """At most a fixed number of entries, evenly spread."""
    step = len(entries) / _MOST_ENTRIES
    return [entries[int(number * step)] for number in range(_MOST_ENTRIES)]


def _lines(text: str, size: SectionSize) -> Iterator[_Line]:
    most = size.most
    for number, (start, end) in enumerate(line_spans(text) if text else (), 1):
        at = start
        while end - at > most:
            # Cut before, never inside, a character that is drawn from several.
            piece = at + max(1, len(whole_characters(text[at : at + most + 1], most)))
            for mark in (". ", " ") if size.between_words else ():
                if (found := text.rfind(mark, at + most // 2, piece)) >= 0:
                    piece = found + len(mark)
                    break
            yield _Line(at, piece, number)
            at = piece
        yield _Line(at, end, number)


def _titles(name: str, text: str) -> dict[int, str]:
    """Offsets of headings or declarations, with their text."""
    if shape_of(name, text) == "code":
        declared = declarations(text, ending_of(name))
        return {start: clipped(" ".join(text[start:end].split()), _TITLE) for start, end in declared}
    found = {}
    for start in headings(text):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        found[start] = clipped(line.lstrip("#").strip(), _TITLE)
    return found


def _ends(text: str, around: tuple[_Line, _Line], chars: int, titled: bool, size: SectionSize) -> bool:
    """Whether a section ends between these two lines."""
    before, line = around
    if chars + line.end - line.start > size.most:
        return True
    if titled:
        return chars >= size.least
    blank = not text[before.start : before.end].strip()
    return blank and chars >= size.usual


def _section(first: _Line, last: _Line, title: str) -> TextSection:
    return TextSection(first.start, last.end, first.number, last.number, title)
