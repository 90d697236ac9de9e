"""Imports Claude.ai's export, `conversations.json`: messages with their parents, each made of typed blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from workbench.domain.message import Role
from workbench.domain.record import ChatArchive, Record
from workbench.domain.translation import tr
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import (
    Fresh,
    Ids,
    Imported,
    ImportedMessage,
    Losses,
    each_chat,
    started,
)
from workbench.engine.exchange.kept_files import KeptFiles
from workbench.engine.exchange.message_tree import MessageTree, Node, nodes_of
from workbench.engine.exchange.spoken import Spoken, as_words, said_in

_ROOT = "00000000-0000-4000-8000-000000000000"
_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}
_SAYS_NOTHING = ("token_budget", "flag")

_NO_CHAT = tr("conversation {number}: it has no messages; left out")


def is_claude(one: dict[str, Any]) -> bool:
    """Tells whether a JSON object is a conversation of Claude's export."""
    return isinstance(one.get("chat_messages"), list)


def import_claude(document: object, fresh: Fresh) -> Imported:
    """Imports every conversation, with branches where the export has them, else in order."""
    return each_chat(document, fresh, is_claude, partial(_archive, fresh), _NO_CHAT)


def _archive(fresh: Fresh, one: dict[str, Any], ids: Ids, lost: Losses) -> ChatArchive:
    found: dict[str, dict[str, Any]] = {}
    for number, message in enumerate(one["chat_messages"]):
        if isinstance(message, dict):
            key = message.get("uuid")
            found[key if isinstance(key, str) and key not in found else f"message {number}"] = message
        else:
            lost.left_out["message that is no object"] += 1
    title = one["name"] if isinstance(one.get("name"), str) else ""
    chat = started(ids.take(one.get("uuid")), title, to_utc(one.get("created_at")) or fresh.now_utc)
    files = KeptFiles(chat.id, fresh.beside, lost)
    reading = _Reading(found, files, lost, said_in(one, "model"))
    nodes = _nodes(found)
    leaf = one.get("current_leaf_message_uuid")
    growing = MessageTree(chat, Ids(fresh.new_id), lost)
    return growing.grow(
        nodes, reading.read, leaf if leaf in found else next(reversed(found), None), files.snapshots
    )


def _nodes(found: dict[str, dict[str, Any]]) -> dict[str, Node]:
    parents = [(key, message.get("parent_message_uuid")) for key, message in found.items()]
    if any(isinstance(parent, str) for _, parent in parents):
        return nodes_of(parents, _ROOT)
    keys = list(found)
    return {key: Node(before) for key, before in zip(keys, [None, *keys], strict=False)}


@dataclass(slots=True)
class _Reading:
    messages: dict[str, dict[str, Any]]
    files: KeptFiles
    lost: Losses
    model: str

    def read(self, key: str, before: Record | None) -> list[ImportedMessage]:
        """Reads a message, which may have several steps; text pasted into it becomes an attachment."""
        message = self.messages[key]
        sender = message.get("sender")
        role = _ROLES.get(sender) if isinstance(sender, str) else None
        if role is None:
            self.lost.changed["message of an unknown role: kept as the user's"] += 1
        when = to_utc(message.get("created_at"))
        noted = {"model": self.model} if self.model and role == "assistant" else {}
        like = ImportedMessage(role or "user", created_utc=when, id=key, metadata=noted)
        spoken = Spoken(like)
        for block in message["content"] if isinstance(message.get("content"), list) else ():
            self._block(block, spoken)
        self._attach(message, spoken, when or "")
        said = spoken.messages()
        if not any(one.says_something for one in said):
            spoken = Spoken(like)
            spoken.say(said_in(message, "text"))
            self._attach(message, spoken, when or "", count=False)
            said = spoken.messages()
        return said

    def _block(self, block: object, spoken: Spoken) -> None:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "thinking":
            spoken.think(said_in(block, "thinking"))
        elif kind == "tool_use" and isinstance(block, dict):
            spoken.call(said_in(block, "name"), block.get("input", {}), block.get("id"))
        elif kind == "tool_result" and isinstance(block, dict):
            self._result(block, spoken)
        elif said_in(block, "text"):
            spoken.say(said_in(block, "text"))
        elif kind != "text" and kind not in _SAYS_NOTHING:
            self.lost.left_out[kind if isinstance(kind, str) else "part without a type"] += 1

    def _result(self, block: dict[str, Any], spoken: Spoken) -> None:
        content = block.get("content")
        parts = content if isinstance(content, list) else [{"text": as_words(content)}]
        words = "\n\n".join(filter(None, (said_in(part, "text", "content") for part in parts)))
        silent = [part for part in parts if not said_in(part, "text", "content")]
        for part in silent if isinstance(content, list) else ():
            kind = part.get("type") if isinstance(part, dict) else None
            self.lost.left_out[
                tr("{kind} in a tool's result", kind=kind) if kind else tr("part without a type")
            ] += 1
        # Older exports give calls no id: the result stands right after its call.
        call = block.get("tool_use_id") or spoken.newest_call
        if not spoken.give_back(call, words):
            self.lost.left_out["result of a tool that was not called"] += 1

    def _attach(self, message: dict[str, Any], spoken: Spoken, when: str, count: bool = True) -> None:
        for one in message["attachments"] if isinstance(message.get("attachments"), list) else ():
            text = said_in(one, "extracted_content")
            if text:
                spoken.attach(self.files.text(one.get("file_name"), text, when))
            elif count:
                self._find(one, spoken, when)
        for name in ("files", "files_v2") if count else ():
            for one in message[name] if isinstance(message.get(name), list) else ():
                self._find(one, spoken, when)

    def _find(self, one: object, spoken: Spoken, when: str) -> None:
        """Adds a file that the export names; its bytes are only there where the file lies beside the export."""
        table: dict[str, Any] = one if isinstance(one, dict) else {}
        kept = self.files.found(
            (table.get("file_uuid"), table.get("file_name")), table.get("file_name"), when
        )
        if isinstance(kept, str):
            spoken.attach(kept)
        elif kept is not None:
            spoken.show(kept)
