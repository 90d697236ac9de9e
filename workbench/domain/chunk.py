"""Typed chunks of an agent's memory: what happened, before it is rendered as a tag."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

ChunkKind = Literal["system", "agent", "workflow", "delegation", "environment", "working_flow", "output"]
CHUNK_KINDS: tuple[ChunkKind, ...] = get_args(ChunkKind)

AgentRole = Literal["user", "assistant"]
AgentAction = Literal["clarification"]
WorkflowAction = Literal["tool_call", "skill_call"]
DelegationAction = Literal["spawn_subagent", "message_to_subagent", "subagent_result", "parent_agent_message"]
EnvironmentAction = Literal["tool_result", "skill_result"]
WorkingFlowAction = Literal["progress_summary", "todo_update", "thinking", "user_intervention"]
OutputAction = Literal["task_completed", "task_abandoned", "task_terminated"]

Marks = tuple[tuple[str, str], ...]
"""Free marks by which a custom renderer recognises the chunks it is for."""


@dataclass(frozen=True, slots=True)
class SystemChunk:
    """Context from the system."""

    id: str
    body: str
    priority: int | None = None
    custom: Marks = ()

    @property
    def kind(self) -> ChunkKind:
        return "system"


@dataclass(frozen=True, slots=True)
class AgentChunk:
    """What the user or the assistant said; without an action it is sent as an ordinary message."""

    id: str
    body: str
    role: AgentRole
    action: AgentAction | None = None
    custom: Marks = ()

    @property
    def kind(self) -> ChunkKind:
        return "agent"


@dataclass(frozen=True, slots=True)
class WorkflowChunk:
    """A call of a tool or a skill; `name` is the tool's or the skill's."""

    id: str
    body: str
    action: WorkflowAction
    name: str | None = None
    call_id: str | None = None
    status: str | None = None
    custom: Marks = ()

    @property
    def kind(self) -> ChunkKind:
        return "workflow"


@dataclass(frozen=True, slots=True)
class DelegationChunk:
    """Traffic between an agent and its subagents or its parent."""

    id: str
    body: str
    action: DelegationAction
    subagent_id: str | None = None
    agent_type: str | None = None
    success: bool | None = None
    parent_agent_id: str | None = None
    custom: Marks = ()

    @property
    def kind(self) -> ChunkKind:
        return "delegation"


@dataclass(frozen=True, slots=True)
class EnvironmentChunk:
    """The result of a tool or a skill; `error` is "true", or a description."""

    id: str
    body: str
    action: EnvironmentAction
    name: str | None = None
    call_id: str | None = None
    success: bool | None = None
    error: str | None = None
    custom: Marks = ()

    @property
    def kind(self) -> ChunkKind:
        return "environment"


@dataclass(frozen=True, slots=True)
class WorkingFlowChunk:
    """Working notes: summaries, to-do lists, thoughts, and the user's interjections.

    `todo_action` is written as the tag's action ("todo_set"). `compacted_at` is kept as it was
    written, because its clock and unit are not specified.
    """

    id: str
    body: str
    action: WorkingFlowAction
    compacted_at: str | None = None
    original_count: int | None = None
    todo_action: str | None = None
    subtype: str | None = None
    custom: Marks = ()

    @property
    def kind(self) -> ChunkKind:
        return "working_flow"


@dataclass(frozen=True, slots=True)
class OutputChunk:
    """The outcome of a task."""

    id: str
    body: str
    action: OutputAction
    reason: str | None = None
    terminated_by: str | None = None
    custom: Marks = ()

    @property
    def kind(self) -> ChunkKind:
        return "output"


class Command(NamedTuple):
    """A command of a question as it was written (`@read notes.md`), and its result."""

    words: str
    tool: str
    arguments: str
    result: str


_WRITTEN_AS = {"grep": "search"}


def command_of(chunk: object) -> Command | None:
    """The command whose result a chunk is, if the user wrote it into a question rather than a model calling it."""
    if not isinstance(chunk, EnvironmentChunk) or chunk.call_id != chunk.id or not chunk.name:
        return None
    called, _, result = chunk.body.partition("\n")
    arguments = called.removeprefix(f"{chunk.name} ")
    try:
        given = json.loads(arguments)
    except ValueError:
        given = {}
    target = (
        next((value for value in given.values() if isinstance(value, str)), "")
        if isinstance(given, dict)
        else ""
    )
    words = f"@{_WRITTEN_AS.get(chunk.name, chunk.name)} {target}".rstrip()
    return Command(words, chunk.name, arguments, result)


Chunk = (
    SystemChunk
    | AgentChunk
    | WorkflowChunk
    | DelegationChunk
    | EnvironmentChunk
    | WorkingFlowChunk
    | OutputChunk
)
