"""L2: what earlier turns attached, promoted once and kept in the order it was first seen (seed 001)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.domain.attachment import Artifact
from workbench.domain.preferences import Freshness
from workbench.domain.turn import LibraryEntry


def promote(
    library: Sequence[LibraryEntry], sent: Sequence[Artifact], attached: Iterable[str], freshness: Freshness
) -> tuple[LibraryEntry, ...]:
    """The library after a turn was sent: last write wins, first-seen order stays, nothing is removed.

    `sent` are the artifacts that were in the request, `attached` the keys the user had attached. Non-recoverable
    ones are never promoted, so that a new selection is never shadowed by an old one.
    """
    held = set(attached)
    newest = {artifact.key: artifact for artifact in sent if artifact.recoverable}
    kept = [_renewed(entry, newest.get(entry.key), entry.key in held, freshness) for entry in library]
    known = {entry.key for entry in library}
    added = [LibraryEntry(new, new, new.key in held) for key, new in newest.items() if key not in known]
    return (*kept, *added)


def copy_on_shelf(entry: LibraryEntry, attached: Artifact | None, freshness: Freshness) -> Artifact:
    """The copy L2 shows in this turn: the newest with `refresh`, the one already sent with `freeze`."""
    if freshness == "freeze":
        return entry.shelved
    return attached if attached is not None else entry.latest


def _renewed(entry: LibraryEntry, new: Artifact | None, held: bool, freshness: Freshness) -> LibraryEntry:
    latest = new or entry.latest
    shelved = entry.shelved if freshness == "freeze" else latest
    return LibraryEntry(shelved, latest, held)
