"""A JSON value with its path in a document; every error says where it is and what was expected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import reduce
from typing import Any, NamedTuple, TypeVar

from workbench.domain.errors import InvalidInput
from workbench.domain.text import repair_text
from workbench.domain.translation import joined, tr

T = TypeVar("T")
S = TypeVar("S", bound=str)

LARGEST_INTEGER = 10**12
_SHOWN_CHARACTERS = 60
_PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$-]{0,59}", re.ASCII)


JsonPath = tuple[str | int, ...]
"""Where something stands: the names, and the numbers in lists, that lead to it."""


class WrongValue(InvalidInput):
    """The error for a value that cannot be used.

    Attributes:
        place: where it stands.
        discreet: the reason without the value, for confidential documents.
    """

    def __init__(self, node: Node, reason: str, got: str = "") -> None:
        super().__init__(node.path or "$", joined((reason, got), "") if got else reason)
        self.place = node.place
        self.discreet = reason


class Node(NamedTuple):
    """A JSON value, the name of its document, and its path."""

    value: object
    root: str = ""
    place: JsonPath = ()

    @property
    def path(self) -> str:
        """The path as text; computed on demand, since most values are valid."""
        return reduce(join_path, self.place, self.root)

    def error(self, reason: str) -> WrongValue:
        return WrongValue(self, reason)

    def expected(self, what: str) -> WrongValue:
        """The error that the value is not `what`."""
        return WrongValue(self, tr("expected {what}", what=what), tr(", got {show}", show=show(self.value)))

    def at(self, key: str | int, value: object) -> Node:
        """The node of a value under a key or an index."""
        return Node(value, self.root, (*self.place, key))

    def items(self) -> tuple[Node, ...]:
        if not isinstance(self.value, list | tuple):
            raise self.expected("a list")
        return tuple(self.at(index, value) for index, value in enumerate(self.value))

    def table(self) -> dict[Any, Any]:
        if not isinstance(self.value, dict):
            raise self.expected(tr("an object"))
        return self.value

    def fields(self, known: Sequence[str], ignored: Sequence[str] = ()) -> Fields:
        """The fields of an object, refusing unknown ones."""
        for key in self.table():
            if key not in known and key not in ignored and not _is_remark(key):
                raise self.at(str(key), None).error(
                    tr("unknown field{suggest}", suggest=suggest(str(key), known))
                )
        return Fields(self)

    def text(self) -> str:
        """A string without characters that some encoding cannot carry."""
        if not isinstance(self.value, str):
            raise self.expected("a string")
        return repair_text(self.value)

    def name(self) -> str:
        """A string that must not be empty."""
        if self.value == "":
            raise self.expected(tr("a string that is not empty"))
        return self.text()

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.expected(tr("true or false"))
        return self.value

    def integer(self, low: int, high: int | None = None) -> int:
        """An integer within bounds; neither a boolean nor 5.0 is one."""
        top = LARGEST_INTEGER if high is None else high
        value = self.value
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= top:
            return value
        too_large = isinstance(value, int) and value > top
        bounded = high is not None or too_large
        raise self.expected(
            tr("an integer {low}..{top}", low=low, top=top) if bounded else tr("an integer >= {low}", low=low)
        )

    def number(self, above: int, most: int, what: str = "a number") -> float:
        """A number above `above` and at most `most`, whole or not."""
        value = self.value
        if isinstance(value, int | float) and not isinstance(value, bool) and above < value <= most:
            return float(value)
        raise self.expected(f"{what} > {above} and <= {most}")

    def number_within(self, low: int, high: int) -> float:
        """A number from `low` to `high`, both included, whole or not."""
        value = self.value
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        raise self.expected(f"a number {low}..{high}")

    def choice(self, options: Sequence[S]) -> S:
        for option in options:
            if option == self.value:
                return option
        listed = ", ".join(map(show, options))
        raise self.expected(listed if len(options) == 1 else tr("one of {listed}", listed=listed))

    def json(self, separators: tuple[str, str] = (",", ":"), sort_keys: bool = False) -> str:
        """The value as JSON, compact by default."""
        write = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, separators=separators, sort_keys=sort_keys
        ).encode
        try:
            return repair_text(write(self.value))
        except (RecursionError, TypeError, ValueError):
            raise self.expected(tr("a JSON value that can be written")) from None


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a JSON object."""

    node: Node

    def get(self, name: str) -> Node | None:
        """The field, or None where it is missing."""
        value = self.node.value
        if not isinstance(value, dict) or name not in value:
            return None
        return self.node.at(name, value[name])

    def given(self, name: str) -> Node | None:
        """The field, or None where it is missing or null."""
        node = self.get(name)
        return None if node is None or node.value is None else node

    def require(self, name: str) -> Node:
        """The field, or an error where it is missing."""
        node = self.get(name)
        if node is None:
            raise self.node.at(name, None).error("missing")
        return node

    def read(self, name: str, read: Callable[[Node], T], default: T) -> T:
        """The field converted by `read`, or the default where it is missing."""
        node = self.get(name)
        return default if node is None else read(node)

    def read_all(self, name: str, read: Callable[[Node], T]) -> tuple[T, ...]:
        """The field's items converted by `read`; empty where it is missing."""
        node = self.get(name)
        return () if node is None else tuple(read(item) for item in node.items())


def nullable(read: Callable[[Node], T]) -> Callable[[Node], T | None]:
    """A reader that gives None for null."""
    return lambda node: None if node.value is None else read(node)


def join_path(path: str, key: str | int) -> str:
    """The path of what lies under a key or an index, always on one line."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not _PLAIN_NAME.fullmatch(key):
        return f"{path}[{show(key)}]"
    return f"{path}.{key}" if path else key


def show(value: object) -> str:
    """A value as compact JSON on one line, truncated where it is long."""
    shown = "".join(c if c.isprintable() else _escaped(c) for c in _beginning(value))
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[: _SHOWN_CHARACTERS - 1]}…"


def _beginning(value: object) -> str:
    if isinstance(value, str):
        # Encoding all of a long text for the sake of its first words would take long.
        return json.dumps(value[: _SHOWN_CHARACTERS + 1], ensure_ascii=False)
    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=repr)
    written = ""
    try:
        for piece in encoder.iterencode(value):
            written += piece
            if len(written) > _SHOWN_CHARACTERS:
                break
    except (RecursionError, TypeError, ValueError):
        return f"{written}…"
    return written


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) != 0x7F else "\\u007f"


def _is_remark(key: object) -> bool:
    return isinstance(key, str) and (key.startswith(("_", "$")) or key == "comment")


def suggest(key: str, known: Iterable[str]) -> str:
    """A hint with the known name that was probably meant; empty where none is close."""
    near = get_close_matches(key, known, n=1) if len(key) <= _SHOWN_CHARACTERS else []
    return tr("; did you mean {show}?", show=show(near[0])) if near else ""
