"""Reads a trajectory (`workbench-trajectory/1`): the input side of `workbench replay`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from workbench.cli.replay.chunks import is_chunk, read_chunk
from workbench.cli.replay.messages import MessageIds, read_attach, read_detach, read_message, read_reply
from workbench.cli.settings import apply_overrides, merge_settings
from workbench.domain.attachment import Artifact
from workbench.domain.envelope import Fitted, TrimState
from workbench.domain.message import Entry, Message
from workbench.domain.preferences import ContextSettings
from workbench.domain.reading.node import Fields, Node, nullable, show
from workbench.domain.text import digest_text, repair_text
from workbench.domain.trajectory import Trajectory, TrajectoryTurn

# Reads the turns of a trajectory one after the other, keeping what each one leaves behind.

_TURN = (
    "settings", "now", "reload", "cold", "rebuild", "library", "attach", "detach", "exclude_messages",
    "include_messages", "pin_messages", "unpin_messages", "user", "reply",
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
        """The next turn."""
        fields = node.fields(_TURN, _REMARKS)
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
            exclude_messages=self._earlier(fields, "exclude_messages"),
            include_messages=self._earlier(fields, "include_messages"),
            pin_messages=self._earlier(fields, "pin_messages"),
            unpin_messages=self._earlier(fields, "unpin_messages"),
            now=fields.read("now", nullable(read_moment), None),
            reload=fields.read("reload", Node.flag, False),
            cold=fields.read("cold", Node.flag, False),
            rebuild=fields.read("rebuild", Node.flag, False),
            # Ids are given in the order of appearance: the question's before the replies'.
            question=self._question(fields),
            reply=self._reply(fields),
        )

    def _change_settings(self, fields: Fields) -> None:
        node = fields.get("settings")
        if node is not None:
            self._settings = merge_settings(self._settings, node)
            self._resolved = apply_overrides(self._settings, self._overrides)

    def _earlier(self, fields: Fields, name: str) -> tuple[str, ...]:
        return fields.read_all(name, self._earlier_id)

    def _earlier_id(self, node: Node) -> str:
        message_id = node.text()
        if message_id not in self._ids:
            raise node.error(f"no earlier message has the id {show(message_id)}")
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
        raise node.expected('a time with its UTC offset, such as "2026-01-01T12:00:00Z"') from None


TRAJECTORY_FORMAT = "workbench-trajectory/1"
_TRAJECTORY = ("format", "conversation", "settings", "history", "trim_state", "turns")
_REMARKS = ("name", "description")
_TRIM_STATE = ("boundary", "boundary_message", "trimmed_messages", "fitted")
_FITTED = ("id", "content_digest", "chars")


def parse_trajectory(document: object, overrides: Mapping[str, object] = MappingProxyType({})) -> Trajectory:
    """The trajectory a JSON document holds, with `overrides` (from `--set`) on top of its settings."""
    fields = Node(document).fields(_TRAJECTORY, _REMARKS)
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
    )


def _fitted(node: Node) -> Fitted:
    fields = node.fields(_FITTED)
    return Fitted(
        fields.require("id").name(),
        fields.require("content_digest").name(),
        fields.require("chars").integer(0),
    )


def _conversation(fields: Fields, turns: tuple[TrajectoryTurn, ...]) -> str:
    # From what was said alone: a what-if run under other settings is about the same conversation.
    history = fields.read_all("history", lambda one: one.value)
    said = [None if turn.question is None else turn.question.text for turn in turns]
    canonical = Node([history, said], "history").json(sort_keys=True)
    return f"trajectory:{digest_text(canonical)[:16]}"
