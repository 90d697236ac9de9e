"""ChatGPT's own export, `conversations.json`: a tree of nodes a chat, whose branches become siblings here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.domain.message import Message
from workbench.domain.record import Chat, ChatArchive, Record
from workbench.engine.exchange.chatgpt_message import read_message
from workbench.engine.exchange.imported import Fresh, Ids, Imported, Said, counted, started
from workbench.engine.exchange.times import to_utc

Mapping = dict[str, Any]


def import_chatgpt(document: object, fresh: Fresh) -> Imported:
    """Every conversation with all its branches; `current_node` says which one is in view."""
    ids = Ids(fresh.new_id)
    archives: list[ChatArchive] = []
    problems: list[str] = []
    left_out: Counter[str] = Counter()
    for number, one in enumerate(document if isinstance(document, list) else [document], start=1):
        if not isinstance(one, dict) or not isinstance(one.get("mapping"), dict):
            problems.append(f"conversation {number}: it has no mapping of messages; left out")
            continue
        archives.append(_archive(one, ids, fresh, left_out))
    problems.extend(counted(left_out, "could not be taken over, so it was left out"))
    return Imported(tuple(archives), tuple(problems), refused=0 if archives else 1)


def _archive(one: Mapping, ids: Ids, fresh: Fresh, left_out: Counter[str]) -> ChatArchive:
    nodes = {key: node for key, node in one["mapping"].items() if isinstance(node, dict)}
    if len(nodes) < len(one["mapping"]):
        left_out["node that is no object"] += len(one["mapping"]) - len(nodes)
    chat = _chat(one, ids, fresh)
    tree = _Tree(chat, nodes, Ids(fresh.new_id), left_out)
    for key in _in_order(nodes, left_out):
        tree.take(key)
    return ChatArchive(replace(chat, leaf=tree.leaf(one.get("current_node"))), tuple(tree.records))


def _chat(one: Mapping, ids: Ids, fresh: Fresh) -> Chat:
    foreign = one.get("conversation_id", one.get("id"))
    title = one["title"] if isinstance(one.get("title"), str) else ""
    return started(ids.take(foreign), title, to_utc(one.get("create_time")) or fresh.now_utc)


class _Tree:
    """Nodes becoming records; a node without words is skipped, and its children answer what it answered."""

    def __init__(self, chat: Chat, nodes: Mapping, ids: Ids, left_out: Counter[str]) -> None:
        self._chat, self._nodes, self._ids, self._left_out = chat, nodes, ids, left_out
        self._stands_for: dict[str, Record | None] = {}
        self.records: list[Record] = []

    def take(self, key: str) -> None:
        """Add a node whose parent was taken before, if it has one."""
        node = self._nodes[key]
        parent = node.get("parent")
        before = self._stands_for.get(parent) if isinstance(parent, str) else None
        said = read_message(key, node.get("message"), _calling(before), self._left_out)
        if said is None:
            self._stands_for[key] = before
            return
        record = self._record(said, before)
        self._stands_for[key] = record
        self.records.append(record)

    def leaf(self, current: object) -> str | None:
        """The record in view: that of the current node, or the last there is."""
        record = self._stands_for.get(current) if isinstance(current, str) else None
        if record is None and self.records:
            record = self.records[-1]
        return None if record is None else record.id

    def _record(self, said: Said, before: Record | None) -> Record:
        message = Message(
            self._ids.take(said.id), said.role, said.texts, (), said.tool_calls, said.tool_call_id
        )
        when = said.created_utc or (before.created_utc if before is not None else self._chat.created_utc)
        parent = None if before is None else before.id
        return Record(self._chat.id, message, when, parent, metadata=said.metadata)


def _calling(before: Record | None) -> str | None:
    """The call that a result after this message belongs to."""
    entry = None if before is None else before.entry
    if isinstance(entry, Message) and entry.tool_calls:
        return entry.tool_calls[0].id
    return None


def _in_order(nodes: Mapping, left_out: Counter[str]) -> list[str]:
    """Every node once, parents first; where nodes answer each other in a circle, one of them becomes a beginning."""
    children = _children(nodes)
    order: dict[str, None] = {}
    roots = [key for key, node in nodes.items() if not _known(node.get("parent"), nodes)]
    for start in (*roots, *nodes):
        if start in order:
            continue
        if start not in roots:
            left_out["circle of messages (cut open, nothing is missing)"] += 1
            nodes[start] = {**nodes[start], "parent": None}
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key not in order:
                order[key] = None
                waiting.extend(reversed(children.get(key, ())))
    return list(order)


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
