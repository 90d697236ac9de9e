"""Parses our own Markdown export line by line: headings, `[Context: …]` lines, marks and fences."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.message import ROLES, ToolCall
from workbench.domain.record import Record, TurnState
from workbench.domain.translation import tr
from workbench.engine.exchange.context_line import Named, read_context
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import (
    Fresh,
    Ids,
    Imported,
    ImportedMessage,
    Wanted,
    is_good_id,
    linear_archive,
    started,
)

_HEADER = re.compile(
    r'<!-- workbench-markdown/[12] chat=("(?:[^"\\]|\\.)*") created=("(?:[^"\\]|\\.)*")(?: mark="([0-9a-f]+)")? -->\s*'
)
"""The first edition had no mark: every text was in a fence."""
_HEADING = re.compile(
    r"## (System|User|Assistant|Tool) · (\S+)(?: · (stopped|interrupted|failed|running))?\s*"
)
_QUOTED = re.compile(r"\[Quoted: .*\]\s*")
_ANSWERS = re.compile(r'\[Answers call: ("(?:[^"\\]|\\.)*")\]\s*')
_FENCE = re.compile(r"(`{3,})(markdown|text|tool-call)\s*")
_PREAMBLE = "Left out of this file: "
_SHOWN = 5
_STATES: dict[str, TurnState] = {
    "stopped": "stopped", "interrupted": "interrupted", "failed": "failed", "running": "interrupted",
}  # fmt: skip


def is_own_markdown(text: str) -> bool:
    """Whether the file begins like our export."""
    return _HEADER.fullmatch(text.split("\n", 1)[0]) is not None


def import_markdown(text: str, fresh: Fresh) -> Imported:
    """The chat in the file; its attachments are wanted, since only their names are in it."""
    lines = text.split("\n")
    header = _HEADER.fullmatch(lines[0])
    origin, created = (_unquoted(header.group(1)), _unquoted(header.group(2))) if header else ("", "")
    reader = _Reader(lines[1:], header.group(3) or "" if header else "")
    reader.read()
    chat_id = Ids(fresh.new_id).take(origin)
    chat = started(chat_id, reader.title, to_utc(created) or fresh.now_utc)
    said = [one.said for one in reader.messages]
    archive = linear_archive(chat, said, Ids(fresh.new_id), fresh.now_utc)
    origin_id = origin if is_good_id(origin) else None
    wanted = wanted_of(archive.chat.id, archive.records, [one.named for one in reader.messages], origin_id)
    return Imported((archive,), tuple(reader.findings()), wanted)


def wanted_of(
    chat: str, records: Sequence[Record], named: Sequence[Sequence[Named]], origin: str | None = None
) -> tuple[Wanted, ...]:
    """The attachments that the messages name."""
    return tuple(
        Wanted(chat, record.id, key, kind, origin)
        for record, names in zip(records, named, strict=True)
        for kind, key in names
    )


@dataclass
class _Message:
    """A message being parsed."""

    said: ImportedMessage
    named: list[Named] = field(default_factory=list)


class _Reader:
    """Parses the lines once; lines that fit nowhere are recorded by number."""

    def __init__(self, lines: Sequence[str], mark: str = "") -> None:
        self._lines, self._at = lines, 0
        self._mark = f"<!-- {mark} -->" if mark else ""
        self.title = ""
        self.messages: list[_Message] = []
        self._stray: list[int] = []
        self._problems: list[str] = []

    def read(self) -> None:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.strip() and not self._understood(line):
                self._stray.append(self._at + 1)

    def findings(self) -> list[str]:
        if not self._stray:
            return self._problems
        shown = ", ".join(map(str, self._stray[:_SHOWN])) + ("…" if len(self._stray) > _SHOWN else "")
        return [
            *self._problems,
            tr(
                "{stray} lines outside of any message were left out (lines {shown}).",
                stray=len(self._stray),
                shown=shown,
            ),
        ]

    def _understood(self, line: str) -> bool:
        if heading := _HEADING.fullmatch(line):
            self._open_message(heading)
            return True
        if not self.messages:
            return self._preamble(line)
        return (
            self._fence(line) or self._answers(line) or self._context(line) or bool(_QUOTED.fullmatch(line))
        )

    def _open_message(self, heading: re.Match[str]) -> None:
        name, time, state = heading.groups()
        role = next(role for role in ROLES if role == name.lower())
        when = to_utc(time)
        if when is None and time != "-":
            self._problems.append(
                tr("line {at}: a time that cannot be read; the one before it was used.", at=self._at + 1)
            )
        self.messages.append(
            _Message(ImportedMessage(role, created_utc=when, state=_STATES.get(state or "", "complete")))
        )

    def _preamble(self, line: str) -> bool:
        if line.startswith("# ") and not self.title:
            self.title = line[2:].strip()
            return True
        return line.startswith(_PREAMBLE) or line == "# "

    def _fence(self, line: str) -> bool:
        last = self.messages[-1]
        if self._mark and line.rstrip("\r") == self._mark:
            text = _without_frame(self._until(self._mark))
            last.said = replace(last.said, texts=(*last.said.texts, text))
            return True
        found = _FENCE.fullmatch(line)
        if found is None:
            return False
        text = self._until(found.group(1))
        if found.group(2) != "tool-call":
            last.said = replace(last.said, texts=(*last.said.texts, text))
        elif (call := _call(text)) is not None:
            last.said = replace(last.said, tool_calls=(*last.said.tool_calls, call))
        else:
            self._problems.append(
                tr("line {at}: a tool call that cannot be read was left out.", at=self._at + 1)
            )
        return True

    def _until(self, fence: str) -> str:
        start = self._at
        for place in range(start, len(self._lines)):
            if self._lines[place].rstrip("\r") == fence:
                self._at = place + 1
                return "\n".join(self._lines[start:place])
        self._problems.append(
            tr(
                "line {start}: a fence or mark is never closed; all that follows was taken as its text.",
                start=start + 1,
            )
        )
        self._at = len(self._lines)
        return "\n".join(self._lines[start:])

    def _answers(self, line: str) -> bool:
        found = _ANSWERS.fullmatch(line)
        if found is not None:
            last = self.messages[-1]
            last.said = replace(last.said, tool_call_id=_unquoted(found.group(1)))
        return found is not None

    def _context(self, line: str) -> bool:
        found = read_context(line)
        if found is None:
            return False
        named, unknown = found
        last = self.messages[-1]
        last.named.extend(named)
        last.said = replace(last.said, attached=(*last.said.attached, *(key for _, key in named)))
        self._problems.extend(
            tr(
                "line {at}: {label!r} is not a known kind of attachment; left out.",
                at=self._at + 1,
                label=label,
            )
            for label in unknown
        )
        return True


def _without_frame(text: str) -> str:
    """The text without the empty lines after its mark and before the next."""
    text = text.removeprefix("\r").removeprefix("\n")
    return text.removesuffix("\r").removesuffix("\n")


def _call(text: str) -> ToolCall | None:
    try:
        written = json.loads(text)
        fields = [written["id"], written["name"], written["arguments"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return ToolCall(*fields) if all(isinstance(one, str) for one in fields) else None


def _unquoted(written: str) -> str:
    try:
        found = json.loads(written)
    except ValueError:
        return ""
    return found if isinstance(found, str) else ""
