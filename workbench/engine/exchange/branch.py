"""The current branch of a chat as plain messages, for formats that have no branches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.context.text.chunk_renderers import role_of
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.file_names import candidate_names, free_name, is_rooted, shareable_parts
from workbench.domain.message import Entry, Message, Role
from workbench.domain.record import ChatArchive, Record
from workbench.domain.text import repair_text


def active_branch(archive: ChatArchive) -> tuple[Record, ...]:
    """Returns the records from the first message to the leaf, without deleted ones, as a person edited them."""
    by_id = {record.id: record for record in archive.records}
    here = archive.chat.leaf
    found: dict[str, Record] = {}
    while here is not None and here in by_id and here not in found:
        found[here] = by_id[here]
        here = by_id[here].parent
    branch = tuple(record for record in reversed(found.values()) if record.deleted_utc is None)
    entries = archive.tuning.edited(tuple(record.entry for record in branch))
    return tuple(
        one if one.entry is said else replace(one, entry=said)
        for one, said in zip(branch, entries, strict=True)
    )


def role_and_texts(entry: Entry) -> tuple[Role, tuple[str, ...]]:
    """Returns the role and texts of an entry; a typed chunk counts as text of the role it is sent in."""
    if isinstance(entry, Message):
        return entry.role, tuple(repair_text(text) for text in entry.texts)
    return role_of(entry), (repair_text(entry.body),)


def quoted_for(archive: ChatArchive) -> dict[str, tuple[str, ...]]:
    """Returns what answers were told from followed folders, file and section, by the answer's first message."""
    return {
        turn.reply: tuple(" ".join(repair_text(f"{one.title}, {one.place}").split()) for one in found)
        for turn in archive.turns
        if turn.reply is not None
        and (found := [one for one in turn.built.inputs.found if one.folder and not one.reserved])
    }


def all_attached(archive: ChatArchive) -> Iterator[Artifact]:
    """Yields every artifact a chat knows: its snapshots, those of its requests, and what is attached now."""
    yield from (taken.artifact for taken in archive.snapshots)
    for turn in archive.turns:
        yield from turn.built.inputs.attached
    yield from archive.attached


def file_names(archive: ChatArchive) -> dict[str, str]:
    """Returns names for attached files by key: a key is a path, which reveals where the user's files are."""
    known = {one.key: one.name for one in all_attached(archive)}
    for record in archive.records:
        known |= {key: known.get(key, "") for key in record.attached}
        if isinstance(record.entry, Message):
            known |= {one.source: known.get(one.source, "") for one in record.entry.images if one.source}
    taken = {name for name in known.values() if name}
    for key, name in known.items():
        if not name and is_rooted(key):
            known[key] = free_name(candidate_names(shareable_parts(key)) or ("file",), taken)
            taken.add(known[key])
    return {key: name or key for key, name in known.items()}
