"""Reads native messages of a trajectory, and gives those without an id theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from workbench.domain.message import ROLES, Image, Message, Role, ToolCall
from workbench.domain.reading.node import Fields, Node, show

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
        """The id of a message or chunk: its own, or the next that is free."""
        given = fields.given("id")
        if given is None:
            return self.make(fields.node)
        message_id = given.name()
        if message_id in self._places:
            raise given.error(f"{show(message_id)} is already the id of {self._places[message_id].path}")
        self._places[message_id] = fields.node
        return message_id

    def make(self, place: Node) -> str:
        """The next generated id: m1, m2, …"""
        while True:
            self._number += 1
            message_id = f"m{self._number}"
            if message_id not in self._reserved and message_id not in self._places:
                self._places[message_id] = place
                return message_id


def read_message(node: Node, ids: MessageIds, roles: tuple[Role, ...] = ROLES) -> Message:
    """A message in the contract's neutral form."""
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
    """What the model answered; a string is short for one assistant message."""
    if isinstance(node.value, str):
        return (Message(id=ids.make(node), role="assistant", texts=(node.text(),)),)
    if not isinstance(node.value, list):
        raise node.expected("a string or a list of messages")
    return tuple(read_message(item, ids, _REPLY_ROLES) for item in node.items())


def _content(fields: Fields, has_calls: bool) -> tuple[tuple[str, ...], tuple[Image, ...]]:
    node = fields.get("content") if has_calls else fields.require("content")
    if node is None or (has_calls and node.value in (None, "")):
        return (), ()
    if isinstance(node.value, str):
        return (node.text(),), ()
    if not isinstance(node.value, list):
        raise node.expected("a string or a list of parts")
    parts = [_part(item) for item in node.items()]
    texts = tuple(part for part in parts if isinstance(part, str))
    return texts, tuple(_placed(parts, len(texts)))


def _placed(parts: Sequence[str | Image], texts: int) -> Iterator[Image]:
    """The pictures, each with the number of texts before it; one that stands after all of them needs none."""
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
        raise node.error(f"only an assistant message makes tool calls, and this one's role is {show(role)}")
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
        raise node.expected("a string or an object")
    return node.text()


def _tool_call_id(fields: Fields, role: Role) -> str | None:
    if role == "tool":
        return fields.require("tool_call_id").name()
    node = fields.given("tool_call_id")
    if node is not None:
        raise node.error(f"only a tool message answers a call, and this one's role is {show(role)}")
    return None
