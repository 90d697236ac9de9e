"""ChatGPT's own export, `conversations.json`: a tree of nodes a chat, whose branches become siblings here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from workbench.domain.message import Message, Role, ToolCall
from workbench.domain.record import Chat, ChatArchive, Record
from workbench.engine.exchange.imported import (
    Fresh,
    Ids,
    Imported,
    ImportedMessage,
    Losses,
    first_words,
    is_good_id,
    started,
)
from workbench.engine.exchange.times import to_utc

# One message of ChatGPT's export: its words, its calls, and a name for whatever else it holds.

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_WORDS = ("text", "result", "content")


def read_message(key: str, message: object, calling: str | None, lost: Losses) -> ImportedMessage | None:
    """What a node says; None where it says nothing. `calling` is the call it stands after."""
    if not isinstance(message, dict):
        return None
    given = message.get("author")
    author: dict[str, Any] = given if isinstance(given, dict) else {}
    before = lost.left_out.total()
    role = _role(author, lost)
    texts = tuple(_texts(message.get("content"), lost))
    _count_attachments(message.get("metadata"), lost)
    if not any(texts):
        if role == "user" and lost.left_out.total() > before:
            lost.left_out["question of which nothing is left"] += 1
        return None
    made_id = message["id"] if is_good_id(message.get("id")) else key
    calls = _calls(made_id, message.get("recipient"), texts) if role == "assistant" else ()
    return ImportedMessage(
        role=role,
        texts=() if calls else texts,
        created_utc=to_utc(message.get("create_time")),
        id=made_id,
        tool_calls=calls,
        tool_call_id=calling if role == "tool" else None,
        metadata=_metadata(author, message.get("metadata")),
    )


def _role(author: dict[str, Any], lost: Losses) -> Role:
    role = author.get("role")
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        lost.changed["message of an unknown role: kept as the user's"] += 1
    return known or "user"


def _texts(content: object, lost: Losses) -> Iterator[str]:
    if not isinstance(content, dict):
        return
    kind = content.get("content_type")
    named = kind if isinstance(kind, str) else "content without a type"
    if isinstance(content.get("parts"), list):
        for part in content["parts"]:
            yield from _part(part, lost)
        return
    words = [content[name] for name in _WORDS if isinstance(content.get(name), str)]
    if words:
        yield words[0]
    else:
        lost.left_out[named] += 1


def _part(part: object, lost: Losses) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict) and isinstance(part.get("text"), str):
        yield part["text"]
    else:
        kind = part.get("content_type") if isinstance(part, dict) else None
        lost.left_out[kind if isinstance(kind, str) else "part without a type"] += 1


def _count_attachments(metadata: object, lost: Losses) -> None:
    attachments = metadata.get("attachments") if isinstance(metadata, dict) else None
    if isinstance(attachments, list) and attachments:
        lost.left_out["attached file"] += len(attachments)


def _metadata(author: dict[str, Any], metadata: object) -> dict[str, str]:
    found = {"name": author.get("name")}
    if isinstance(metadata, dict):
        found["model"] = metadata.get("model_slug")
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _calls(message_id: str, recipient: object, texts: tuple[str, ...]) -> tuple[ToolCall, ...]:
    """What an assistant addressed to a tool is a call of that tool."""
    if not isinstance(recipient, str) or recipient in ("", "all"):
        return ()
    return (ToolCall(f"call-{message_id}", recipient, _arguments(texts)),)


def _arguments(texts: tuple[str, ...]) -> str:
    """What was handed to a tool, as the JSON object that every provider expects."""
    given = "\n\n".join(texts)
    try:
        if isinstance(json.loads(given), dict):
            return given
    except (ValueError, RecursionError):
        pass
    return json.dumps({"input": given}, ensure_ascii=False)


Mapping = dict[str, Any]

_CIRCLE = "circle of messages that answer each other: cut open, nothing is missing"
_NO_PARENT = "message that answers one which is not in the file: it begins a branch of its own"
_NO_CHILD = "message that is named, and is not in the file"
_NO_NEWEST = "conversation whose newest message is not in the file: its last one is shown"


def import_chatgpt(document: object, fresh: Fresh) -> Imported:
    """Every conversation with all its branches; `current_node` says which one is in view."""
    ids = Ids(fresh.new_id)
    archives: list[ChatArchive] = []
    problems: list[str] = []
    lost = Losses()
    for number, one in enumerate(document if isinstance(document, list) else [document], start=1):
        if not isinstance(one, dict) or not isinstance(one.get("mapping"), dict):
            problems.append(f"conversation {number}: it has no mapping of messages; left out")
            continue
        archives.append(_archive(one, ids, fresh, lost))
    problems.extend(lost.sentences())
    return Imported(tuple(archives), tuple(problems), refused=0 if archives else 1)


def _archive(one: Mapping, ids: Ids, fresh: Fresh, lost: Losses) -> ChatArchive:
    nodes = {key: node for key, node in one["mapping"].items() if isinstance(node, dict)}
    if len(nodes) < len(one["mapping"]):
        lost.left_out["node that is no object"] += len(one["mapping"]) - len(nodes)
    chat = _chat(one, ids, fresh)
    tree = _Tree(chat, nodes, Ids(fresh.new_id), lost)
    for key in _in_order(nodes, lost):
        tree.take(key)
    title = chat.title or first_words(r.entry for r in tree.records if isinstance(r.entry, Message))
    leaf = tree.leaf(one.get("current_node"))
    return ChatArchive(replace(chat, leaf=leaf, title=title), tuple(tree.records))


def _chat(one: Mapping, ids: Ids, fresh: Fresh) -> Chat:
    foreign = one.get("conversation_id", one.get("id"))
    title = one["title"] if isinstance(one.get("title"), str) else ""
    return started(ids.take(foreign), title, to_utc(one.get("create_time")) or fresh.now_utc)


class _Tree:
    """Nodes becoming records; a node without words is skipped, and its children answer what it answered."""

    def __init__(self, chat: Chat, nodes: Mapping, ids: Ids, lost: Losses) -> None:
        self._chat, self._nodes, self._ids, self._lost = chat, nodes, ids, lost
        self._stands_for: dict[str, Record | None] = {}
        self.records: list[Record] = []

    def take(self, key: str) -> None:
        """Add a node whose parent was taken before, if it has one."""
        node = self._nodes[key]
        parent = node.get("parent")
        before = self._stands_for.get(parent) if isinstance(parent, str) else None
        said = read_message(key, node.get("message"), _calling(before), self._lost)
        if said is None:
            self._stands_for[key] = before
            return
        record = self._record(said, before)
        self._stands_for[key] = record
        self.records.append(record)

    def leaf(self, current: object) -> str | None:
        """The record in view: that of the current node, or the last there is."""
        record = self._stands_for.get(current) if isinstance(current, str) else None
        if isinstance(current, str) and current not in self._nodes:
            self._lost.changed[_NO_NEWEST] += 1
        if record is None and self.records:
            record = self.records[-1]
        return None if record is None else record.id

    def _record(self, said: ImportedMessage, before: Record | None) -> Record:
        message = Message(
            self._ids.take(said.id), said.role, said.texts, (), said.tool_calls, said.tool_call_id
        )
        when = said.created_utc or (before.created_utc if before is not None else self._chat.created_utc)
        parent = None if before is None else before.id
        return Record(self._chat.id, message, when, parent, metadata=said.metadata)


def _calling(before: Record | None) -> str | None:
    entry = None if before is None else before.entry
    if isinstance(entry, Message) and entry.tool_calls:
        return entry.tool_calls[0].id
    return None


def _in_order(nodes: Mapping, lost: Losses) -> list[str]:
    """Every node once, parents first; where nodes answer each other in a circle, one of them becomes a beginning."""
    children = _children(nodes)
    for node in nodes.values():
        _note_missing(node, nodes, lost)
    order: dict[str, None] = {}
    roots = [key for key, node in nodes.items() if not _known(node.get("parent"), nodes)]
    for start in (*roots, *nodes):
        if start in order:
            continue
        if start not in roots:
            lost.changed[_CIRCLE] += 1
            nodes[start] = {**nodes[start], "parent": None}
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key not in order:
                order[key] = None
                waiting.extend(reversed(children.get(key, ())))
    return list(order)


def _note_missing(node: Mapping, nodes: Mapping, lost: Losses) -> None:
    if isinstance(node.get("parent"), str) and node["parent"] not in nodes:
        lost.changed[_NO_PARENT] += 1
    absent = sum(name not in nodes for name in _places(node.get("children")))
    if absent:
        lost.left_out[_NO_CHILD] += absent


def _children(nodes: Mapping) -> dict[str, list[str]]:
    """By what each node says its parent is, in the order the parent gives them."""
    children: dict[str, list[str]] = {}
    for key, node in nodes.items():
        parent = node.get("parent")
        if _known(parent, nodes):
            children.setdefault(parent, []).append(key)
    for parent, found in children.items():
        places = _places(nodes[parent].get("children"))
        found.sort(key=lambda key: places.get(key, len(places)))
    return children


def _places(listed: object) -> dict[str, int]:
    names: Sequence[object] = listed if isinstance(listed, list) else ()
    return {name: place for place, name in enumerate(names) if isinstance(name, str)}


def _known(parent: object, nodes: Mapping) -> bool:
    return isinstance(parent, str) and parent in nodes
