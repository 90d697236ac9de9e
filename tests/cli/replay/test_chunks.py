"""Typed chunks in a trajectory's history: attributes in, typed values out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.cli.replay.trajectory import (
    MessageIds,
    is_chunk,
    read_action,
    read_attribute,
    read_body,
    read_call_action,
    read_callee,
    read_chunk,
    read_compacted_at,
    read_error,
    read_marks,
    read_success,
)
from workbench.domain.chunk import (
    AgentChunk,
    DelegationChunk,
    EnvironmentChunk,
    OutputChunk,
    SystemChunk,
    WorkflowChunk,
    WorkingFlowChunk,
)
from workbench.domain.errors import InvalidInput
from workbench.domain.message import Entry, Message
from workbench.domain.reading.node import Fields, Node


def chunk(kind: str, **given: object) -> Entry:
    return read_chunk(Node({"chunk": kind, "content": "b", **given}, "history[0]"), MessageIds())


def refusal(kind: str, **given: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        chunk(kind, **given)
    return str(caught.value)


READ: list[tuple[str, dict[str, object], Entry]] = [
    ("system", {"priority": 1000}, SystemChunk("m1", "b", 1000)),
    ("system", {"action": "system_context"}, SystemChunk("m1", "b")),
    ("agent", {"role": "user"}, Message("m1", "user", ("b",))),
    ("agent", {"role": "assistant"}, Message("m1", "assistant", ("b",))),
    ("agent", {"action": "user_message"}, Message("m1", "user", ("b",))),
    ("agent", {"action": "assistant_response"}, Message("m1", "assistant", ("b",))),
    (
        "agent",
        {"role": "assistant", "action": "clarification"},
        AgentChunk("m1", "b", "assistant", "clarification"),
    ),
    ("agent", {"action": "assistant_clarification"}, AgentChunk("m1", "b", "assistant", "clarification")),
    ("agent", {"role": "user", "custom": {"k": True}}, AgentChunk("m1", "b", "user", custom=(("k", "true"),))),
    (
        "workflow",
        {"action": "tool_call", "tool": "read_file", "call_id": "call_123", "status": "pending"},
        WorkflowChunk("m1", "b", "tool_call", "read_file", "call_123", "pending"),
    ),
    ("workflow", {"skill": "code_review"}, WorkflowChunk("m1", "b", "skill_call", "code_review")),
    ("workflow", {"tool": "ls"}, WorkflowChunk("m1", "b", "tool_call", "ls")),
    (
        "delegation",
        {"subagent_id": "a", "agent_type": "researcher"},
        DelegationChunk("m1", "b", "spawn_subagent", "a", "researcher"),
    ),
    ("delegation", {"subagent_id": "a"}, DelegationChunk("m1", "b", "message_to_subagent", "a")),
    (
        "delegation",
        {"subagent_id": "a", "success": False},
        DelegationChunk("m1", "b", "subagent_result", "a", success=False),
    ),
    (
        "delegation",
        {"parent_agent_id": "p"},
        DelegationChunk("m1", "b", "parent_agent_message", parent_agent_id="p"),
    ),
    ("delegation", {"action": "spawn_subagent"}, DelegationChunk("m1", "b", "spawn_subagent")),
    (
        "environment",
        {"tool": "read_file", "call_id": "c", "success": False, "error": True},
        EnvironmentChunk("m1", "b", "tool_result", "read_file", "c", False, "true"),
    ),
    (
        "environment",
        {"skill": "s", "success": "true"},
        EnvironmentChunk("m1", "b", "skill_result", "s", success=True),
    ),
    ("environment", {"action": "skill_result"}, EnvironmentChunk("m1", "b", "skill_result")),
    (
        "working_flow",
        {"compacted_at": 1703, "original_count": 15},
        WorkingFlowChunk("m1", "b", "progress_summary", "1703", 15),
    ),
    ("working_flow", {"action": "todo_set"}, WorkingFlowChunk("m1", "b", "todo_update", todo_action="todo_set")),
    ("working_flow", {"action": "todo_update"}, WorkingFlowChunk("m1", "b", "todo_update")),
    ("working_flow", {"subtype": "THINKING"}, WorkingFlowChunk("m1", "b", "thinking", subtype="THINKING")),
    ("working_flow", {"action": "thinking"}, WorkingFlowChunk("m1", "b", "thinking", subtype="THINKING")),
    ("working_flow", {"subtype": "USER"}, WorkingFlowChunk("m1", "b", "user_intervention", subtype="USER")),
    ("output", {}, OutputChunk("m1", "b", "task_completed")),
    ("output", {"reason": "r"}, OutputChunk("m1", "b", "task_abandoned", reason="r")),
    ("output", {"terminated_by": "user"}, OutputChunk("m1", "b", "task_terminated", terminated_by="user")),
    ("output", {"action": "task_terminated"}, OutputChunk("m1", "b", "task_terminated")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "given", "expected"), READ)
def test_what_is_read_and_what_is_inferred(kind: str, given: dict[str, object], expected: Entry) -> None:
    assert chunk(kind, **given) == expected


def test_ids_contents_and_marks_are_the_chunks_own() -> None:
    assert chunk("output", id="chunk_1", content={"result": "…"}, custom={"a": "b"}) == OutputChunk(
        "chunk_1", '{"result": "…"}', "task_completed", custom=(("a", "b"),)
    )
    assert chunk("output", content=None) == OutputChunk("m1", "", "task_completed")


def test_an_entry_is_a_chunk_by_its_chunk_field() -> None:
    assert is_chunk(Node({"chunk": 1}))
    assert not is_chunk(Node({"role": "user"}))
    assert not is_chunk(Node("chunk"))


@pytest.mark.parametrize(
    ("kind", "given", "line"),
    [
        (
            "memory",
            {},
            'history[0].chunk: expected one of "system", "agent", "workflow", "delegation", "environment", '
            '"working_flow", "output", got "memory"',
        ),
        ("agent", {}, "history[0].role: missing"),
        (
            "agent",
            {"role": "user", "action": "clarification"},
            'history[0].role: "clarification" has the role "assistant"',
        ),
        ("agent", {"role": "tool"}, 'history[0].role: expected one of "user", "assistant", got "tool"'),
        (
            "workflow",
            {"action": "call"},
            'history[0].action: expected one of "tool_call", "skill_call", got "call"',
        ),
        (
            "workflow",
            {"tool": "a", "skill": "b"},
            'history[0].tool: this chunk is about a skill; name it with "skill"',
        ),
        ("workflow", {"success": True}, "history[0].success: unknown field"),
        (
            "working_flow",
            {},
            'history[0].action: missing; expected one of "progress_summary", "todo_update", "thinking", '
            '"user_intervention"',
        ),
        ("working_flow", {"original_count": "15"}, 'history[0].original_count: expected an integer >= 0, got "15"'),
        ("system", {"priority": 1.5}, "history[0].priority: expected an integer >= 0, got 1.5"),
        ("output", {"custom": 3}, "history[0].custom: expected an object, got 3"),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(kind: str, given: dict[str, object], line: str) -> None:
    assert refusal(kind, **given) == line


# Attributes of chunks are read as JSON values or as the text that stands in a tag.


def fields(**given: object) -> Fields:
    return Fields(Node(given, "history[0]"))


def refusal_chunk_attributes(read: Callable[[], object]) -> str:
    with pytest.raises(InvalidInput) as caught:
        read()
    return str(caught.value)


def test_an_action_that_is_named_wins_over_the_likely_one() -> None:
    assert read_action(fields(action="a"), ("a", "b"), "b") == "a"
    assert read_action(fields(action=None), ("a", "b"), "b") == "b"
    assert refusal_chunk_attributes(lambda: read_action(fields(action="c"), ("a", "b"), "b")) == (
        'history[0].action: expected one of "a", "b", got "c"'
    )


def test_a_tool_is_meant_unless_a_skill_is_named() -> None:
    assert read_call_action(fields(), "tool_call", "skill_call") == "tool_call"
    assert read_call_action(fields(skill="x"), "tool_call", "skill_call") == "skill_call"


def test_the_name_of_a_tool_or_a_skill_but_not_of_both() -> None:
    assert read_callee(fields(tool="read"), "tool") == "read"
    assert read_callee(fields(), "tool") is None
    assert refusal_chunk_attributes(lambda: read_callee(fields(skill="x"), "tool")) == (
        'history[0].skill: this chunk is about a tool; name it with "tool"'
    )


def test_an_attribute_is_text_or_absent() -> None:
    assert read_attribute(fields(reason="x"), "reason") == "x"
    assert read_attribute(fields(reason=None), "reason") is None
    assert refusal_chunk_attributes(lambda: read_attribute(fields(reason=1), "reason")) == (
        "history[0].reason: expected a string, got 1"
    )


@pytest.mark.parametrize(
    ("value", "success"), [(True, True), (False, False), ("true", True), ("false", False), (None, None)]
)
def test_success_as_a_value_or_as_text(value: object, success: bool | None) -> None:
    assert read_success(fields(success=value)) is success


def test_success_is_nothing_else() -> None:
    assert refusal_chunk_attributes(lambda: read_success(fields(success="yes"))) == (
        'history[0].success: expected true or false, got "yes"'
    )


@pytest.mark.parametrize(
    ("value", "error"),
    [(True, "true"), ("true", "true"), (False, None), ("false", None), (None, None), ("ENOENT", "ENOENT")],
)
def test_error_as_a_value_or_as_text(value: object, error: str | None) -> None:
    assert read_error(fields(error=value)) == error


@pytest.mark.parametrize("value", [0, 1, []])
def test_error_is_nothing_else(value: object) -> None:
    with pytest.raises(InvalidInput):
        read_error(fields(error=value))


@pytest.mark.parametrize(
    ("value", "moment"), [(1703, "1703"), ("1703...", "1703..."), (1.5, "1.5"), (None, None)]
)
def test_the_moment_of_compaction_stays_as_written(value: object, moment: str | None) -> None:
    assert read_compacted_at(Node(value)) == moment


@pytest.mark.parametrize("value", [True, [], {}])
def test_a_moment_is_a_number_or_a_string(value: object) -> None:
    with pytest.raises(InvalidInput):
        read_compacted_at(Node(value))


def test_a_body_that_is_not_text_is_json_in_the_seeds_spacing() -> None:
    assert read_body(Node({"path": "/src/é.ts", "n": [1, 2]})) == '{"path": "/src/é.ts", "n": [1, 2]}'
    assert read_body(Node(' {"raw":1} ')) == ' {"raw":1} '
    assert read_body(Node(None)) == ""


def test_marks_are_pairs_of_text() -> None:
    assert read_marks(Node({"mine": True, "level": 3, "tag": "x"})) == (
        ("mine", "true"),
        ("level", "3"),
        ("tag", "x"),
    )
    assert (
        refusal_chunk_attributes(lambda: read_marks(Node([], "custom")))
        == "custom: expected an object, got []"
    )
