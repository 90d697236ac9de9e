"""A file and its parts, to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from workbench.domain.files.document import Document, ReadAs, Section

# Ticks in a file's outline: which parts they mean, and the fewest parts that mean the same.


Tick = Literal["off", "some", "on"]


class Picked(NamedTuple):
    """What is attached of a file: all of it, or the parts with these anchors."""

    anchors: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """A tree of parts as a list, each part before those within it.

    Attributes:
        parents: the place of the part that each lies in; -1 at the top.
        ends: the place behind the last part within each.
    """

    parts: tuple[Section, ...]
    parents: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, parts: Sequence[Section]) -> Outline:
        """Build the tree; a part that is deeper than the one before it lies within that."""
        parents, ends, open_now = [], [len(parts)] * len(parts), list[int]()
        for place, part in enumerate(parts):
            while open_now and parts[open_now[-1]].level >= part.level:
                ends[open_now.pop()] = place
            parents.append(open_now[-1] if open_now else -1)
            open_now.append(place)
        return cls(tuple(parts), tuple(parents), tuple(ends))

    def below(self, place: int) -> Iterator[int]:
        """The direct children of a part; the top level for -1."""
        at, end = (0, len(self.parts)) if place < 0 else (place + 1, self.ends[place])
        while at < end:
            yield at
            at = self.ends[at]

    def leaves(self, place: int = -1) -> frozenset[int]:
        """The leaves within a part, or itself if it is one; all leaves for -1."""
        at, end = (0, len(self.parts)) if place < 0 else (place, self.ends[place])
        return frozenset(one for one in range(at, end) if self.ends[one] == one + 1)


def ticked(outline: Outline, picked: Picked, found: Callable[[str], Section | None]) -> frozenset[int]:
    """The leaves that the attached parts cover; `found` locates a part that the outline does not list."""
    if picked.whole:
        return outline.leaves()
    places = _places(outline)
    ticks: set[int] = set()
    for anchor in picked.anchors:
        if anchor in places:
            ticks |= outline.leaves(places[anchor])
        elif (part := found(anchor)) is not None:
            ticks |= {leaf for leaf in outline.leaves() if _contains(part, outline.parts[leaf])}
    return frozenset(ticks)


def toggled(outline: Outline, ticks: frozenset[int], place: int) -> frozenset[int]:
    """The ticks after a part was toggled: all of it, or none where it was fully ticked."""
    leaves = outline.leaves(place)
    return ticks - leaves if leaves <= ticks else ticks | leaves


def states(outline: Outline, ticks: frozenset[int]) -> tuple[Tick, ...]:
    """The tick state of each part."""
    count = len(outline.parts)
    all_of, on_of = [0] * count, [0] * count
    for place in reversed(range(count)):
        if outline.ends[place] == place + 1:
            all_of[place], on_of[place] = 1, int(place in ticks)
        if outline.parents[place] >= 0:
            all_of[outline.parents[place]] += all_of[place]
            on_of[outline.parents[place]] += on_of[place]
    return tuple(
        "on" if on == every else "some" if on else "off" for on, every in zip(on_of, all_of, strict=True)
    )


def fewest(outline: Outline, ticks: frozenset[int], other: Sequence[Section] = ()) -> Picked:
    """The fewest parts that cover these ticks: a fully ticked heading as itself, everything as the file.

    `other` are parts that are attached and not listed, such as lines typed by hand: they stay, unless something of
    them is no longer ticked, or lies in a part that is.
    """
    leaves = outline.leaves()
    if leaves and leaves <= ticks:
        return Picked((), whole=True)
    parts = [outline.parts[place] for place in _topmost(outline, ticks)]
    kept = [
        part
        for part in other
        if all(leaf in ticks for leaf in leaves if _contains(part, outline.parts[leaf]))
        and not any(_contains(chosen, part) for chosen in parts)
    ]
    # Where lines typed by hand hold a listed part, that would be attached twice.
    listed = [part for part in parts if not any(_contains(lines, part) for lines in kept)]
    ordered = sorted((*listed, *kept), key=lambda part: (part.start, part.end))
    return Picked(tuple(part.anchor for part in ordered))


def _topmost(outline: Outline, ticks: frozenset[int]) -> Iterator[int]:
    on, place = states(outline, ticks), 0
    while place < len(on):
        if on[place] == "on":
            yield place
            place = outline.ends[place]
        else:
            place += 1


def _places(outline: Outline) -> dict[str, int]:
    return {part.anchor: place for place, part in reversed(list(enumerate(outline.parts)))}


def _contains(outer: Section, inner: Section) -> bool:
    # Cells are columns of their rows: they hold nothing else whole.
    return "!" not in outer.anchor and outer.start <= inner.start and inner.end <= outer.end


@dataclass(frozen=True, slots=True)
class PartRow:
    """One part; deeper ones after it lie within it.

    Attributes:
        tokens: what it would cost as an attachment; None while it is not counted.
        chosen: whether it is attached by itself.
    """

    part: Section
    tokens: int | None = None
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class PartsView:
    """An attached file with its parts.

    Attributes:
        file: the key of the whole file; a part's is that with # and its anchor.
        key: the attachment that was opened.
        digest: of the file's bytes, as they were when it was read, `read_utc`.
        text: all of its text; a part's is a stretch of it.
        tokens: what all of it would cost; None while it is not counted.
        chosen: the anchors of the parts that are attached, rows or not; `whole` where all of it is.
        exact: whether the tokens are the model's own.
        reading: whether it is still being read. problem: why it could not be, in words.
    """

    file: str
    key: str
    name: str
    read_utc: str = ""
    digest: str = ""
    read_as: ReadAs = field(default_factory=ReadAs)
    text: str = ""
    rows: tuple[PartRow, ...] = ()
    tokens: int | None = None
    chosen: tuple[str, ...] = ()
    whole: bool = False
    exact: bool = False
    reading: bool = False
    problem: str = ""

    @property
    def document(self) -> Document:
        """The file with its listed parts, in which unlisted parts can be found, too."""
        parts = tuple(row.part for row in self.rows)
        pages = tuple(part for part in parts if _is_page(part))
        return Document(self.text, self.read_as, tuple(part for part in parts if not _is_page(part)), pages)

    @property
    def picked(self) -> Picked:
        return Picked(self.chosen, self.whole)


def _is_page(part: Section) -> bool:
    return part.first_page > 0 and part.anchor == f"p{part.first_page}"


# How the text of an attached file differs from what the file says now.


Sign = Literal["+", "-", " ", "⋯"]


class ChangedLine(NamedTuple):
    """A line with its old and new number (None where it has none); `⋯` marks lines left out."""

    old: int | None
    new: int | None
    sign: Sign
    text: str


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The differences between the attached copy and the current file.

    Attributes:
        lines: those that differ, with some around them; left_out: how many more there would be.
        reading: whether the file is still being read. problem: why it could not be, in words.
    """

    key: str
    lines: tuple[ChangedLine, ...] = ()
    left_out: int = 0
    reading: bool = False
    problem: str = ""
