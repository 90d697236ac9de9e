"""Constraints on a field beyond its type, declared as annotations: bounds, other names, uniqueness."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from workbench.domain.translation import tr


@dataclass(frozen=True, slots=True)
class Between:
    """An integer from `low` on, up to `high` where there is one."""

    low: int
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Above:
    """A number above one bound and at most the other, whole or not; `what` is its name in errors."""

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
    """A string that must not be empty."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A non-empty string for which `problem` returns no error."""

    problem: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these words, where there are too many for a Literal."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AsJson:
    """A string of JSON, written in a document as the object itself."""


@dataclass(frozen=True, slots=True)
class WordOrJson:
    """This word, or a string of JSON that is written in a document as the object itself."""

    word: str


@dataclass(frozen=True, slots=True)
class Called:
    """The field's name in a document, where it is not the attribute's."""

    name: str


@dataclass(frozen=True, slots=True)
class Unique:
    """A list in which no two items have the same value of this field."""

    name: str


@dataclass(frozen=True, slots=True)
class Inline:
    """A table whose entries are written among those of the table around it."""


def _no_date(text: str) -> str:
    return (
        ""
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text)
        else tr("expected a date such as 2026-01-31, got {text!r}", text=text[:40])
    )


Count = Annotated[int, Between(0)]
Positive = Annotated[int, Between(1)]
Share = Annotated[float, Above(0, most=1)]
Seconds = Annotated[float, Above(0, most=86_400, what="a number of seconds")]
Name = Annotated[str, NotEmpty()]
Date = Annotated[str, Sound(_no_date)]
