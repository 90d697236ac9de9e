"""What a field may hold beyond its type, said where it is declared: bounds, other names, what is not there yet."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class Between:
    """A whole number from `low` on, up to `high` where there is one."""

    low: int
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Above:
    """A number above one and at most the other, whole or not; `what` is what it is called."""

    above: int
    most: int
    what: str = "a number"


@dataclass(frozen=True, slots=True)
class Within:
    """A number from `low` to `high`, both included, whole or not."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """Text that names something."""


@dataclass(frozen=True, slots=True)
class Sound:
    """Text that names something, and of which `problem` says nothing."""

    problem: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class OneOf:
    """Text that is one of these words, where there are too many of them for a Literal."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AsJson:
    """Text that stands in a document as the object it is the JSON of."""


@dataclass(frozen=True, slots=True)
class WordOrJson:
    """Text that is this word, or stands in a document as the object it is the JSON of."""

    word: str


@dataclass(frozen=True, slots=True)
class Called:
    """The name in a document, where it is not the attribute's."""

    name: str


@dataclass(frozen=True, slots=True)
class Unique:
    """A list in which no two items have the same value under this name."""

    name: str


@dataclass(frozen=True, slots=True)
class Inline:
    """A table whose entries stand in a document among those around it."""


def _no_date(text: str) -> str:
    return (
        ""
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text)
        else f"expected a date such as 2026-01-31, got {text[:40]!r}"
    )


Count = Annotated[int, Between(0)]
Positive = Annotated[int, Between(1)]
Share = Annotated[float, Above(0, most=1)]
Seconds = Annotated[float, Above(0, most=86_400, what="a number of seconds")]
Name = Annotated[str, NotEmpty()]
Date = Annotated[str, Sound(_no_date)]
