"""The names of artifacts: for a model, and for little space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.domain.files.attachment import Artifact
from workbench.domain.files.file_names import (
    candidate_names,
    free_name,
    is_rooted,
    shareable_parts,
    short_path,
)
from workbench.domain.turn import LibraryEntry

_FILES = frozenset({"file", "image", "pdf", "folder"})


def short_name(artifact: Artifact) -> str:
    """Its title, or its name for the model; else of an absolute path the last folder and the file."""
    if artifact.title:
        return artifact.title
    if artifact.name:
        return artifact.name
    return short_path(artifact.key)


def with_names(
    library: tuple[LibraryEntry, ...], attached: tuple[Artifact, ...]
) -> tuple[tuple[LibraryEntry, ...], tuple[Artifact, ...]]:
    """Library and attachments with names for files that have only a path, as older chats stored them.

    Derived from these two only, so that it is the same every time; as soon as something is sent or attached, the names
    are stored with it.
    """
    known = [*(one for entry in library for one in (entry.latest, entry.shelved)), *attached]
    names = {one.key: one.name for one in known if one.name}
    bare = dict.fromkeys(one.key for one in known if one.key not in names and _needs_name(one))
    if not bare and all(one.name == names.get(one.key, "") for one in known):
        return library, attached
    taken = {*names.values(), *(one.key for one in known)}
    for key in bare:
        names[key] = free_name(candidate_names(shareable_parts(key)) or ("file",), taken)
        taken.add(names[key])
    library_entries = tuple(
        replace(entry, shelved=_called(entry.shelved, names), latest=_called(entry.latest, names))
        for entry in library
    )
    return library_entries, tuple(_called(one, names) for one in attached)


def _needs_name(artifact: Artifact) -> bool:
    return artifact.kind in _FILES and artifact.recoverable and is_rooted(artifact.key)


def _called(artifact: Artifact, names: Mapping[str, str]) -> Artifact:
    name = names.get(artifact.key, artifact.name)
    return artifact if name == artifact.name else replace(artifact, name=name)
