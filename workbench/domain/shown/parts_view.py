"""A file and its parts, as they are listed to choose from."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.domain.shown.outline_selection import Picked


@dataclass(frozen=True, slots=True)
class PartRow:
    """One part; those after it that lie deeper are within it.

    Attributes:
        tokens: what it would cost as an attachment; None while it is not counted.
        chosen: whether it is attached by itself.
    """

    part: Section
    tokens: int | None = None
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class PartsView:
    """A file that is attached, whole or in part.

    Attributes:
        file: the key of the whole file; a part's is that with # and its anchor.
        key: the attachment that was looked at.
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
        """The file with the parts that are listed, in which parts that are not can be looked for."""
        parts = tuple(row.part for row in self.rows)
        pages = tuple(part for part in parts if _is_page(part))
        return Document(self.text, self.read_as, tuple(part for part in parts if not _is_page(part)), pages)

    @property
    def picked(self) -> Picked:
        return Picked(self.chosen, self.whole)


def _is_page(part: Section) -> bool:
    return part.first_page > 0 and part.anchor == f"p{part.first_page}"
