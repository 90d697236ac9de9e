"""Reads a trajectory (`workbench-trajectory/1`): the input side of `workbench replay`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from workbench.cli.expected import EXPECTED
from workbench.cli.replay.chunks import is_chunk, read_chunk
from workbench.cli.replay.messages import MessageIds, read_message
from workbench.cli.replay.turns import REMARKS, TurnReader
from workbench.domain.envelope import Fitted, TrimState
from workbench.domain.message import Entry
from workbench.domain.reading.node import Fields, Node, nullable
from workbench.domain.settings.overrides import merge_settings
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.text import digest_text, repair_text
from workbench.domain.trajectory import Trajectory, TrajectoryTurn

TRAJECTORY_FORMAT = "workbench-trajectory/1"
_TRAJECTORY = ("format", "conversation", "settings", "history", "trim_state", "turns", EXPECTED)
_TRIM_STATE = ("boundary", "boundary_message", "trimmed_messages", "fitted", "basis")
_FITTED = ("id", "content_digest", "chars", "priority", "room_tokens")


def parse_trajectory(document: object, overrides: Mapping[str, object] = MappingProxyType({})) -> Trajectory:
    """The trajectory a JSON document holds, with `overrides` (from `--set`) on top of its settings."""
    fields = Node(document).fields(_TRAJECTORY, REMARKS)
    fields.require("format").choice((TRAJECTORY_FORMAT,))
    settings = fields.read("settings", lambda one: merge_settings(ContextSettings(), one), ContextSettings())
    ids = MessageIds(_ids_given(fields))
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


def _ids_given(fields: Fields) -> set[str]:
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
