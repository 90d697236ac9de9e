"""Where words stand in a chat: searched in what was said, not in widgets, of which only some messages have any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.ui.chat.messages.feed import Answer, Item, Note, Question
from workbench.ui.chat.messages.tool_line import CALL, LONGEST_SHOWN
from workbench.ui.chat.messages.tool_words import command_words, record_text
from workbench.ui.widgets.found_words import MOST_MARKED

TEXT, THINKING = "text", "thinking"
"""The parts of a message: its words and the thoughts before them; the calls below them have numbers."""

# What Markdown does not show: where a link leads, and the language of code.
_UNSEEN = re.compile(r"(?<=\])\([^()\s]*\)|^[ \t]*`{3,}[^\n`]*$", re.MULTILINE)


class Match(NamedTuple):
    """One match: the message, the part of it, and which of that part's matches it is."""

    key: str
    part: str
    number: int


def matches_in(item: Item, pattern: re.Pattern[str]) -> tuple[Match, ...]:
    """All matches in one message, from the top."""
    found: list[Match] = []
    for part, texts in _parts(item):
        count = sum(1 for text in texts for match in pattern.finditer(text) if match.end() > match.start())
        found.extend(Match(item.key, part, number) for number in range(min(count, MOST_MARKED)))
    return tuple(found)


def _parts(item: Item) -> Iterator[tuple[str, tuple[str, ...]]]:
    match item:
        case Answer():
            entry = item.record.entry
            if isinstance(entry, Message) and entry.thinking:
                yield THINKING, ("\n\n".join(thought.text for thought in entry.thinking),)
            yield TEXT, (_UNSEEN.sub("", record_text(item.record)),)
            yield from _calls((call.call.arguments, _result(call.result)) for call in item.calls)
        case Question():
            yield TEXT, (record_text(item.record),)
            chunks = (chunk for chunk in item.record.commands if isinstance(chunk, EnvironmentChunk))
            yield from _calls(command_words(chunk)[1:] for chunk in chunks)
        case Note():
            yield TEXT, (record_text(item.record),)


def _calls(calls: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for number, (given, result) in enumerate(calls):
        yield f"{CALL}{number}", (given[:LONGEST_SHOWN], result[:LONGEST_SHOWN])


def _result(record: Record | None) -> str:
    return record_text(record) if record is not None else ""
