"""What a search found as the list shows it: hits by chat, each a piece of plain text with places to mark."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from workbench.domain.record import Hit
from workbench.ui.chats.lines import title_of

Marks = tuple[tuple[int, int], ...]
BEFORE = 18
"""How many characters stand before the first match, so that it is seen in a narrow list."""

_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class FoundHead:
    """The chat whose hits follow."""

    id: str
    chat: str
    title: str
    hits: int


@dataclass(frozen=True, slots=True)
class FoundLine:
    """One hit; `subject` is the message or the attachment that it is in, `words` are what matched, each once."""

    id: str
    chat: str
    subject: str
    where: Literal["message", "title", "attachment"]
    snippet: str
    marks: Marks
    words: tuple[str, ...] = ()


Line = FoundHead | FoundLine


def found_lines(hits: Iterable[Hit]) -> tuple[Line, ...]:
    """All lines: chats in the order of their best hit, and below each its hits."""
    by_chat: dict[str, list[Hit]] = {}
    for hit in hits:
        by_chat.setdefault(hit.chat, []).append(hit)
    lines: list[Line] = []
    for chat, own in by_chat.items():
        lines.append(FoundHead(f"chat:{chat}", chat, title_of(own[0].chat_title), len(own)))
        lines += (_line(hit, number) for number, hit in enumerate(own))
    return tuple(lines)


def _line(hit: Hit, number: int) -> FoundLine:
    snippet, marks = near_match(harmless(hit.snippet), hit.marks)
    subject = "" if hit.where == "title" else hit.subject
    words = tuple(dict.fromkeys(hit.snippet[low:high] for low, high in hit.marks))
    key = f"{hit.where}:{hit.chat}:{hit.subject}:{number}"
    return FoundLine(key, hit.chat, subject, hit.where, snippet, marks, words)


def harmless(snippet: str) -> str:
    """The text without signs that turn or break a line, each replaced by one other, so that marks stay right."""
    return "".join("·" if unicodedata.category(sign) in _HIDDEN else sign for sign in snippet)


def near_match(snippet: str, marks: Marks) -> tuple[str, Marks]:
    """The snippet from a little before its first match on, and where the matches are then."""
    sound = tuple((start, end) for start, end in marks if 0 <= start < end <= len(snippet))
    if not sound or sound[0][0] <= BEFORE:
        return snippet, sound
    start = sound[0][0] - BEFORE
    space = snippet.find(" ", start, sound[0][0])
    start = space + 1 if space >= 0 else start
    shift = start - 1
    return "…" + snippet[start:], tuple((low - shift, high - shift) for low, high in sound)
