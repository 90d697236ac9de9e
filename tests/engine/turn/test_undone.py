"""Lines about what was undone: one a call, on this branch, and never twice."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.chunk import EnvironmentChunk, command_of
from workbench.domain.message import Message, ToolCall
from workbench.domain.record import Record
from workbench.engine.turn.planning import undone_untold

WHEN = "2026-01-01T12:00:00Z"


def record(entry: Message, **changes: object) -> Record:
    return replace(Record("talk", entry, WHEN), **changes)  # type: ignore[arg-type]


def called(number: int, name: str, arguments: str, undone: bool = True) -> tuple[Record, Record]:
    """A call and its result; ids of calls are the same in every turn, as some servers have them."""
    call = Message(f"a{number}", "assistant", tool_calls=(ToolCall("call_0", name, arguments),))
    result = Message(f"r{number}", "tool", ("Done.",), tool_call_id="call_0")
    return record(call), record(result, metadata={"undone": WHEN} if undone else {})


ASKED = record(Message("q1", "user", ("Change it.",)))
PATH = (
    ASKED,
    *called(1, "mv", '{"source": "a.md", "destination": "b.md"}'),
    *called(2, "write", '{"path": "c.md", "content": "long text"}'),
    *called(3, "rm", '{"path": "kept.md"}', undone=False),
    *called(4, "odd", "no JSON"),
    *called(5, "odd", "[1]"),
)


def test_each_call_is_named_with_where_it_changed_something():
    lines = undone_untold(PATH, 2)
    assert [line.id for line in lines] == [f"turn2:undo:r{number}" for number in (1, 2, 4, 5)]
    first = lines[0]
    assert isinstance(first, EnvironmentChunk)
    assert first.body.startswith('undo {"call": "mv a.md b.md"}\nThe user took this change back')
    assert [command.words for line in lines if (command := command_of(line))] == [
        "@undo mv a.md b.md", "@undo write c.md", "@undo odd", "@undo odd",
    ]  # fmt: skip


def test_what_a_question_has_told_is_not_told_again():
    told = record(Message("q2", "user", ("And now?",)), commands=undone_untold(PATH, 2)[:1])
    assert [line.id for line in undone_untold((*PATH, told), 3)] == [f"turn3:undo:r{n}" for n in (2, 4, 5)]
    assert undone_untold((ASKED,), 2) == ()
