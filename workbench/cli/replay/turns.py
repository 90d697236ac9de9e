"""Reads the turns of a trajectory one after the other, keeping what each one leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from workbench.cli.replay.attachments import read_attach, read_detach
from workbench.cli.replay.messages import MessageIds, read_reply
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.reading.node import Fields, Node, nullable, show
from workbench.domain.settings.overrides import apply_overrides, merge_settings
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.trajectory import TrajectoryTurn

REMARKS = ("name", "description")
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
