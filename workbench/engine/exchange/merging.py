"""A chat that is there already beside the same one from a file: what is new, and where it belongs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from workbench.domain.message import Entry, Message
from workbench.domain.record import ChatArchive, Record
from workbench.engine.exchange.source_ids import words_digest


@dataclass(frozen=True, slots=True)
class Merged:
    """What an import adds to a chat.

    Attributes:
        added: messages that are not there yet, after the ones that they answer; others of the chat stay as they are.
        leaf: the message in view afterwards. branched: whether what is new stands beside what was written here.
        richer: how many messages that are there have pictures or thoughts in the file that they lack here.
    """

    added: tuple[Record, ...]
    leaf: str | None
    branched: bool = False
    richer: int = 0


def merge(kept: ChatArchive, found: ChatArchive, back: Collection[str] = ()) -> Merged | None:
    """What is new; None where the two have nothing in common but their id.

    A message that says something else than the one of its id is another version of it. What was deleted here stays
    so, but for messages in `back`, which an import brought that was taken back.
    """
    known = {record.id: record for record in kept.records}
    names: dict[str, str] = {}
    added: list[Record] = []
    common = richer = 0
    for record in found.records:
        key = record.id
        if key in known and not same_words(known[key].entry, record.entry):
            key = f"{key}:{words_digest(record.entry)[:8]}"
        else:
            common += key in known
            richer += key in known and _has_more(record.entry, known[key].entry)
        names[record.id] = key
        if key not in known or key in back:
            parent = None if record.parent is None else names[record.parent]
            entry = replace(record.entry, id=key)
            added.append(replace(record, chat=kept.chat.id, entry=entry, parent=parent))
    if not common and known and found.records:
        return None
    ahead = names.get(found.chat.leaf or "")
    follows = ahead is not None and _leads_to(kept.chat.leaf, ahead, (*kept.records, *added))
    moved = ahead is not None and any(record.id == ahead for record in added) and follows
    return Merged(tuple(added), ahead if moved else kept.chat.leaf, bool(added) and not moved, richer)


def same_words(one: Entry, other: Entry) -> bool:
    """Whether two messages say the same; pictures and thoughts may have been read from one and not from the other."""
    if not isinstance(one, Message) or not isinstance(other, Message):
        return one == other
    return (one.role, _said(one), _called(one)) == (other.role, _said(other), _called(other))


def _has_more(found: Entry, kept: Entry) -> bool:
    """Whether a message of a file has pictures or thoughts that the same one here was read without."""
    if not isinstance(found, Message) or not isinstance(kept, Message):
        return False
    return bool((found.images and not kept.images) or (found.thinking and not kept.thinking))


def _said(message: Message) -> Sequence[str]:
    return [text for text in message.texts if text]


def _called(message: Message) -> Sequence[tuple[str, str]]:
    return [(call.name, call.arguments) for call in message.tool_calls]


def _leads_to(start: str | None, end: str, records: Sequence[Record]) -> bool:
    """Whether a message is an ancestor of another one, or there is none to begin with."""
    if start is None:
        return True
    parents = {record.id: record.parent for record in records}
    at: str | None = end
    for _ in range(len(parents) + 1):
        if at == start:
            return True
        at = None if at is None else parents.get(at)
    return False
