"""Reads typed chunks from a trajectory by their attribute names; missing attributes are inferred."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.cli.replay.chunk_attributes import (
    read_action,
    read_attribute,
    read_body,
    read_call_action,
    read_callee,
    read_compacted_at,
    read_error,
    read_marks,
    read_success,
)
from workbench.cli.replay.messages import MessageIds
from workbench.domain.chunk import (
    CHUNK_KINDS,
    AgentChunk,
    AgentRole,
    ChunkKind,
    DelegationAction,
    DelegationChunk,
    EnvironmentAction,
    EnvironmentChunk,
    Marks,
    OutputAction,
    OutputChunk,
    SystemChunk,
    WorkflowAction,
    WorkflowChunk,
    WorkingFlowAction,
    WorkingFlowChunk,
)
from workbench.domain.message import Entry, Message
from workbench.domain.reading.node import Fields, Node

AgentWord = Literal["clarification", "assistant_clarification", "assistant_response", "user_message"]
AGENT_WORDS: tuple[AgentWord, ...] = get_args(AgentWord)
AGENT_ROLES: tuple[AgentRole, ...] = get_args(AgentRole)
DELEGATION_ACTIONS: tuple[DelegationAction, ...] = get_args(DelegationAction)
WORKING_FLOW_ACTIONS: tuple[WorkingFlowAction, ...] = get_args(WorkingFlowAction)
OUTPUT_ACTIONS: tuple[OutputAction, ...] = get_args(OutputAction)

_SHARED = ("chunk", "id", "action", "content", "custom")
_OWN: dict[ChunkKind, tuple[str, ...]] = {
    "system": ("priority",),
    "agent": ("role",),
    "workflow": ("tool", "skill", "call_id", "status"),
    "delegation": ("subagent_id", "agent_type", "success", "parent_agent_id"),
    "environment": ("tool", "skill", "call_id", "success", "error"),
    "working_flow": ("compacted_at", "original_count", "subtype"),
    "output": ("reason", "terminated_by"),
}
_SUBTYPES: dict[WorkingFlowAction, str] = {"thinking": "THINKING", "user_intervention": "USER"}


@dataclass(frozen=True, slots=True)
class _Shared:
    """What every chunk has."""

    id: str
    body: str
    custom: Marks


def is_chunk(node: Node) -> bool:
    """Whether a history entry is a typed chunk and not a native message."""
    return isinstance(node.value, dict) and "chunk" in node.value


def read_chunk(node: Node, ids: MessageIds) -> Entry:
    """A typed chunk; plain words of user or assistant become a message, which is their native form."""
    kind = Fields(node).require("chunk").choice(CHUNK_KINDS)
    fields = node.fields((*_SHARED, *_OWN[kind]))
    shared = _Shared(
        ids.take(fields), fields.read("content", read_body, ""), fields.read("custom", read_marks, ())
    )
    return _READERS[kind](fields, shared)


def _system(fields: Fields, shared: _Shared) -> Entry:
    read_action(fields, ("system_context",), "system_context")
    priority = fields.given("priority")
    number = None if priority is None else priority.integer(0)
    return SystemChunk(shared.id, shared.body, number, shared.custom)


def _agent(fields: Fields, shared: _Shared) -> Entry:
    word = read_action(fields, AGENT_WORDS, None)
    role = _agent_role(fields, word)
    if word in ("clarification", "assistant_clarification"):
        return AgentChunk(shared.id, shared.body, role, "clarification", shared.custom)
    if shared.custom:
        # A message has no marks, so the custom renderer that is meant would never see it.
        return AgentChunk(shared.id, shared.body, role, custom=shared.custom)
    return Message(id=shared.id, role=role, texts=(shared.body,))


def _agent_role(fields: Fields, word: AgentWord | None) -> AgentRole:
    node = fields.get("role") if word else fields.require("role")
    implied: AgentRole = "user" if word == "user_message" else "assistant"
    role = implied if node is None else node.choice(AGENT_ROLES)
    if node is not None and word is not None and role != implied:
        raise node.error(f'"{word}" has the role "{implied}"')
    return role


def _workflow(fields: Fields, shared: _Shared) -> Entry:
    action: WorkflowAction = read_call_action(fields, "tool_call", "skill_call")
    return WorkflowChunk(
        id=shared.id,
        body=shared.body,
        action=action,
        name=read_callee(fields, "tool" if action == "tool_call" else "skill"),
        call_id=read_attribute(fields, "call_id"),
        status=read_attribute(fields, "status"),
        custom=shared.custom,
    )


def _environment(fields: Fields, shared: _Shared) -> Entry:
    action: EnvironmentAction = read_call_action(fields, "tool_result", "skill_result")
    return EnvironmentChunk(
        id=shared.id,
        body=shared.body,
        action=action,
        name=read_callee(fields, "tool" if action == "tool_result" else "skill"),
        call_id=read_attribute(fields, "call_id"),
        success=read_success(fields),
        error=read_error(fields),
        custom=shared.custom,
    )


def _delegation(fields: Fields, shared: _Shared) -> Entry:
    return DelegationChunk(
        id=shared.id,
        body=shared.body,
        action=read_action(fields, DELEGATION_ACTIONS, _likely_delegation(fields)),
        subagent_id=read_attribute(fields, "subagent_id"),
        agent_type=read_attribute(fields, "agent_type"),
        success=read_success(fields),
        parent_agent_id=read_attribute(fields, "parent_agent_id"),
        custom=shared.custom,
    )


def _likely_delegation(fields: Fields) -> DelegationAction:
    if fields.given("parent_agent_id"):
        return "parent_agent_message"
    if fields.given("success"):
        return "subagent_result"
    return "spawn_subagent" if fields.given("agent_type") else "message_to_subagent"


def _working_flow(fields: Fields, shared: _Shared) -> Entry:
    todo = _todo_action(fields)
    action = (
        "todo_update" if todo else read_action(fields, WORKING_FLOW_ACTIONS, _likely_working_flow(fields))
    )
    if action is None:
        names = ", ".join(f'"{name}"' for name in WORKING_FLOW_ACTIONS)
        raise fields.node.at("action", None).error(f"missing; expected one of {names}")
    count = fields.given("original_count")
    return WorkingFlowChunk(
        id=shared.id,
        body=shared.body,
        action=action,
        compacted_at=fields.read("compacted_at", read_compacted_at, None),
        original_count=None if count is None else count.integer(0),
        todo_action=todo,
        subtype=read_attribute(fields, "subtype") or _SUBTYPES.get(action),
        custom=shared.custom,
    )


def _todo_action(fields: Fields) -> str | None:
    node = fields.given("action")
    if node is None or not isinstance(node.value, str) or not node.value.startswith("todo_"):
        return None
    return None if node.value == "todo_update" else node.text()


def _likely_working_flow(fields: Fields) -> WorkingFlowAction | None:
    subtype = fields.given("subtype")
    for action, name in _SUBTYPES.items():
        if subtype is not None and subtype.value == name:
            return action
    return "progress_summary" if fields.given("compacted_at") or fields.given("original_count") else None


def _output(fields: Fields, shared: _Shared) -> Entry:
    reason, terminated_by = read_attribute(fields, "reason"), read_attribute(fields, "terminated_by")
    ended: OutputAction = "task_completed" if terminated_by is None else "task_terminated"
    likely: OutputAction = ended if reason is None else "task_abandoned"
    action = read_action(fields, OUTPUT_ACTIONS, likely)
    return OutputChunk(shared.id, shared.body, action, reason, terminated_by, shared.custom)


_READERS: dict[ChunkKind, Callable[[Fields, _Shared], Entry]] = {
    "system": _system,
    "agent": _agent,
    "workflow": _workflow,
    "delegation": _delegation,
    "environment": _environment,
    "working_flow": _working_flow,
    "output": _output,
}
