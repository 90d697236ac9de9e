"""Renders typed chunks as tags; custom renderers come first, and the registry is an argument."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, assert_never

from workbench.context.text.fence import Wrapped, wrap
from workbench.domain.chunk import (
    AgentChunk,
    Chunk,
    DelegationChunk,
    EnvironmentChunk,
    OutputChunk,
    SystemChunk,
    WorkflowChunk,
    WorkingFlowChunk,
)
from workbench.domain.message import Role

Attribute = str | int | bool | None
"""A value before it is written; None means that the tag does not have it."""


class ChunkRenderer(Protocol):
    """Renders the chunks that it supports with a role and a tag."""

    def can_render(self, chunk: Chunk) -> bool:
        """Whether this renderer supports the chunk."""

    def role(self, chunk: Chunk) -> Role:
        """The role that the chunk is sent under."""

    def render(self, chunk: Chunk) -> Wrapped:
        """The chunk between its tags."""


class TagRenderer:
    """The default: tags and attributes in a fixed order, since bytes that move break a cached prefix."""

    def can_render(self, chunk: Chunk) -> bool:
        """Always true: every chunk has a tag."""
        return True

    def role(self, chunk: Chunk) -> Role:
        return role_of(chunk)

    def render(self, chunk: Chunk) -> Wrapped:
        return wrap(tag_of(chunk), _attribute_pairs(chunk), chunk.body)


_TAG_RENDERER = TagRenderer()


@dataclass(frozen=True, slots=True)
class RendererRegistry:
    """The renderers of one build: the first custom one that can render a chunk wins, then the default."""

    custom: tuple[ChunkRenderer, ...] = ()

    def role(self, chunk: Chunk) -> Role:
        return self._renderer_for(chunk).role(chunk)

    def render(self, chunk: Chunk) -> Wrapped:
        return self._renderer_for(chunk).render(chunk)

    def _renderer_for(self, chunk: Chunk) -> ChunkRenderer:
        return next((one for one in self.custom if one.can_render(chunk)), _TAG_RENDERER)


def role_of(chunk: Chunk) -> Role:
    """The role of a chunk: the agent's actions are the assistant's, what it received is the user's."""
    match chunk:
        case SystemChunk():
            return "system"
        case AgentChunk():
            return chunk.role
        case DelegationChunk(action="subagent_result" | "parent_agent_message"):
            return "user"
        case EnvironmentChunk() | WorkingFlowChunk(action="user_intervention"):
            return "user"
        case WorkflowChunk() | DelegationChunk() | WorkingFlowChunk() | OutputChunk():
            return "assistant"
        case _:
            assert_never(chunk)


def tag_of(chunk: Chunk) -> str:
    """The name of a chunk's tag; a chunk with an action is named after it."""
    match chunk:
        case SystemChunk():
            return "system_context"
        case AgentChunk(role="user"):
            return "user_message"
        case AgentChunk(action="clarification"):
            return "assistant_clarification"
        case AgentChunk():
            return "assistant_response"
        case _:
            return chunk.action


def _attribute_pairs(chunk: Chunk) -> Iterable[tuple[str, str]]:
    yield "id", chunk.id
    for name, value in _attributes(chunk):
        if value is not None:
            yield name, str(value).lower() if isinstance(value, bool) else str(value)


def _attributes(chunk: Chunk) -> tuple[tuple[str, Attribute], ...]:
    match chunk:
        case SystemChunk():
            return (("priority", chunk.priority),)
        case AgentChunk():
            return ("role", chunk.role), ("action", chunk.action)
        case WorkflowChunk():
            return ("action", chunk.action), *_call(chunk), ("status", chunk.status)
        case EnvironmentChunk():
            return *_call(chunk), ("success", chunk.success), ("error", chunk.error)
        case OutputChunk():
            return ("reason", chunk.reason), ("terminated_by", chunk.terminated_by)
        case DelegationChunk() | WorkingFlowChunk():
            return _delegation_attributes(chunk)
        case _:
            assert_never(chunk)


def _call(chunk: WorkflowChunk | EnvironmentChunk) -> tuple[tuple[str, Attribute], ...]:
    called = "skill" if chunk.action in ("skill_call", "skill_result") else "tool"
    return (called, chunk.name), ("call_id", chunk.call_id)


def _delegation_attributes(chunk: DelegationChunk | WorkingFlowChunk) -> tuple[tuple[str, Attribute], ...]:
    if isinstance(chunk, DelegationChunk):
        return (
            ("subagent_id", chunk.subagent_id),
            ("agent_type", chunk.agent_type),
            ("success", chunk.success),
            ("parent_agent_id", chunk.parent_agent_id),
        )
    return (
        ("compacted_at", chunk.compacted_at),
        ("original_count", chunk.original_count),
        ("action", chunk.todo_action),
        ("subtype", chunk.subtype),
    )
