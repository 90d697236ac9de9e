"""The library (L2): what earlier turns attached, in the order it was first seen, so that it stays cached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.preferences import Freshness
from workbench.domain.turn import LibraryEntry, TurnInputs


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


def without_purged(
    library: tuple[LibraryEntry, ...],
    attached: Iterable[Artifact],
    purged: frozenset[str],
    before: TurnInputs | None,
) -> tuple[LibraryEntry, ...]:
    """The library without what was purged, and without older copies of what was attached anew since.

    `before` is what the request before was made of: what was attached anew by then has no such copies left.
    """
    wanted_out = purged if before is None else purged - before.attached_anew
    if purged.isdisjoint(entry.key for entry in library):
        return library
    now = {artifact.key: artifact.content_digest for artifact in attached}

    def stays(entry: LibraryEntry) -> bool:
        if entry.key not in now:
            return entry.key not in purged
        copies = {entry.shelved.content_digest, entry.latest.content_digest}
        return entry.key not in wanted_out or copies == {now[entry.key]}

    return tuple(entry for entry in library if stays(entry))


def without_old_secrets(
    library: tuple[LibraryEntry, ...], attached: Iterable[Artifact], found_in: Callable[[str], Iterable[str]]
) -> tuple[LibraryEntry, ...]:
    """The library with the newest copy in the place of an older one that holds a secret which is in it no more.

    `found_in` gives the keys and passwords in a text.
    """
    now = {artifact.key: artifact for artifact in attached}

    def renewed(entry: LibraryEntry) -> LibraryEntry | None:
        new = now.get(entry.key)
        if new is None:
            return entry
        older = {
            one.text for one in (entry.shelved, entry.latest) if one.content_digest != new.content_digest
        }
        if all(value in new.text for text in older for value in found_in(text)):
            return entry
        return LibraryEntry(new, new, entry.attached_last_turn) if new.recoverable else None

    made = [renewed(entry) for entry in library]
    same = all(one is other for one, other in zip(made, library, strict=True))
    return library if same else tuple(entry for entry in made if entry is not None)


def copy_on_shelf(entry: LibraryEntry, attached: Artifact | None, freshness: Freshness) -> Artifact:
    """The copy L2 shows in this turn: the newest with `refresh`, the one already sent with `freeze`."""
    if freshness == "freeze":
        return entry.shelved
    return attached if attached is not None else entry.latest


def _renewed(entry: LibraryEntry, new: Artifact | None, held: bool, freshness: Freshness) -> LibraryEntry:
    latest = new or entry.latest
    shelved = entry.shelved if freshness == "freeze" else latest
    return LibraryEntry(shelved, latest, held)
