"""What a person took back of what tools did, told to the model with the next question: else it builds on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from workbench.domain.approval import PATH_NAMES
from workbench.domain.chunk import Chunk, EnvironmentChunk
from workbench.domain.message import Message, ToolCall
from workbench.domain.record import Record

_NAME = "undo"
_BETWEEN = f":{_NAME}:"
_TOLD = "The user took this change back: everything is as it was before that call."


def undone_untold(path: Sequence[Record], turn: int) -> tuple[Chunk, ...]:
    """A line for each undone call of a branch that no question has told yet, to stand before that of `turn`."""
    if not any(record.metadata.get("undone") for record in path):
        return ()
    told = {chunk.id.partition(_BETWEEN)[2] for record in path for chunk in record.commands}
    return tuple(_line(turn, key, call) for key, call in _undone(path) if key not in told)


def _undone(path: Sequence[Record]) -> Iterator[tuple[str, ToolCall]]:
    """Each undone call, with the id of the message that has its result."""
    calls: dict[str, ToolCall] = {}
    for record in path:
        entry = record.entry
        if isinstance(entry, Message):
            calls |= {call.id: call for call in entry.tool_calls}
            call = calls.get(entry.tool_call_id or "")
            if call is not None and record.metadata.get("undone"):
                yield record.id, call


def _line(turn: int, key: str, call: ToolCall) -> EnvironmentChunk:
    """As the result of a command that nobody wrote: it is kept and shown with its question."""
    name = f"turn{turn}{_BETWEEN}{key}"
    what = json.dumps({"call": " ".join((call.name, *_paths(call)))}, ensure_ascii=False)
    return EnvironmentChunk(
        id=name, body=f"{_NAME} {what}\n{_TOLD}", action="tool_result", name=_NAME, call_id=name, success=True
    )


def _paths(call: ToolCall) -> Iterator[str]:
    """Where the call changed something: what it wrote there stands in the conversation already."""
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return
    for name, value in given.items() if isinstance(given, dict) else ():
        if name in PATH_NAMES and isinstance(value, str):
            yield value
