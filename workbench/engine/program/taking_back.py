"""Undoes an import in one step: what it brought is deleted, unless it was continued here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.domain.errors import NotKept
from workbench.domain.record import Chat, ChatArchive, Record
from workbench.domain.translation import tr
from workbench.domain.workspace import Brought
from workbench.ports.history import HistoryStore

_NONE = tr("There is no import to take back. Nothing was changed.")


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was removed: whole chats, and messages of others; `kept` are chats continued here."""

    when_utc: str
    chats: tuple[str, ...] = ()
    messages: int = 0
    kept: tuple[str, ...] = ()


async def take_back_import(store: HistoryStore, now_utc: str, source: str = "") -> TakenBack:
    """Delete what an import brought, the newest one by default; it can be purged like all deleted content."""
    marked = [
        (chat, place, mark)
        for chat in await store.chats()
        for place, mark in enumerate(chat.filed.brought)
        if _counts(mark, source)
    ]
    if not marked:
        raise NotKept(_NONE)
    # Of what came at one moment, that which a chat grew by came after the chat.
    _, _, newest = max(marked, key=lambda one: (one[2].when_utc, one[1]))
    mine = {chat.id: mark for chat, _, mark in marked if mark.source == newest.source}
    kept = await store.kept(tuple(mine))
    without: list[ChatArchive] = []
    whole: list[str] = []
    stays: list[str] = []
    messages = 0
    for key, mark in mine.items():
        if _was_continued(kept[key], mark):
            stays.append(key)
            continue
        changed = _without(kept[key], mark, now_utc)
        without.append(changed)
        messages += len(changed.records)
        if mark.whole:
            whole.append(key)
    if without:
        await store.merge_all(without)
    return TakenBack(newest.when_utc, tuple(whole), messages, tuple(stays))


def _counts(mark: Brought, source: str) -> bool:
    return not mark.undone and source in ("", mark.source)


def _was_continued(there: ChatArchive, mark: Brought) -> bool:
    """Whether a message that was not imported answers an imported one."""
    if mark.whole:
        others = sum(len(one.messages) for one in there.chat.filed.brought if one != mark)
        return len(there.records) - others > mark.whole
    mine = set(mark.messages)
    return any(record.parent in mine and record.id not in mine for record in there.records)


def _without(there: ChatArchive, mark: Brought, now_utc: str) -> ChatArchive:
    brought = tuple(replace(one, undone=True) if one == mark else one for one in there.chat.filed.brought)
    chat = replace(there.chat, filed=replace(there.chat.filed, brought=brought))
    if mark.whole:
        return ChatArchive(replace(chat, deleted_utc=now_utc))
    gone = set(mark.messages)
    records = tuple(replace(one, deleted_utc=now_utc) for one in there.records if one.id in gone)
    return ChatArchive(replace(chat, leaf=_remaining_leaf(chat, there.records, gone)), records)


def _remaining_leaf(chat: Chat, records: Sequence[Record], gone: set[str]) -> str | None:
    """The leaf in view without the removed messages."""
    return next((key for key in _way(chat.leaf, records) if key not in gone), None)


def _way(leaf: str | None, records: Sequence[Record]) -> Iterator[str]:
    parents = {record.id: record.parent for record in records}
    for _ in range(len(parents) + 1):
        if leaf is None:
            return
        yield leaf
        leaf = parents.get(leaf)
