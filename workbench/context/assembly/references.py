"""Places artifacts: each in full exactly once, in the turn or in the library; and promotes them to the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from workbench.domain.envelope import Envelope, Fitted
from workbench.domain.files.attachment import ARTIFACT_KINDS, Artifact
from workbench.domain.model import ModelCard
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings, Freshness
from workbench.domain.turn import LibraryEntry, TurnInputs


def freshness_of(settings: ContextSettings, card: ModelCard) -> Freshness:
    """Which copy of a changed artifact the library shows; `auto` picks the cheaper over the rest of a chat.

    Where there is no cache to spare, the newest. Where there is one, the copy that it holds, with the newest in the
    turn: with an edit every turn that costs half (`bench_cache`), with few edits as much as refreshing.
    """
    if settings.freshness == "auto":
        return "freeze" if card.has_cache else "refresh"
    return settings.freshness


LibraryForm = Literal["full", "compacted"] | None
InTurn = Literal["reference", "full", "compacted"] | None


@dataclass(frozen=True)
class Placement:
    """How one artifact appears in the request.

    Attributes:
        artifact: the newest content known, which is what the user has attached.
        library_copy: the copy that L2 shows; older than `artifact` when it is superseded.
        short: the artifact's text in the turn when it is shortened; None where it is sent verbatim.
        library_short: the same for the copy that L2 shows.
        wanted, library_wanted: the text sent instead of the full one, where the user chose a shorter length.
        cut, library_cut: how many characters of the text these keep, where they were cut to the room there is.
        seen: its rank by first sight, which is its order in L2.
    """

    artifact: Artifact
    attached: bool
    seen: int
    short: str | None = None
    library_copy: Artifact | None = None
    library_short: str | None = None
    library_form: LibraryForm = None
    in_turn: InTurn = None
    cut: int | None = None
    library_cut: int | None = None
    wanted: str | None = None
    library_wanted: str | None = None

    @property
    def fitted(self) -> Fitted | None:
        """The recorded cut of the artifact, if it is in the request and cut."""
        if (
            self.library_form == "compacted"
            and self.library_copy is not None
            and self.library_cut is not None
        ):
            return Fitted(self.artifact.key, self.library_copy.content_digest, self.library_cut)
        if self.in_turn == "compacted" and self.cut is not None:
            return Fitted(self.artifact.key, self.artifact.content_digest, self.cut)
        return None

    @property
    def left_out(self) -> Fitted | None:
        """What of it stays out of the request: all of what is attached, or an older copy of it."""
        if self.attached and not self.shown:
            return Fitted(self.artifact.key, self.artifact.content_digest, 0)
        if self.attached and self.library_copy is not None and self.superseded and self.library_form is None:
            return Fitted(self.artifact.key, self.library_copy.content_digest, 0)
        return None

    @property
    def superseded(self) -> bool:
        return (
            self.library_copy is not None and self.library_copy.content_digest != self.artifact.content_digest
        )

    @property
    def shown(self) -> bool:
        return self.library_form is not None or self.in_turn is not None


class Shorter(Protocol):
    """Gives the shortened forms of an artifact's text."""

    def short(self, artifact: Artifact) -> str | None:
        """Its form in the library after it was detached; None where that is in full."""

    def wanted(self, artifact: Artifact) -> str | None:
        """Its text at the length that the user chose while attached; None where that is all of it."""

    def least(self, artifact: Artifact) -> str | None:
        """Its shortest form while attached; None where it is sent whole or not at all."""

    def least_chars(self, artifact: Artifact) -> int:
        """The number of characters of its shortest form."""


class Places:
    """Decides the placements for one turn."""

    def __init__(self, shorten: Shorter, freshness: Freshness, admits: Callable[[Artifact], bool]) -> None:
        self._shorten, self._freshness, self._admits = shorten, freshness, admits

    def place(self, library: Sequence[LibraryEntry], attached: Sequence[Artifact]) -> tuple[Placement, ...]:
        """Library first, in first-seen order; then what is new in this turn, in the order it was attached."""
        now = {artifact.key: artifact for artifact in attached}
        known = {entry.key for entry in library}
        old = [self._library_placement(entry, now.get(entry.key), rank) for rank, entry in enumerate(library)]
        fresh = [artifact for artifact in now.values() if artifact.key not in known]
        new = [self._new_placement(artifact, len(library) + rank) for rank, artifact in enumerate(fresh)]
        return tuple(placement for placement in (*old, *new) if self._admits(placement.artifact))

    def _new_placement(self, artifact: Artifact, rank: int) -> Placement:
        short, wanted = self._lengths(artifact)
        cut = self._shorten.least_chars(artifact)
        return Placement(artifact, True, rank, short, in_turn="full", cut=cut, wanted=wanted)

    def _library_placement(self, entry: LibraryEntry, now: Artifact | None, rank: int) -> Placement:
        # A non-recoverable artifact may reuse a key, but must not reach the library.
        library_copy = find_library_copy(
            entry, now if now is None or now.recoverable else None, self._freshness
        )
        short = self._shorten.short(library_copy)
        if now is None:
            library_form: LibraryForm = "full" if short is None else "compacted"
            return Placement(entry.latest, False, rank, None, library_copy, short, library_form)
        least, wanted = self._lengths(now)
        cut = self._shorten.least_chars(now)
        if short is not None and not self._was_full(entry, library_copy):
            return Placement(
                now, True, rank, least, library_copy, short, "compacted", "full", cut=cut, wanted=wanted
            )
        library_least, library_cut, library_wanted = least, cut, wanted
        if library_copy is not now and library_copy != now:
            sized = replace(library_copy, most_tokens=now.most_tokens)
            library_least, library_wanted = self._lengths(library_copy, sized)
            library_cut = self._shorten.least_chars(library_copy)
        return Placement(
            now, True, rank, least, library_copy, library_least, "full",
            _beside_full_copy(now, library_copy, library_wanted),
            cut=cut, library_cut=library_cut, wanted=wanted, library_wanted=library_wanted,
        )  # fmt: skip

    def _lengths(self, artifact: Artifact, sized: Artifact | None = None) -> tuple[str | None, str | None]:
        """The shortest form, and the text at the length that the user chose, which `sized` may have instead."""
        wanted = self._shorten.wanted(sized or artifact)
        return _shorter(self._shorten.least(artifact), wanted), wanted

    def _was_full(self, entry: LibraryEntry, library_copy: Artifact) -> bool:
        """Whether the library shows the copy in full: one sent in full stays so, and one replaced now may be full."""
        return entry.attached_last_turn or library_copy.content_digest != entry.shelved.content_digest


def _shorter(least: str | None, wanted: str | None) -> str | None:
    """The shortest form, where it is shorter than the length that the user chose."""
    return None if least is not None and wanted is not None and len(wanted) <= len(least) else least


def _beside_full_copy(now: Artifact, library_copy: Artifact, wanted: str | None) -> InTurn:
    """How it is placed in the turn where the library has a full copy: if that is equal, as a reference, else as text.

    Not at all where the library has it as it is wanted, but not in full.
    """
    if library_copy.content_digest != now.content_digest or not now.recoverable:
        return "full"
    return "reference" if wanted is None else None


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
    """The library without purged entries, and without older copies of artifacts attached again since.

    `before` are the inputs of the previous request: an artifact attached again by then has no older copies left.
    """
    wanted_out = purged if before is None else purged - before.reattached
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
    """The library with the newest copy in place of older ones that hold a secret removed since.

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


def find_library_copy(entry: LibraryEntry, attached: Artifact | None, freshness: Freshness) -> Artifact:
    """The copy that the library shows in this turn: the newest with `refresh`, the one already sent with `freeze`."""
    if freshness == "freeze":
        return entry.shelved
    return attached if attached is not None else entry.latest


def _renewed(entry: LibraryEntry, new: Artifact | None, held: bool, freshness: Freshness) -> LibraryEntry:
    latest = new or entry.latest
    shelved = entry.shelved if freshness == "freeze" else latest
    return LibraryEntry(shelved, latest, held)


# The copies of attached texts that a request carries: each stands where it was sent, the newest counts.


HELD_FORMS = ("full", "compacted", "changes")
"""The forms in which a segment holds of an artifact what the model can read."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The newest copy of an artifact in a log; `whole` where neither it nor the copy that it changes was cut."""

    content_digest: str
    sent_in: int
    whole: bool = True


def copies_in(envelope: Envelope) -> dict[str, Copy]:
    """The newest copy of every artifact that a request carries."""
    found: dict[str, Copy] = {}
    for one in held_copies(envelope):
        base = found.get(one.id)
        whole = one.form == "full" or (one.form == "changes" and base is not None and base.whole)
        found[one.id] = Copy(one.content_digest, one.sent_in, whole)
    return found


def held_copies(envelope: Envelope) -> Iterator[Segment]:
    """Every copy of an artifact that a request carries, older ones too, in wire order."""
    for _, message in envelope.beside:
        for one in message.segments:
            if is_artifact(one) and one.form in HELD_FORMS:
                yield one


def order_in(envelope: Envelope) -> dict[str, int]:
    """The position in a log of each artifact's newest whole copy, so that the longest unchanged comes first."""
    return {one.id: place for place, one in enumerate(held_copies(envelope))}


def is_artifact(segment: Segment) -> bool:
    """Whether a segment belongs to an artifact attached now or earlier."""
    return segment.layer in ("L2_PREVIOUS", "L3_TURN") and segment.kind in ARTIFACT_KINDS
