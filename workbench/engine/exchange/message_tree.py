"""Message trees of other programs: each node names the one it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.domain.message import Message
from workbench.domain.record import Chat, ChatArchive, Record, Snapshot
from workbench.domain.translation import tr
from workbench.engine.exchange.imported import Ids, ImportedMessage, Losses, as_record, first_words

CIRCLE = tr("circle of messages that answer each other: cut open, nothing is missing")
NO_PARENT = tr("message that answers one which is not in the file: it begins a branch of its own")
NO_CHILD = tr("message that is named, and is not in the file")
NO_NEWEST = tr("conversation whose newest message is not in the file: its last one is shown")

ReadNode = Callable[[str, Record | None], Sequence[ImportedMessage]]
"""What a node says, one message after the other, after the record it answers; nothing where it says nothing."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its parent, and the order of its children if it lists them."""

    parent: str | None = None
    children: Sequence[object] = ()


def nodes_of(parents: Iterable[tuple[str, object]], root: str = "") -> dict[str, Node]:
    """Nodes by their parents' ids; `root` is the parent id of the first one."""
    return {
        key: Node(parent if isinstance(parent, str) and parent != root else None) for key, parent in parents
    }


@dataclass(slots=True)
class MessageTree:
    """Builds a chat from a tree of messages."""

    chat: Chat
    ids: Ids
    lost: Losses

    def grow(
        self,
        nodes: Mapping[str, Node],
        read: ReadNode,
        current: object,
        files: Callable[[], Iterable[Snapshot]],
    ) -> ChatArchive:
        """The chat with all branches; an empty node is skipped, and its children answer its parent."""
        known = dict(nodes)
        stands_for: dict[str, Record | None] = {}
        records: list[Record] = []
        for key in _in_order(known, self.lost):
            parent = known[key].parent
            before = stands_for.get(parent) if parent is not None else None
            for said in read(key, before):
                when = said.created_utc or (before.created_utc if before else self.chat.created_utc)
                before = as_record(self.chat.id, said, self.ids, before, when)
                records.append(before)
            stands_for[key] = before
        leaf = self._leaf(current, known, stands_for, records)
        title = self.chat.title or first_words(one.entry for one in records if isinstance(one.entry, Message))
        return ChatArchive(
            replace(self.chat, leaf=leaf, title=title), tuple(records), snapshots=tuple(files())
        )

    def _leaf(
        self,
        current: object,
        nodes: Mapping[str, Node],
        stands_for: Mapping[str, Record | None],
        records: Sequence[Record],
    ) -> str | None:
        """The record in view: that of the current node, or the last one."""
        record = stands_for.get(current) if isinstance(current, str) else None
        if isinstance(current, str) and current not in nodes:
            self.lost.changed[NO_NEWEST] += 1
        if record is None and records:
            record = records[-1]
        return None if record is None else record.id


def _in_order(nodes: dict[str, Node], lost: Losses) -> list[str]:
    """Every node once, parents first; a cycle is broken by making one of its nodes a root."""
    children = _children(nodes)
    for node in nodes.values():
        _note_missing(node, nodes, lost)
    order: dict[str, None] = {}
    roots = {key: None for key, node in nodes.items() if node.parent is None or node.parent not in nodes}
    for start in (*roots, *nodes):
        if start in order:
            continue
        if start not in roots:
            lost.changed[CIRCLE] += 1
            nodes[start] = replace(nodes[start], parent=None)
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key not in order:
                order[key] = None
                waiting.extend(reversed(children.get(key, ())))
    return list(order)


def _note_missing(node: Node, nodes: Mapping[str, Node], lost: Losses) -> None:
    if node.parent is not None and node.parent not in nodes:
        lost.changed[NO_PARENT] += 1
    absent = sum(name not in nodes for name in _places(node.children))
    if absent:
        lost.left_out[NO_CHILD] += absent


def _children(nodes: Mapping[str, Node]) -> dict[str, list[str]]:
    """Children by parent, in the order the parent gives them."""
    children: dict[str, list[str]] = {}
    for key, node in nodes.items():
        if node.parent is not None and node.parent in nodes:
            children.setdefault(node.parent, []).append(key)
    for parent, found in children.items():
        places = _places(nodes[parent].children)
        if places and len(found) > 1:
            found.sort(key=lambda key: places.get(key, len(places)))
    return children


def _places(listed: Sequence[object]) -> dict[str, int]:
    return {name: place for place, name in enumerate(listed) if isinstance(name, str)}
