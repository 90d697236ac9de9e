"""Calls of tools in words: what a model wanted done, and what came of it."""

from __future__ import annotations

import json
import re
from typing import Literal, NamedTuple

from workbench.domain.chunk import Command, EnvironmentChunk, command_of
from workbench.domain.message import Message, ToolCall
from workbench.domain.record import Record
from workbench.domain.tool import ToolOutcome
from workbench.ui import formatting
from workbench.ui.translation import translator
from workbench.ui.widgets.code_view import DiffLine
from workbench.ui.widgets.plain import shown

_tr = translator("Tool")

Fate = Literal["changed", "undone", "returned", "failed", "denied", "waiting"]

LONGEST_TARGET = 80
MOST_DIFF_LINES = 400
_TARGETS = ("path", "file", "filename", "url", "query", "pattern", "command", "name")
# What the engine tells the model where a person said no; there is no other sign of it in what is kept.
_REFUSED = "The user did not allow this call"
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class CallWords(NamedTuple):
    """A call in one line: icon and colour, the tool, what it did, to what, and a quiet note."""

    icon: str
    token: str
    name: str
    verb: str
    target: str
    note: str


def target_of(call: ToolCall) -> str:
    """What a call is about: a path, a query, whatever its arguments name first."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(arguments, dict):
        return ""
    named = (arguments.get(name) for name in _TARGETS)
    return shown(next((value for value in named if isinstance(value, str) and value), ""), LONGEST_TARGET)


def fate_of_record(result: Record | None) -> Fate:
    """What came of a call, from what was kept of it."""
    if result is None:
        return "waiting"
    notes = result.metadata
    if notes.get("undone"):
        return "undone"
    if notes.get("failed"):
        return "denied" if record_text(result).startswith(_REFUSED) else "failed"
    return "changed" if notes.get("undo") is not None else "returned"


def fate_of_outcome(outcome: ToolOutcome) -> Fate:
    """What came of a call, while its turn still runs."""
    if outcome.failed:
        return "denied" if outcome.text.startswith(_REFUSED) else "failed"
    return "changed" if outcome.undo is not None else "returned"


def call_words(call: ToolCall, fate: Fate, result: str = "", at: str = "") -> CallWords:
    """A call and what came of it, in words; `result` is what it gave back, `at` when."""
    name, target = shown(call.name, 40), target_of(call)
    time = formatting.clock(at)
    match fate:
        case "changed":
            return CallWords("check", "ok", name, _tr("changed"), target, _at(_tr("allowed at {time}"), time))
        case "undone":
            return CallWords("undo", "t3", name, _tr("changed"), target, _tr("undone"))
        case "returned":
            size = formatting.counted(len(result), _tr("1 character"), _tr("{n} characters"))
            return CallWords("check", "ok", name, _tr("returned"), target, size)
        case "failed":
            return CallWords("x", "err", name, _tr("failed"), target, shown(result, 120))
        case "denied":
            return CallWords(
                "out", "err", name, _tr("did nothing"), target, _at(_tr("not allowed at {time}"), time)
            )
        case "waiting":
            return CallWords("clock", "t3", name, _tr("was called"), target, _tr("no result"))


def command_words(chunk: EnvironmentChunk) -> tuple[CallWords, str, str]:
    """A command of a question in words, what it was given, and what it gave back."""
    command = command_of(chunk) or Command(chunk.name or "", "", "", chunk.body)
    name, _, target = command.words.partition(" ")
    fate: Fate = "failed" if chunk.success is False else "returned"
    words = call_words(ToolCall(chunk.id, name, ""), fate, command.result)
    return words._replace(target=shown(target, LONGEST_TARGET)), command.arguments, command.result


def record_text(record: Record) -> str:
    """What a message says."""
    return record.entry.text if isinstance(record.entry, Message) else record.entry.body


def diff_lines(diff: str) -> tuple[DiffLine, ...]:
    """A unified diff as lines with their numbers; at most a few hundred of them."""
    lines: list[DiffLine] = []
    old = new = 0
    for text in diff.splitlines()[:MOST_DIFF_LINES]:
        hunk = _HUNK.match(text)
        if hunk:
            old, new = int(hunk.group(1)), int(hunk.group(2))
        elif text.startswith(("--- ", "+++ ")) and not lines:
            continue
        elif text.startswith("-"):
            lines.append(DiffLine(old, None, "-", text[1:]))
            old += 1
        elif text.startswith("+"):
            lines.append(DiffLine(None, new, "+", text[1:]))
            new += 1
        elif not text.startswith("\\"):
            lines.append(DiffLine(old, new, " ", text[1:]))
            old, new = old + 1, new + 1
    return tuple(lines)


def _at(words: str, time: str) -> str:
    return words.format(time=time) if time else ""
