"""Typed chunks in a trajectory's history: attributes in, typed values out."""

from __future__ import annotations

import pytest

from workbench.cli.replay.trajectory import MessageIds, is_chunk, read_chunk
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
from workbench.domain.reading.node import Node


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
