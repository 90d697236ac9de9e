"""Derives ids from content for chats that have none in their file, so that they are recognised when imported again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from workbench.domain.message import Entry, Message
from workbench.domain.record import ChatArchive, Record
from workbench.engine.exchange.imported import Imported

_PLACEHOLDER = "~"
_FIRST_WORDS = 2
_LENGTH = 24


def placeholders() -> Callable[[], str]:
    """Returns a generator of placeholder ids that no file can contain."""
    numbers = count(1)
    return lambda: f"{_PLACEHOLDER}{next(numbers)}"


def words_digest(entry: Entry, *also: str) -> str:
    """Returns a digest of what an entry says and calls, independent of its time and id."""
    said = "\0".join((*also, *_pieces(entry)))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def _pieces(entry: Entry) -> Sequence[str]:
    if not isinstance(entry, Message):
        return (type(entry).__name__, entry.body)
    calls = (piece for call in entry.tool_calls for piece in (call.name, call.arguments))
    return (entry.role, *entry.texts, *calls, *(image.digest for image in entry.images))


class SourceIds:
    """Gives the chats of one file their ids; two that start alike are distinguished by their number."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def settled(self, imported: Imported) -> Imported:
        """Replaces all placeholder ids by final ones."""
        chats: dict[str, str] = {}
        messages: dict[tuple[str, str], str] = {}
        archives = tuple(self._settled(one, chats, messages) for one in imported.archives)
        wanted = tuple(
            replace(
                one,
                chat=chats.get(one.chat, one.chat),
                message=messages.get((one.chat, one.message), one.message),
            )
            for one in imported.wanted
        )
        return replace(imported, archives=archives, wanted=wanted)

    def _settled(
        self, archive: ChatArchive, chats: dict[str, str], messages: dict[tuple[str, str], str]
    ) -> ChatArchive:
        before = archive.chat.id
        key = self._chat_id(archive) if before.startswith(_PLACEHOLDER) else before
        if key == before and not any(record.id.startswith(_PLACEHOLDER) for record in archive.records):
            return archive
        names = _message_ids(archive.records)
        chats[before] = key
        messages |= {(before, old): new for old, new in names.items()}
        return replace(
            archive,
            chat=replace(archive.chat, id=key, leaf=names.get(archive.chat.leaf or "", archive.chat.leaf)),
            records=tuple(_renamed(record, key, names) for record in archive.records),
            snapshots=tuple(replace(one, chat=key) for one in archive.snapshots),
        )

    def _chat_id(self, archive: ChatArchive) -> str:
        first = (words_digest(record.entry) for record in archive.records[:_FIRST_WORDS])
        said = "\0".join((archive.chat.title, archive.chat.settings.system_prompt, *first))
        made = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
        self._seen[made] += 1
        return made if self._seen[made] == 1 else f"{made}-{self._seen[made]}"


def _message_ids(records: Sequence[Record]) -> dict[str, str]:
    names: dict[str, str] = {}
    taken: set[str] = set()
    for record in records:
        made = record.id
        if made.startswith(_PLACEHOLDER):
            made = words_digest(record.entry, names.get(record.parent or "", ""))
        number, free = 1, made
        while free in taken:
            number += 1
            free = f"{made}-{number}"
        taken.add(free)
        names[record.id] = free
    return names


def _renamed(record: Record, chat: str, names: dict[str, str]) -> Record:
    parent = None if record.parent is None else names[record.parent]
    entry, key, of = record.entry, names[record.id], record
    if not isinstance(entry, Message):
        return replace(record, chat=chat, entry=replace(entry, id=key), parent=parent)
    # By their fields: of a long chat that is half the time.
    entry = Message(
        key, entry.role, entry.texts, entry.images, entry.tool_calls, entry.tool_call_id, entry.thinking
    )
    more = (of.sequence, of.state, of.attached, of.commands, of.metadata, of.hints, of.deleted_utc)
    return Record(chat, entry, of.created_utc, parent, *more)
