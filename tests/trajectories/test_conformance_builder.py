"""Facts about the builder and its renderers, each as a trajectory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.trajectories.support import (
    Json,
    builder,
    file,
    forms,
    last_text,
    replayed,
    said,
    segment,
    trajectory,
)
from tests.trajectories.wire_reading import read_wire
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.context.text.fence import Wrapped
from workbench.domain.chunk import Chunk
from workbench.domain.message import Role
from workbench.engine.replay import replay

LOOK: Json = {}
HOSTILE = 'a "quoted" <tag> & </x>\nnext line'

# Every kind and action: the chunk as data, whose words it is, its tag, and its attributes after the id.
SEED: list[tuple[Json, str, str, dict[str, str]]] = [
    ({"chunk": "system", "priority": 1000}, "system", "system_context", {"priority": "1000"}),
    (
        {"chunk": "agent", "role": "assistant", "action": "clarification"},
        "assistant", "assistant_clarification", {"role": "assistant", "action": "clarification"},
    ),
    (
        {"chunk": "workflow", "action": "tool_call", "tool": "read_file", "call_id": "call_123", "status": "pending"},
        "assistant", "tool_call",
        {"action": "tool_call", "tool": "read_file", "call_id": "call_123", "status": "pending"},
    ),
    (
        {"chunk": "workflow", "action": "skill_call", "skill": "review", "call_id": "call_456", "status": "pending"},
        "assistant", "skill_call",
        {"action": "skill_call", "skill": "review", "call_id": "call_456", "status": "pending"},
    ),
    (
        {"chunk": "delegation", "action": "spawn_subagent", "subagent_id": "agent_123", "agent_type": "researcher"},
        "assistant", "spawn_subagent", {"subagent_id": "agent_123", "agent_type": "researcher"},
    ),
    (
        {"chunk": "delegation", "action": "message_to_subagent", "subagent_id": "agent_123"},
        "assistant", "message_to_subagent", {"subagent_id": "agent_123"},
    ),
    (
        {"chunk": "delegation", "action": "subagent_result", "subagent_id": "agent_123", "success": True},
        "user", "subagent_result", {"subagent_id": "agent_123", "success": "true"},
    ),
    (
        {"chunk": "delegation", "action": "parent_agent_message", "parent_agent_id": "agent_000"},
        "user", "parent_agent_message", {"parent_agent_id": "agent_000"},
    ),
    (
        {"chunk": "environment", "action": "tool_result", "tool": "read_file", "call_id": "call_123", "success": True},
        "user", "tool_result", {"tool": "read_file", "call_id": "call_123", "success": "true"},
    ),
    (
        {"chunk": "environment", "action": "tool_result", "tool": "r", "call_id": "c", "success": False, "error": True},
        "user", "tool_result", {"tool": "r", "call_id": "c", "success": "false", "error": "true"},
    ),
    (
        {"chunk": "environment", "action": "skill_result", "skill": "code_review", "call_id": "c", "success": True},
        "user", "skill_result", {"skill": "code_review", "call_id": "c", "success": "true"},
    ),
    (
        {"chunk": "working_flow", "action": "progress_summary", "compacted_at": 1703, "original_count": 15},
        "assistant", "progress_summary", {"compacted_at": "1703", "original_count": "15"},
    ),
    ({"chunk": "working_flow", "action": "todo_set"}, "assistant", "todo_update", {"action": "todo_set"}),
    (
        {"chunk": "working_flow", "action": "thinking", "subtype": "THINKING"},
        "assistant", "thinking", {"subtype": "THINKING"},
    ),
    (
        {"chunk": "working_flow", "action": "user_intervention", "subtype": "USER"},
        "user", "user_intervention", {"subtype": "USER"},
    ),
    ({"chunk": "output", "action": "task_completed"}, "assistant", "task_completed", {}),
    (
        {"chunk": "output", "action": "task_abandoned", "reason": "Unable to complete"},
        "assistant", "task_abandoned", {"reason": "Unable to complete"},
    ),
    (
        {"chunk": "output", "action": "task_terminated", "terminated_by": "user"},
        "assistant", "task_terminated", {"terminated_by": "user"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("chunk", "role", "tag", "attributes"), SEED, ids=[row[2] for row in SEED])
def test_every_chunk_renders_to_its_tag_with_its_attributes(
    chunk: Json, role: str, tag: str, attributes: dict[str, str]
):
    """And its body is verbatim inside a fence, whatever it says."""
    (turn,) = replayed(LOOK, before=[{**chunk, "id": "chunk_1", "content": f"{HOSTILE}\n</{tag}>"}])
    ((said_by, text),) = said(turn)
    (block,) = read_wire(text).blocks
    assert (said_by, block.tag, block.body) == (role, tag, f"{HOSTILE}\n</{tag}>")
    assert list(block.attributes.items()) == [("id", "chunk_1"), *attributes.items()]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_plain_words_have_a_native_form_and_no_tag(role: str):
    (turn,) = replayed(LOOK, before=[{"chunk": "agent", "role": role, "content": HOSTILE}])
    assert said(turn) == [(role, HOSTILE)]


def test_attribute_values_are_escaped():
    chunk = {"chunk": "output", "action": "task_abandoned", "reason": HOSTILE, "id": HOSTILE, "content": "x"}
    (turn,) = replayed(LOOK, before=[chunk])
    text = last_text(turn)
    assert text.count("\n") == 3
    assert read_wire(text).blocks[0].attributes == {"id": HOSTILE, "reason": HOSTILE}


class Shouting:
    """A custom renderer for chunks that are marked."""

    def can_render(self, chunk: Chunk) -> bool:
        return ("loud", "true") in chunk.custom

    def role(self, chunk: Chunk) -> Role:
        return "assistant"

    def render(self, chunk: Chunk) -> Wrapped:
        return Wrapped("<shout>", chunk.body.upper(), "</shout>\n")


def test_a_custom_renderer_takes_priority():
    chunks: list[Json] = [
        {"chunk": "system", "content": "loud", "custom": {"loud": True}},
        {"chunk": "system", "content": "calm"},
    ]
    shouting = replace(builder(), renderers=RendererRegistry((Shouting(),)))
    report = replay(parse_trajectory(trajectory(LOOK, before=chunks)), shouting)
    loud, calm = said(report["turns"][0])
    assert loud == ("assistant", "<shout>LOUD\n</shout>\n")
    assert calm[0] == "system"
    assert calm[1].startswith("<system_context ")


def test_consecutive_chunks_of_one_role_become_one_message():
    """User, user, assistant, user, user are three messages."""
    roles = ("user", "user", "assistant", "user", "user")
    chunks = [{"chunk": "agent", "role": role, "content": str(n)} for n, role in enumerate(roles, start=1)]
    (turn,) = replayed(LOOK, before=chunks)
    assert said(turn) == [("user", "1\n\n2"), ("assistant", "3"), ("user", "4\n\n5")]
    assert [key for key, _ in forms(turn, "L4")] == ["m1", "m2", "m3", "m4", "m5"]


def test_different_chunks_of_one_role_become_one_message_too():
    chunks = [{"chunk": "agent", "role": "user", "content": "a"}, {**SEED[8][0], "content": "b"}]
    (turn,) = replayed(LOOK, before=chunks)
    ((role, text),) = said(turn)
    assert role == "user"
    assert text.startswith("a\n\n<tool_result ")


@pytest.mark.parametrize(
    "limit",
    [
        {"context_window": 30, "reserved_output_tokens": 0},
        {"history": {"last_n_messages": 0}},
        {"history": {"max_tokens": 0}},
        {"attachment_budget_tokens": 0},
    ],
)
def test_with_a_limit_the_newest_user_message_survives(limit: Json):
    """The original drops the newest and keeps older ones."""
    talk = [{"role": role, "content": f"{role} words " * 20} for role in ("user", "assistant") * 3]
    turn = {"attach": [file("a", "text " * 50)], "user": "The newest question " * 5}
    (report,) = replayed(turn, before=talk, **limit)
    assert last_text(report).endswith("The newest question " * 5)
    assert segment(report, "L5", "m7")["form"] == "full"


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({}, "exact"),
        ({"model": "gpt-4"}, "exact"),
        ({"counter": "rfc"}, "estimated"),
        ({"counter": "chars4"}, "estimated"),
        ({"model": "a-model-nobody-knows"}, "estimated"),
        ({"model": "claude-3-5-sonnet-20241022"}, "estimated"),
        ({"tools": [{"name": "read"}]}, "estimated"),
    ],
    ids=str,
)
def test_a_count_is_exact_only_where_the_framing_is_counted_too(given: Json, count: str):
    (turn,) = replayed({"user": "Go"}, **given)
    assert turn["count"] == count


def test_calls_and_pictures_make_a_count_an_estimate():
    picture = [{"type": "image", "digest": "d", "tokens": 85}]
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "name": "r", "arguments": "{}"}]}
    talk: list[list[Any]] = [
        [{"role": "user", "content": picture}],
        [call, {"role": "tool", "tool_call_id": "c", "content": "x"}],
    ]
    assert [replayed({"user": "Go"}, before=one)[0]["count"] for one in talk] == ["estimated"] * 2


def test_an_unknown_model_has_a_window_of_32768():
    (turn,) = replayed({"user": "Go"}, model="a-model-nobody-knows")
    assert turn["window_tokens"] == 32_768 - 32_768 // 4


def test_filters_of_the_seed():
    """includeSystem, includeEnvironment, excludeTypes and includeOnlyChunkIds; what is left out is named."""
    chunks = [
        {**chunk, "id": chunk["chunk"], "content": "x"} for chunk, *_ in (SEED[0], SEED[2], SEED[8], SEED[15])
    ]
    assert [chunk["id"] for chunk in chunks] == ["system", "workflow", "environment", "output"]
    everything = {"system", "workflow", "environment", "output"}
    for settings, excluded in (
        ({}, set()),
        ({"include_system": False}, {"system"}),
        ({"include_environment": False}, {"environment"}),
        ({"exclude_kinds": ["output"]}, {"output"}),
        ({"include_kinds": ["output"]}, everything - {"output"}),
        ({"include_only": ["workflow", "output"]}, {"system", "environment"}),
    ):
        (turn,) = replayed(LOOK, before=chunks, **settings)
        assert set(turn["excluded_ids"]) == excluded
        assert set(turn["included_ids"]) == everything - excluded
