"""The tool `read`: returns the text of a file, in parts that fit a model's window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.tools.arguments import Field, Form
from workbench.tools.reading_tool import ReadingTool
from workbench.tools.workspace.paths import Refused, WorkspacePath, parse_path
from workbench.tools.workspace.states import text_of

_MOST_LINES = 400
_MOST_CHARS = 24_000


@dataclass(frozen=True, slots=True)
class ReadArguments:
    """The file, the first line, and how many lines."""

    path: WorkspacePath
    offset: int = 1
    limit: int = _MOST_LINES


class Read(ReadingTool[ReadArguments]):
    """Reads a text file."""

    form = Form(
        "read",
        "Read a text file of the workspace. Long files come in parts: the last line says how to go on.",
        (
            Field("path", "text", "File, relative to the workspace.", required=True),
            Field("offset", "number", "First line to read, counted from 1."),
            Field("limit", "number", f"How many lines at most, up to {_MOST_LINES}."),
        ),
    )

    def accept(self, given: Mapping[str, Any]) -> ReadArguments:
        """Checks the file and the range of lines."""
        limit = min(given.get("limit", _MOST_LINES), _MOST_LINES)
        return ReadArguments(parse_path(given["path"]), given.get("offset", 1), limit)

    def summary(self, asked: ReadArguments) -> str:
        """Describes the call on one line."""
        return f"Read {asked.path}" + (f" from line {asked.offset:,}" if asked.offset > 1 else "")

    def answer(self, asked: ReadArguments) -> str:
        """Returns the lines, and how to go on where there are more."""
        text = text_of(self.workspace.read(asked.path).content)
        if text is None:
            raise Refused(f"{asked.path} is not text, so it cannot be read here.")
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        if not lines:
            return f"{asked.path} is empty."
        if asked.offset > len(lines):
            raise Refused(f"{asked.path} has only {len(lines):,} lines.")
        return _part(lines, asked)


def _part(lines: Sequence[str], asked: ReadArguments) -> str:
    chosen = lines[asked.offset - 1 : asked.offset - 1 + asked.limit]
    part, room = [], _MOST_CHARS
    for line in chosen:
        if len(line) > room:
            break
        part.append(line)
        room -= len(line) + 1
    if not part:
        part.append(
            f"{chosen[0][:_MOST_CHARS]}\n… {len(chosen[0]) - _MOST_CHARS:,} more characters in this line"
        )
    following = asked.offset + len(part)
    more = len(lines) - following + 1
    if more:
        part.append(f"… {more:,} more lines; call read with offset {following}")
    return "\n".join(part)
