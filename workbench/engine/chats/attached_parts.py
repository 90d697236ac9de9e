"""Parts of files among the attachments: no line of a file is attached twice by two of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from workbench.domain.files.attached import Attached
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Document, Section
from workbench.domain.files.document_parts import find_section, part_text, split_anchor
from workbench.domain.record import Snapshot
from workbench.domain.shown.attachment_view import PARTED_KINDS

PARTED = PARTED_KINDS
"""What has parts that can be chosen."""


def part_of(key: str, place: str) -> str:
    """The part of the file at a place that a key names; empty for the whole."""
    path, anchor = split_anchor(key)
    # A file may have a # in its own name: then its place ends as its key does. What was imported has no place here.
    return anchor if anchor and (not place or PurePath(path).name == PurePath(place).name) else ""


def file_name(copy: Snapshot) -> str:
    """Name of the file that a copy was taken of."""
    return PurePath(copy.place or split_anchor(copy.artifact.key)[0]).name


def with_part(place: str, key: str) -> str:
    """The path of a file with the part that a key names, to be read again."""
    anchor = part_of(key, place)
    return f"{place}#{anchor}" if anchor else place


def under_held_key(taken: Attached, held: Sequence[Artifact], places: Mapping[str, str]) -> Attached:
    """The artifact under the key it is attached by already: a file may have many paths."""
    key, anchor = taken.artifact.key, part_of(taken.artifact.key, taken.place)
    if any(artifact.key == key for artifact in held):
        return taken
    for artifact in held:
        place = places.get(artifact.key, "")
        if place and place == taken.place and part_of(artifact.key, place) == anchor:
            return replace(taken, artifact=replace(taken.artifact, key=artifact.key))
    return taken


def whole_of(key: str, place: str) -> str:
    """Key of the whole file, of which a key may name a part."""
    anchor = part_of(key, place)
    return key[: -len(anchor) - 1] if anchor else key


def covered_by(taken: Attached, held: Sequence[Artifact], places: Mapping[str, str]) -> Iterator[str]:
    """The attached parts of the same file that lie within what was just read."""
    mine = part_of(taken.artifact.key, taken.place)
    for artifact in held:
        anchor = _attached_part(artifact, taken, places)
        if anchor and _covers(mine, anchor, taken.document):
            yield artifact.key


def is_covered(taken: Attached, held: Sequence[Artifact], places: Mapping[str, str]) -> str:
    """Key of an attachment that contains all of what was just read; empty if there is none."""
    mine = part_of(taken.artifact.key, taken.place)
    for artifact in held:
        anchor = _attached_part(artifact, taken, places)
        if anchor is not None and mine and _covers(anchor, mine, taken.document):
            return artifact.key
    return ""


def without_overlap(taken: Attached, held: Sequence[Artifact], places: Mapping[str, str]) -> Attached:
    """The part without lines that a neighbouring attached part has: a section may end within a page."""
    document, mine = taken.document, part_of(taken.artifact.key, taken.place)
    own = find_section(document, mine) if document is not None and mine and "!" not in mine else None
    if document is None or own is None:
        return taken
    start, end = own.start, own.end
    for artifact in held:
        anchor = _attached_part(artifact, taken, places)
        other = find_section(document, anchor) if anchor and "!" not in anchor else None
        if other is not None and other.start < start < other.end < end:
            start = other.end
        elif other is not None and start < other.start < end < other.end:
            end = other.start
    rest = None if (start, end) == (own.start, own.end) else _lines_between(document, start, end)
    if rest is None:
        return taken
    key = f"{whole_of(taken.artifact.key, taken.place)}#{rest.anchor}"
    return replace(taken, artifact=replace(taken.artifact, key=key, text=part_text(document, rest)))


def _lines_between(document: Document, start: int, end: int) -> Section | None:
    """The whole lines between two offsets."""
    first = document.text.count("\n", 0, start) + (
        1 if document.text[:start].endswith("\n") or not start else 2
    )
    last = document.text.count("\n", 0, max(start, end - 1)) + 1
    return find_section(document, f"L{first}-{last}") if first < last else find_section(document, f"L{first}")


def _attached_part(artifact: Artifact, taken: Attached, places: Mapping[str, str]) -> str | None:
    """The part of the same file that an artifact is; None if it is of another file, or the very same."""
    place = places.get(artifact.key, "")
    if artifact.key == taken.artifact.key or not place or place != taken.place:
        return None
    return part_of(artifact.key, place)


def _covers(outer: str, inner: str, document: Document | None) -> bool:
    if not outer:
        return True
    # Cells of the same rows are other columns.
    if document is None or "!" in outer:
        return False
    around, within = find_section(document, outer), find_section(document, inner)
    if around is None or within is None:
        return False
    return around.start <= within.start and within.end <= around.end
