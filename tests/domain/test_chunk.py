"""Chunks carry their kinds, are frozen, and compare by value."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import get_args

import pytest

from workbench.domain.chunk import (
    CHUNK_KINDS,
    AgentChunk,
    Chunk,
    DelegationChunk,
    EnvironmentChunk,
    OutputChunk,
    SystemChunk,
    WorkflowChunk,
    WorkingFlowChunk,
)

ONE_OF_EACH: tuple[Chunk, ...] = (
    SystemChunk("c", "b"),
    AgentChunk("c", "b", "user"),
    WorkflowChunk("c", "b", "tool_call"),
    DelegationChunk("c", "b", "spawn_subagent"),
    EnvironmentChunk("c", "b", "tool_result"),
    WorkingFlowChunk("c", "b", "thinking"),
    OutputChunk("c", "b", "task_completed"),
)


def test_the_seven_kinds_of_the_seed_in_its_order() -> None:
    assert tuple(chunk.kind for chunk in ONE_OF_EACH) == CHUNK_KINDS
    assert CHUNK_KINDS == (
        "system", "agent", "workflow", "delegation", "environment", "working_flow", "output",
    )  # fmt: skip


def test_the_union_holds_every_chunk_type() -> None:
    assert get_args(Chunk) == tuple(type(chunk) for chunk in ONE_OF_EACH)


@pytest.mark.parametrize("chunk", ONE_OF_EACH, ids=lambda chunk: chunk.kind)
def test_every_chunk_has_an_id_a_body_and_no_marks_by_default(chunk: Chunk) -> None:
    assert (chunk.id, chunk.body, chunk.custom) == ("c", "b", ())


@pytest.mark.parametrize("chunk", ONE_OF_EACH, ids=lambda chunk: chunk.kind)
def test_chunks_are_frozen_and_hashable(chunk: Chunk) -> None:
    assert hash(chunk) == hash(chunk)
    with pytest.raises(FrozenInstanceError):
        chunk.body = "changed"  # type: ignore[misc]


def test_chunks_compare_by_value() -> None:
    assert SystemChunk("a", "b", priority=1) == SystemChunk("a", "b", priority=1)
    assert SystemChunk("a", "b", priority=1) != SystemChunk("a", "b", priority=2)
