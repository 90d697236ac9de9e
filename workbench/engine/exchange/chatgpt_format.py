"""Imports ChatGPT's export, `conversations.json`: a tree of nodes per chat, whose branches become siblings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from workbench.domain.message import Image, Message, Role, Thought, ToolCall
from workbench.domain.record import Chat, ChatArchive, Record
from workbench.domain.translation import tr
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import (
    Fresh,
    Ids,
    Imported,
    ImportedMessage,
    Losses,
    each_chat,
    is_good_id,
    started,
)
from workbench.engine.exchange.kept_files import FILE, KeptFiles
from workbench.engine.exchange.message_tree import MessageTree, Node
from workbench.engine.exchange.spoken import as_arguments

# One message of ChatGPT's export: its words, its pictures, its calls, and a name for whatever else it holds.

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_WORDS = ("text", "result", "content")
_FILE_ID = re.compile(r"file[-_][A-Za-z0-9]+")
THOUGHTS = "thoughts"
_UNANSWERED = tr("thinking that no answer followed")

_NO_CHAT = tr("conversation {number}: it has no mapping of messages; left out")


def is_chatgpt(one: dict[str, Any]) -> bool:
    """Tells whether a JSON object is a conversation of ChatGPT's export."""
    return isinstance(one.get("mapping"), dict)


def read_message(
    key: str, message: object, calling: str | None, lost: Losses, files: KeptFiles | None = None
) -> ImportedMessage | None:
    """The message of a node; None if it is empty. `calling` is the id of the tool call before it."""
    if not isinstance(message, dict):
        return None
    given = message.get("author")
    author: dict[str, Any] = given if isinstance(given, dict) else {}
    before = lost.left_out.total()
    role = _role(author, lost)
    when = to_utc(message.get("create_time"))
    parts = list(_parts(message.get("content"), lost, files, when))
    texts = tuple(part for part in parts if isinstance(part, str))
    images = tuple(_placed(parts))
    attached = tuple(_attached_keys(message.get("metadata"), lost, files, when))
    if not any(texts) and not images and not attached:
        if role == "user" and lost.left_out.total() > before:
            lost.left_out["question of which nothing is left"] += 1
        return None
    made_id = message["id"] if is_good_id(message.get("id")) else key
    calls = _calls(made_id, message.get("recipient"), texts) if role == "assistant" else ()
    return ImportedMessage(
        role=role,
        texts=() if calls else texts,
        created_utc=when,
        id=made_id,
        tool_calls=calls,
        tool_call_id=calling if role == "tool" else None,
        attached=attached,
        metadata=_metadata(author, message.get("metadata")),
        images=images,
    )


def _role(author: dict[str, Any], lost: Losses) -> Role:
    role = author.get("role")
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        lost.changed["message of an unknown role: kept as the user's"] += 1
    return known or "user"


def _parts(content: object, lost: Losses, files: KeptFiles | None, when: str | None) -> Iterator[str | Image]:
    if not isinstance(content, dict):
        return
    kind = content.get("content_type")
    named = kind if isinstance(kind, str) else tr("content without a type")
    if isinstance(content.get("parts"), list):
        for part in content["parts"]:
            yield from _part(part, lost, files, when)
        return
    words = [content[name] for name in _WORDS if isinstance(content.get(name), str)]
    if words:
        yield words[0]
    else:
        lost.left_out[named] += 1


def _part(part: object, lost: Losses, files: KeptFiles | None, when: str | None) -> Iterator[str | Image]:
    if isinstance(part, str):
        yield part
        return
    table: dict[str, Any] = part if isinstance(part, dict) else {}
    image = _picture(table.get("asset_pointer"), files, when)
    if image is not None:
        yield image
    elif isinstance(table.get("text"), str):
        yield table["text"]
    else:
        kind = table.get("content_type")
        lost.left_out[kind if isinstance(kind, str) else "part without a type"] += 1


def _picture(pointer: object, files: KeptFiles | None, when: str | None) -> Image | None:
    """A picture beside the export, in a file whose name begins with its id."""
    found = _FILE_ID.search(pointer) if isinstance(pointer, str) else None
    content = files.beside.find(found.group()) if files is not None and found is not None else None
    return files.picture(content, when or "") if files is not None and content is not None else None


def _placed(parts: list[str | Image]) -> Iterator[Image]:
    words = 0
    for part in parts:
        if isinstance(part, Image):
            yield replace(part, after=words)
        else:
            words += 1


def _attached_keys(
    metadata: object, lost: Losses, files: KeptFiles | None, when: str | None
) -> Iterator[str]:
    """Keys of attachments found beside the export; pictures are in the message already."""
    attachments = metadata.get("attachments") if isinstance(metadata, dict) else None
    for one in attachments if isinstance(attachments, list) else ():
        table: dict[str, Any] = one if isinstance(one, dict) else {}
        if files is None:
            lost.left_out[FILE] += 1
            continue
        kept = files.found((table.get("id"), table.get("name")), table.get("name"), when or "")
        if isinstance(kept, str):
            yield kept


def _metadata(author: dict[str, Any], metadata: object) -> dict[str, str]:
    found = {"name": author.get("name")}
    if isinstance(metadata, dict):
        found["model"] = metadata.get("model_slug")
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _calls(message_id: str, recipient: object, texts: tuple[str, ...]) -> tuple[ToolCall, ...]:
    """Calls of tools: messages that an assistant addressed to a tool."""
    if not isinstance(recipient, str) or recipient in ("", "all"):
        return ()
    return (ToolCall(f"call-{message_id}", recipient, as_arguments("\n\n".join(texts))),)


def import_chatgpt(document: object, fresh: Fresh) -> Imported:
    """Import every conversation with all its branches; `current_node` says which one is in view."""
    return each_chat(document, fresh, is_chatgpt, partial(_archive, fresh), _NO_CHAT)


def _archive(fresh: Fresh, one: dict[str, Any], ids: Ids, lost: Losses) -> ChatArchive:
    given = {key: node for key, node in one["mapping"].items() if isinstance(node, dict)}
    if len(given) < len(one["mapping"]):
        lost.left_out["node that is no object"] += len(one["mapping"]) - len(given)
    chat = _chat(one, ids, fresh)
    files = KeptFiles(chat.id, fresh.beside, lost)
    reading = _Reading(given, files, lost)
    nodes = {
        key: Node(_name(node.get("parent")), _listed(node.get("children"))) for key, node in given.items()
    }
    archive = MessageTree(chat, Ids(fresh.new_id), lost).grow(
        nodes, reading.read, one.get("current_node"), files.snapshots
    )
    if reading.thoughts:
        lost.left_out[_UNANSWERED] += sum(map(len, reading.thoughts.values()))
    return archive


def _chat(one: dict[str, Any], ids: Ids, fresh: Fresh) -> Chat:
    foreign = one.get("conversation_id", one.get("id"))
    title = one["title"] if isinstance(one.get("title"), str) else ""
    return started(ids.take(foreign), title, to_utc(one.get("create_time")) or fresh.now_utc)


def _name(parent: object) -> str | None:
    return parent if isinstance(parent, str) else None


def _listed(children: object) -> list[object]:
    return children if isinstance(children, list) else []


@dataclass(slots=True)
class _Reading:
    """Nodes being read; `thoughts` wait at their node for the answer that follows."""

    nodes: dict[str, Any]
    files: KeptFiles
    lost: Losses
    thoughts: dict[str, tuple[Thought, ...]] = field(default_factory=dict)

    def read(self, key: str, before: Record | None) -> list[ImportedMessage]:
        """The message of a node; nothing if it has none, or only thoughts."""
        node = self.nodes[key]
        parent, message = _name(node.get("parent")), node.get("message")
        led_to = self.thoughts.pop(parent, ()) if parent is not None else ()
        thought = _thoughts(message)
        said = None if thought else read_message(key, message, _calling(before), self.lost, self.files)
        if said is not None and said.role == "assistant":
            return [replace(said, thinking=led_to) if led_to else said]
        if led_to or thought:
            self.thoughts[key] = led_to + thought
        return [] if said is None else [said]


def _thoughts(message: object) -> tuple[Thought, ...]:
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, dict) or content.get("content_type") != THOUGHTS:
        return ()
    given = (one for one in _listed(content.get(THOUGHTS)) if isinstance(one, dict))
    said = ((_name(one.get("summary")), _name(one.get("content"))) for one in given)
    return tuple(Thought("\n\n".join(filter(None, pair))) for pair in said if any(pair))


def _calling(before: Record | None) -> str | None:
    entry = None if before is None else before.entry
    if isinstance(entry, Message) and entry.tool_calls:
        return entry.tool_calls[0].id
    return None
