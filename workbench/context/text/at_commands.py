"""Commands in a question, such as `@read notes.md`, and names mentioned after @."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

# Where in a text there is code: fenced blocks, indented lines, and words between backticks.

Span = tuple[int, int]
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_INDENTED = re.compile(r"(?: {4}|\t)")
_TICKS = re.compile(r"`+")


def code_spans(text: str) -> tuple[Span, ...]:
    """The spans of all code, in order; an unclosed fence extends to the end, as in Markdown."""
    spans: list[Span] = []
    prose_start = 0
    for start, end in _blocks(text):
        spans += [*_inline(text, prose_start, start), (start, end)]
        prose_start = end
    return (*spans, *_inline(text, prose_start, len(text)))


def is_in(spans: Sequence[Span], place: int) -> bool:
    """Whether a place lies in one of the spans, which are sorted and do not overlap."""
    before = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return before >= 0 and place < spans[before][1]


def _blocks(text: str) -> Iterator[Span]:
    fence, opened, place = "", 0, 0
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                yield opened, place + len(line)
                fence = ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence, opened = found[1], place
        elif _INDENTED.match(line):
            yield place, place + len(line)
        place += len(line)
    if fence:
        yield opened, len(text)


def _inline(text: str, start: int, end: int) -> Iterator[Span]:
    """Spans between a run of backticks and the next run of the same length."""
    runs = list(_TICKS.finditer(text, start, end))
    closing: dict[int, list[int]] = {}
    for number, run in enumerate(runs):
        closing.setdefault(len(run[0]), []).append(number)
    number = 0
    while number < len(runs):
        same = closing[len(runs[number][0])]
        following = bisect_right(same, number)
        if following == len(same):
            number += 1
            continue
        yield runs[number].start(), runs[same[following]].end()
        number = same[following] + 1


MOST_COMMANDS = 8
_NAMES = ("read", "search", "ls")
_COMMAND = re.compile(rf"(?<!\S)@({'|'.join(_NAMES)})(?![^\s])")
_QUOTED = re.compile(r'[ \t]+"([^"\n]*)"')
_TOKEN = re.compile(r"[ \t]+(\S+)")
_REST = re.compile(r"[ \t]+([^\n]*)")
# Ends a sentence, not a name: "see @read notes.md, then answer."
_PUNCTUATION = ".,;:!?)"


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A tool to run before the model is asked; arguments are JSON, as a model would write them.

    Attributes:
        left_out: how many commands are not run, this one and those after it; none is where this is 0.
    """

    name: str
    arguments: str
    left_out: int = 0


def planned_calls(question: str) -> tuple[PlannedCall, ...]:
    """The commands of a question in order, each once; the question itself is unchanged.

    The ninth represents all that exceed the limit, so that its result can say so.

    A command is at the start of a line or after a space, outside code. Anything else after @ is text.
    """
    # A long draft is read at every key, and most have no command at all.
    if "@" not in question or not any(f"@{name}" in question for name in _NAMES):
        return ()
    code = code_spans(question)
    found = [match for match in _COMMAND.finditer(question) if not is_in(code, match.start())]
    if not found:
        return ()
    ends = [*(match.start() for match in found[1:]), len(question)]
    calls = (_call(match[1], question[match.end() : end]) for match, end in zip(found, ends, strict=True))
    unique = tuple(dict.fromkeys(call for call in calls if call is not None))
    too_many = unique[MOST_COMMANDS:]
    return (*unique[:MOST_COMMANDS], *(replace(call, left_out=len(too_many)) for call in too_many[:1]))


def _call(command: str, after: str) -> PlannedCall | None:
    """The call for a command and the text up to the next one; None where its argument is missing."""
    quoted = _QUOTED.match(after)
    if command == "search":
        return _search(quoted, _REST.match(after))
    token = _TOKEN.match(after)
    path = quoted[1] if quoted else token[1].rstrip(_PUNCTUATION) if token else ""
    if command == "ls":
        return _planned("ls", path=path or ".")
    return _planned("read", path=path) if path else None


def _search(quoted: re.Match[str] | None, rest: re.Match[str] | None) -> PlannedCall | None:
    if quoted:
        return _planned("grep", pattern=quoted[1], ignore_case=True) if quoted[1].strip() else None
    words = " ".join(rest[1].split()) if rest else ""
    return _planned("grep", pattern=words, words=True, ignore_case=True) if words else None


def _planned(tool: str, **arguments: Any) -> PlannedCall:
    return PlannedCall(tool, json.dumps(arguments, ensure_ascii=False))


# Files that a question names, such as `@notes.md` or `@"spec 2.pdf#p3-5"`: they are attached to it.
#
# What is a command (`@read`, `@search`, `@ls`) is none, and neither is an address such as `me@example.org`.


MOST_NAME_CHARS = 1_000
COMMANDS = ("read", "search", "ls")
_MENTION = re.compile(r'(?<!\S)@(?:"([^"\n]{1,1000})"|([^\s"@][^\s"]{0,1000}))')
# Ends a sentence, not a name: "see @notes.md, then answer."
_NAME_PUNCTUATION = ".,;:!?)…"
# What breaks a line, hides, turns text around or is half a letter; and what would make code of the words around it.
_UNWRITABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff`]"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name after @, with its span in the text, @ and quotes included."""

    name: str
    start: int
    end: int


def mentions(question: str) -> tuple[Mention, ...]:
    """The names that a question mentions, in order, each once, outside code."""
    # A long draft is read at every key, and most name nothing.
    if "@" not in question:
        return ()
    code = code_spans(question)
    found: dict[str, Mention] = {}
    for match in _MENTION.finditer(question):
        quoted, plain = match[1], (match[2] or "").rstrip(_NAME_PUNCTUATION)
        name = quoted or plain
        if not name.strip() or (plain in COMMANDS and not quoted) or is_in(code, match.start()):
            continue
        end = match.end() if quoted else match.start() + 1 + len(plain)
        found.setdefault(name, Mention(name, match.start(), end))
    return tuple(found.values())


def mention_text(name: str) -> str:
    """A name as it is written in a question so that it is found again; empty where that is impossible."""
    if _UNWRITABLE.search(name):
        return ""
    for written in (f"@{name}", f'@"{name}"'):
        if [one.name for one in mentions(written)] == [name] and _MENTION.fullmatch(written):
            return written
    return ""


def can_be_named(name: str) -> bool:
    """Whether `mention_text` of a name is parsed as that very name again, and is legible."""
    return name == name.strip() and len(name) <= MOST_NAME_CHARS and mention_text(name) != ""
