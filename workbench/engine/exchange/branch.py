"""The branch of a chat that is in view, as plain words: what every format without branches is made of."""

from __future__ import annotations

from workbench.context.text.chunk_renderers import role_of
from workbench.domain.message import Entry, Message, Role
from workbench.domain.record import ChatArchive, Record
from workbench.domain.text import repair_text


def active_branch(archive: ChatArchive) -> tuple[Record, ...]:
    """From the first message to the leaf, without what is deleted."""
    by_id = {record.id: record for record in archive.records}
    here = archive.chat.leaf
    found: dict[str, Record] = {}
    while here is not None and here in by_id and here not in found:
        found[here] = by_id[here]
        here = by_id[here].parent
    return tuple(record for record in reversed(found.values()) if record.deleted_utc is None)


def role_and_texts(entry: Entry) -> tuple[Role, tuple[str, ...]]:
    """Who said what; a typed chunk counts as words of the role it is sent in. No half characters are left."""
    if isinstance(entry, Message):
        return entry.role, tuple(repair_text(text) for text in entry.texts)
    return role_of(entry), (repair_text(entry.body),)
