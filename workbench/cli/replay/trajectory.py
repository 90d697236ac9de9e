"""Reads a trajectory (`workbench-trajectory/1`): the input side of `workbench replay`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Literal, TypeVar, get_args

from workbench.cli.expected import EXPECTED
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
from workbench.domain.envelope import Fitted, TrimState
from workbench.domain.files.attachment import (
    ARTIFACT_KINDS,
    EPHEMERAL_KINDS,
    PRIORITY_ESSENTIAL,
    PRIORITY_LOW,
    PRIORITY_MEDIUM,
    Artifact,
    ArtifactKind,
    artifact_key,
)
from workbench.domain.message import ROLES, Entry, Image, Message, Role, ToolCall
from workbench.domain.reading.node import Fields, Node, nullable, show
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import apply_overrides, merge_settings
from workbench.domain.text import digest_text, repair_text
from workbench.domain.trajectory import Trajectory, TrajectoryTurn
from workbench.domain.translation import tr

# Reads native messages of a trajectory, and gives those without an id theirs.


_MESSAGE = ("id", "role", "content", "tool_calls", "tool_call_id")
_REPLY_ROLES: tuple[Role, ...] = ("assistant", "tool")


class MessageIds:
    """Gives out message ids in order of appearance and remembers where each was used.

    Attributes:
        reserved: ids that `history` gives itself; none of them is ever generated. Ids that later turns give
            are not looked ahead to, so that adding a turn never renames an earlier message.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = frozenset(reserved)
        self._places: dict[str, Node] = {}
        self._number = 0

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._places

    def take(self, fields: Fields) -> str:
        """Returns the id that a message or chunk names, or the next free one; an id used twice is an error."""
        given = fields.given("id")
        if given is None:
            return self.make(fields.node)
        message_id = given.name()
        if message_id in self._places:
            raise given.error(
                tr(
                    "{show} is already the id of {path}",
                    show=show(message_id),
                    path=self._places[message_id].path,
                )
            )
        self._places[message_id] = fields.node
        return message_id

    def make(self, place: Node) -> str:
        """Generates the next free id (m1, m2, …) and records the place that uses it."""
        while True:
            self._number += 1
            message_id = f"m{self._number}"
            if message_id not in self._reserved and message_id not in self._places:
                self._places[message_id] = place
                return message_id


def read_message(node: Node, ids: MessageIds, roles: tuple[Role, ...] = ROLES) -> Message:
    """Reads a message of the trajectory format, whatever provider it came from."""
    fields = node.fields(_MESSAGE)
    role = fields.require("role").choice(roles)
    tool_calls = _tool_calls(fields, role)
    texts, images = _content(fields, bool(tool_calls))
    return Message(
        id=ids.take(fields),
        role=role,
        texts=texts,
        images=images,
        tool_calls=tool_calls,
        tool_call_id=_tool_call_id(fields, role),
    )


def read_reply(node: Node, ids: MessageIds) -> tuple[Message, ...]:
    """Reads the model's reply: a list of messages, or a string as short form of one assistant message."""
    if isinstance(node.value, str):
        return (Message(id=ids.make(node), role="assistant", texts=(node.text(),)),)
    if not isinstance(node.value, list):
        raise node.expected(tr("a string or a list of messages"))
    return tuple(read_message(item, ids, _REPLY_ROLES) for item in node.items())


def _content(fields: Fields, has_calls: bool) -> tuple[tuple[str, ...], tuple[Image, ...]]:
    node = fields.get("content") if has_calls else fields.require("content")
    if node is None or (has_calls and node.value in (None, "")):
        return (), ()
    if isinstance(node.value, str):
        return (node.text(),), ()
    if not isinstance(node.value, list):
        raise node.expected(tr("a string or a list of parts"))
    parts = [_part(item) for item in node.items()]
    texts = tuple(part for part in parts if isinstance(part, str))
    return texts, tuple(_positioned_images(parts, len(texts)))


def _positioned_images(parts: Sequence[str | Image], texts: int) -> Iterator[Image]:
    """Yields the pictures, each with the number of texts before it; a picture after all texts carries no number."""
    before = 0
    for part in parts:
        if isinstance(part, Image):
            yield part if before == texts else replace(part, after=before)
        else:
            before += 1


def _part(node: Node) -> str | Image:
    fields = node.fields(("type", "text", "digest", "tokens"))
    if fields.require("type").choice(("text", "image")) == "text":
        return node.fields(("type", "text")).require("text").text()
    fields = node.fields(("type", "digest", "tokens"))
    tokens = fields.given("tokens")
    return Image(fields.require("digest").name(), None if tokens is None else tokens.integer(0))


def _tool_calls(fields: Fields, role: Role) -> tuple[ToolCall, ...]:
    node = fields.given("tool_calls")
    if node is None:
        return ()
    calls = tuple(_tool_call(item) for item in node.items())
    if calls and role != "assistant":
        raise node.error(
            tr("only an assistant message makes tool calls, and this one's role is {show}", show=show(role))
        )
    return calls


def _tool_call(node: Node) -> ToolCall:
    fields = node.fields(("id", "name", "arguments"))
    return ToolCall(
        id=fields.require("id").name(),
        name=fields.require("name").name(),
        arguments=fields.read("arguments", _arguments, "{}"),
    )


def _arguments(node: Node) -> str:
    if isinstance(node.value, dict):
        return node.json()
    if not isinstance(node.value, str):
        raise node.expected(tr("a string or an object"))
    return node.text()


def _tool_call_id(fields: Fields, role: Role) -> str | None:
    if role == "tool":
        return fields.require("tool_call_id").name()
    node = fields.given("tool_call_id")
    if node is not None:
        raise node.error(
            tr("only a tool message answers a call, and this one's role is {show}", show=show(role))
        )
    return None


# Reads attributes of typed chunks, as JSON values or as text: in XML tags "true" and "3" are text.


A = TypeVar("A", bound=str)
T = TypeVar("T")


def read_action(fields: Fields, options: Sequence[A], likely: T) -> A | T:
    """Returns the action a chunk names, or `likely` where it names none."""
    node = fields.given("action")
    return likely if node is None else node.choice(options)


def read_call_action(fields: Fields, tool: A, skill: A) -> A:
    """Tells a tool's chunk from a skill's: by its action, or else by whether it names a skill."""
    return read_action(fields, (tool, skill), skill if fields.given("skill") else tool)


def read_callee(fields: Fields, attribute: Literal["tool", "skill"]) -> str | None:
    """Returns the name of the tool or skill that a chunk is about; naming the other kind is an error."""
    other = fields.given("skill" if attribute == "tool" else "tool")
    if other is not None:
        raise other.error(
            tr('this chunk is about a {attribute}; name it with "{attribute}"', attribute=attribute)
        )
    return read_attribute(fields, attribute)


def read_attribute(fields: Fields, name: str) -> str | None:
    """Returns the text of an optional attribute."""
    node = fields.given(name)
    return None if node is None else node.text()


def read_success(fields: Fields) -> bool | None:
    """Returns the `success` attribute; attributes of tags are text, so "true" counts as true."""
    node = fields.given("success")
    if node is None:
        return None
    return node.value == "true" if node.value in ("true", "false") else node.flag()


def read_error(fields: Fields) -> str | None:
    """Returns the `error` attribute: "true", a text that says more, or None where there was no error."""
    node = fields.given("error")
    if node is None or node.value is False or node.value == "false":
        return None
    return "true" if node.value is True else node.text()


def read_compacted_at(node: Node) -> str | None:
    """Returns when the chunk was compacted, as text; the trajectory may hold a number or a string."""
    if node.value is None or isinstance(node.value, str):
        return None if node.value is None else node.text()
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise node.expected(tr("a number or a string"))
    return node.json()


def read_body(node: Node) -> str:
    """Returns a chunk's content as text; a value that is not text is written as JSON, spaced as `json.dumps` does."""
    if node.value is None:
        return ""
    return node.text() if isinstance(node.value, str) else node.json((", ", ": "))


def read_marks(node: Node) -> Marks:
    """Returns the `custom` attributes of a chunk as pairs of name and text, in the order of the document."""
    if not isinstance(node.value, dict):
        raise node.expected(tr("an object"))
    return tuple((Node(name).text(), _mark(node.at(name, value))) for name, value in node.value.items())


def _mark(node: Node) -> str:
    return node.text() if isinstance(node.value, str) else node.json()


# Reads typed chunks from a trajectory by their attribute names; missing attributes are inferred.


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
    """The fields that every kind of chunk has."""

    id: str
    body: str
    custom: Marks


def is_chunk(node: Node) -> bool:
    """Whether a history entry is a typed chunk and not a native message."""
    return isinstance(node.value, dict) and "chunk" in node.value


def read_chunk(node: Node, ids: MessageIds) -> Entry:
    """Reads a typed chunk; a plain message of user or assistant becomes a `Message`, which is its native form."""
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
        raise node.error(tr('"{word}" has the role "{implied}"', word=word, implied=implied))
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
        action=read_action(fields, DELEGATION_ACTIONS, _infer_delegation_action(fields)),
        subagent_id=read_attribute(fields, "subagent_id"),
        agent_type=read_attribute(fields, "agent_type"),
        success=read_success(fields),
        parent_agent_id=read_attribute(fields, "parent_agent_id"),
        custom=shared.custom,
    )


def _infer_delegation_action(fields: Fields) -> DelegationAction:
    if fields.given("parent_agent_id"):
        return "parent_agent_message"
    if fields.given("success"):
        return "subagent_result"
    return "spawn_subagent" if fields.given("agent_type") else "message_to_subagent"


def _working_flow(fields: Fields, shared: _Shared) -> Entry:
    todo = _todo_action(fields)
    action = (
        "todo_update"
        if todo
        else read_action(fields, WORKING_FLOW_ACTIONS, _infer_working_flow_action(fields))
    )
    if action is None:
        names = ", ".join(f'"{name}"' for name in WORKING_FLOW_ACTIONS)
        raise fields.node.at("action", None).error(tr("missing; expected one of {names}", names=names))
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


def _infer_working_flow_action(fields: Fields) -> WorkingFlowAction | None:
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


# Reads what a turn of a trajectory attaches and detaches.


_ARTIFACT = (
    "id", "kind", "title", "text", "priority", "essential", "pinned", "recoverable", "most_tokens",
    "by_relevance", "whole",
)  # fmt: skip


def read_attach(node: Node) -> tuple[Artifact, ...]:
    """Returns the artifacts that a turn attaches.

    Where an id occurs twice, the last one wins at the first one's position.
    """
    read = [item.fields(_ARTIFACT) for item in node.items()]
    # Ids given anywhere in the turn are taken, so that no selection without one is overwritten by them.
    taken = {given.text() for fields in read if (given := fields.given("id")) is not None}
    attached: dict[str, Artifact] = {}
    for fields in read:
        artifact = _artifact(fields, taken)
        taken.add(artifact.key)
        attached[artifact.key] = artifact
    return tuple(attached.values())


def read_detach(node: Node, attached: set[str]) -> tuple[str, ...]:
    """The ids a turn detaches, taken out of `attached`; each must be attached at that moment."""
    detached = []
    for item in node.items():
        key = item.text()
        if key not in attached:
            raise item.error(tr("{show} is not attached", show=show(key)))
        attached.remove(key)
        detached.append(key)
    return tuple(detached)


def _artifact(fields: Fields, taken: set[str]) -> Artifact:
    kind: ArtifactKind = fields.read("kind", _kind, "file")
    text = fields.require("text").text()
    given = fields.given("id")
    priority = fields.read("priority", _priority, PRIORITY_MEDIUM)
    return Artifact(
        key=artifact_key(kind, text, taken) if given is None else given.name(),
        kind=kind,
        text=text,
        title=fields.read("title", Node.text, ""),
        priority=priority,
        essential=_essential(fields, kind, priority),
        recoverable=fields.read("recoverable", Node.flag, kind not in EPHEMERAL_KINDS),
        most_tokens=fields.read("most_tokens", nullable(lambda node: node.integer(1)), None),
        by_relevance=fields.read("by_relevance", Node.flag, False),
        whole=fields.read("whole", Node.flag, False),
    )


def _essential(fields: Fields, kind: ArtifactKind, priority: int) -> bool:
    pinned = fields.read("pinned", Node.flag, False)
    said = fields.read("essential", Node.flag, kind in EPHEMERAL_KINDS)
    return said or pinned or priority == PRIORITY_ESSENTIAL


def _kind(node: Node) -> ArtifactKind:
    return node.choice(ARTIFACT_KINDS)


def _priority(node: Node) -> int:
    return node.integer(PRIORITY_ESSENTIAL, PRIORITY_LOW)


# Reads the turns of a trajectory one after the other, keeping what each one leaves behind.


REMARKS = ("name", "description")
_TURN = (
    "settings", "now", "reload", "cold", "rebuild", "library", "attach", "detach", "exclude_messages",
    "include_messages", "pin_messages", "unpin_messages", "user", "prefill", "reply",
)  # fmt: skip


class TurnReader:
    """Reads turns in order: settings, attachments and message ids of one turn hold in the next."""

    def __init__(self, settings: ContextSettings, overrides: Mapping[str, object], ids: MessageIds) -> None:
        self._settings = settings
        self._overrides = overrides
        self._resolved = apply_overrides(settings, overrides)
        self._ids = ids
        self._attached: set[str] = set()

    def read(self, node: Node) -> TrajectoryTurn:
        fields = node.fields(_TURN, REMARKS)
        self._change_settings(fields)
        detach: tuple[str, ...] = fields.read("detach", lambda one: read_detach(one, self._attached), ())
        attach: tuple[Artifact, ...] = fields.read("attach", read_attach, ())
        library: tuple[Artifact, ...] = fields.read("library", read_attach, ())
        self._attached.update(artifact.key for artifact in (*library, *attach))
        return TrajectoryTurn(
            settings=self._resolved,
            detach=detach,
            attach=attach,
            library=library,
            exclude_messages=self._earlier_ids(fields, "exclude_messages"),
            include_messages=self._earlier_ids(fields, "include_messages"),
            pin_messages=self._earlier_ids(fields, "pin_messages"),
            unpin_messages=self._earlier_ids(fields, "unpin_messages"),
            now=fields.read("now", nullable(read_moment), None),
            reload=fields.read("reload", Node.flag, False),
            cold=fields.read("cold", Node.flag, False),
            rebuild=fields.read("rebuild", Node.flag, False),
            # Ids are given in the order of appearance: the question's before the replies'.
            question=self._question(fields),
            prefill=fields.read("prefill", Node.text, ""),
            reply=self._reply(fields),
        )

    def _change_settings(self, fields: Fields) -> None:
        node = fields.get("settings")
        if node is not None:
            self._settings = merge_settings(self._settings, node)
            self._resolved = apply_overrides(self._settings, self._overrides)

    def _earlier_ids(self, fields: Fields, name: str) -> tuple[str, ...]:
        return fields.read_all(name, self._earlier_id)

    def _earlier_id(self, node: Node) -> str:
        message_id = node.text()
        if message_id not in self._ids:
            raise node.error(tr("no earlier message has the id {show}", show=show(message_id)))
        return message_id

    def _question(self, fields: Fields) -> Message | None:
        node = fields.given("user")
        if node is None:
            return None
        text = node.text()
        return Message(id=self._ids.make(node), role="user", texts=(text,))

    def _reply(self, fields: Fields) -> tuple[Message, ...]:
        node = fields.given("reply")
        return () if node is None else read_reply(node, self._ids)


def read_moment(node: Node) -> str:
    """A point in time as UTC; one without an offset would mean another time on another machine."""
    text = node.text()
    try:
        moment = datetime.fromisoformat(text)
        if moment.utcoffset() is None:
            raise ValueError
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        raise node.expected(tr('a time with its UTC offset, such as "2026-01-01T12:00:00Z"')) from None


TRAJECTORY_FORMAT = "workbench-trajectory/1"
_TRAJECTORY = ("format", "conversation", "settings", "history", "trim_state", "turns", EXPECTED)
_TRIM_STATE = ("boundary", "boundary_message", "trimmed_messages", "fitted", "basis")
_FITTED = ("id", "content_digest", "chars", "priority", "room_tokens")


def parse_trajectory(document: object, overrides: Mapping[str, object] = MappingProxyType({})) -> Trajectory:
    """The trajectory a JSON document holds, with `overrides` (from `--set`) on top of its settings."""
    fields = Node(document).fields(_TRAJECTORY, REMARKS)
    fields.require("format").choice((TRAJECTORY_FORMAT,))
    settings = fields.read("settings", lambda one: merge_settings(ContextSettings(), one), ContextSettings())
    ids = MessageIds(_ids_in_history(fields))
    history = fields.read_all("history", lambda one: _entry(one, ids))
    reader = TurnReader(settings, overrides, ids)
    turns = fields.read_all("turns", reader.read)
    return Trajectory(
        conversation=fields.read("conversation", Node.name, "") or _conversation(fields, turns),
        history=history,
        trim=fields.read("trim_state", nullable(_trim_state), None) or TrimState(),
        turns=turns,
    )


def _entry(node: Node, ids: MessageIds) -> Entry:
    return read_chunk(node, ids) if is_chunk(node) else read_message(node, ids)


def _ids_in_history(fields: Fields) -> set[str]:
    entries = fields.read_all("history", lambda one: one.value)
    given = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    return {repair_text(one) for one in given if isinstance(one, str)}


def _trim_state(node: Node) -> TrimState:
    fields = node.fields(_TRIM_STATE)
    fields.read_all("trimmed_messages", lambda one: one)
    return TrimState(
        boundary=fields.read("boundary", lambda one: one.integer(0), 0),
        boundary_message=fields.read("boundary_message", nullable(Node.name), None),
        fitted=fields.read_all("fitted", _fitted),
        basis=fields.read("basis", nullable(Node.name), None),
    )


def _fitted(node: Node) -> Fitted:
    fields = node.fields(_FITTED)
    return Fitted(
        fields.require("id").name(),
        fields.require("content_digest").name(),
        fields.require("chars").integer(0),
        fields.read("priority", nullable(lambda one: one.integer(0, 10)), None),
        fields.read("room_tokens", nullable(lambda one: one.integer(0)), None),
    )


def _conversation(fields: Fields, turns: tuple[TrajectoryTurn, ...]) -> str:
    # From what was said alone: a what-if run under other settings is about the same conversation.
    history = fields.read_all("history", lambda one: one.value)
    said = [None if turn.question is None else turn.question.text for turn in turns]
    canonical = Node([history, said], "history").json(sort_keys=True)
    return f"trajectory:{digest_text(canonical)[:16]}"
