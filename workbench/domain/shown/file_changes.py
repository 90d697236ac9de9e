"""How the text of an attached file differs from what the file says now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Sign = Literal["+", "-", " ", "⋯"]


class ChangedLine(NamedTuple):
    """A line with its numbers (None where it has none there); `⋯` stands for lines left out."""

    old: int | None
    new: int | None
    sign: Sign
    text: str


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The copy that is attached against the file as it is.

    Attributes:
        lines: those that differ, with some around them; left_out: how many more there would be.
        reading: whether the file is still being read. problem: why it could not be, in words.
    """

    key: str
    lines: tuple[ChangedLine, ...] = ()
    left_out: int = 0
    reading: bool = False
    problem: str = ""
