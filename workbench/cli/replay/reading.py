"""Reads parsed JSON field by field and says of every mistake where it is and what was expected."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isinf
from typing import TypeVar

from workbench.domain.errors import InvalidInput
from workbench.domain.text import repair_text

T = TypeVar("T")
S = TypeVar("S", bound=str)

LARGEST_INTEGER = 10**12
_SHOWN_CHARACTERS = 60
_PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$-]{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and the path it was found at."""

    value: object
    path: str = ""

    def error(self, reason: str) -> InvalidInput:
        """The error that this value is, to be raised."""
        return InvalidInput(self.path or "$", reason)

    def expected(self, what: str) -> InvalidInput:
        """The error that this value is something else than `what`."""
        return self.error(f"expected {what}, got {show(self.value)}")

    def at(self, key: str | int, value: object) -> Node:
        """The value found under a key or an index of this one."""
        return Node(value, join_path(self.path, key))

    def items(self) -> tuple[Node, ...]:
        """The values of a list."""
        if not isinstance(self.value, list | tuple):
            raise self.expected("a list")
        return tuple(self.at(index, value) for index, value in enumerate(self.value))

    def fields(self, known: Sequence[str], ignored: Sequence[str] = ()) -> Fields:
        """The fields of an object, none of which may be unknown."""
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        for key in self.value:
            if key not in known and key not in ignored and not _is_remark(key):
                raise self.at(str(key), None).error(_unknown(str(key), known))
        return Fields(self)

    def text(self) -> str:
        """A string, in a form that every encoding can carry."""
        if not isinstance(self.value, str):
            raise self.expected("a string")
        return repair_text(self.value)

    def name(self) -> str:
        """A string that names something, so that it cannot be empty."""
        if self.value == "":
            raise self.expected("a string that is not empty")
        return self.text()

    def flag(self) -> bool:
        """A truth value."""
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value

    def integer(self, low: int, high: int | None = None) -> int:
        """A whole number within bounds; neither a truth value nor 5.0 is one."""
        top = LARGEST_INTEGER if high is None else high
        value = self.value
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= top:
            return value
        too_large = isinstance(value, int) and value > top
        bounded = high is not None or too_large
        raise self.expected(f"an integer {low}..{top}" if bounded else f"an integer >= {low}")

    def fraction(self) -> float:
        """A share of a whole: above 0, at most 1."""
        value = self.value
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1:
            return float(value)
        raise self.expected("a number > 0 and <= 1")

    def choice(self, options: Sequence[S]) -> S:
        """One of the given words."""
        for option in options:
            if option == self.value:
                return option
        listed = ", ".join(map(show, options))
        raise self.expected(listed if len(options) == 1 else f"one of {listed}")

    def json(self, separators: tuple[str, str] = (",", ":"), sort_keys: bool = False) -> str:
        """The value written as JSON again, compact unless told otherwise."""
        write = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, separators=separators, sort_keys=sort_keys
        ).encode
        try:
            return repair_text(write(self.value))
        except (RecursionError, TypeError, ValueError):
            raise self.expected("a JSON value that can be written") from None


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of an object that was found to be one."""

    node: Node

    def get(self, name: str) -> Node | None:
        """The field, or None where it is not given."""
        value = self.node.value
        if not isinstance(value, dict) or name not in value:
            return None
        return self.node.at(name, value[name])

    def given(self, name: str) -> Node | None:
        """The field, or None where it is not given or null."""
        node = self.get(name)
        return None if node is None or node.value is None else node

    def require(self, name: str) -> Node:
        """The field, which must be given."""
        node = self.get(name)
        if node is None:
            raise self.node.at(name, None).error("missing")
        return node

    def read(self, name: str, read: Callable[[Node], T], default: T) -> T:
        """The field as `read` understands it, or the default where it is not given."""
        node = self.get(name)
        return default if node is None else read(node)

    def read_all(self, name: str, read: Callable[[Node], T]) -> tuple[T, ...]:
        """The field's items as `read` understands them; none where it is not given."""
        node = self.get(name)
        return () if node is None else tuple(read(item) for item in node.items())


def nullable(read: Callable[[Node], T]) -> Callable[[Node], T | None]:
    """The same reader, for a field where null stands for the default."""
    return lambda node: None if node.value is None else read(node)


def join_path(path: str, key: str | int) -> str:
    """The path of what lies under a key or an index, always on one line."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not _PLAIN_NAME.fullmatch(key):
        return f"{path}[{show(key)}]"
    return f"{path}.{key}" if path else key


def show(value: object) -> str:
    """A value as compact JSON on one line, cut where it is long."""
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


def _unknown(key: str, known: Iterable[str]) -> str:
    near = get_close_matches(key, known, n=1) if len(key) <= _SHOWN_CHARACTERS else []
    return f"unknown field; did you mean {show(near[0])}?" if near else "unknown field"


# Turns bytes into JSON values; whatever is wrong with them becomes one line that says where.

DEEPEST_NESTING = 200
_LONGEST_INTEGER = 1000


@dataclass(frozen=True, slots=True)
class _Refused:
    """Stands where a value was that JSON has no meaning for, until its path is known."""

    reason: str


def load_json(raw: bytes) -> object:
    """Parse UTF-8, with or without a byte order mark; every error is an `InvalidInput` on one line."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place(error.object[: error.start].decode("utf-8", "replace"))
        raise InvalidInput(place, "not valid UTF-8; save the file as UTF-8") from None
    return parse_json(text)


def parse_json(text: str) -> object:
    """Parse JSON strictly: no NaN, no number beyond all bounds, no key twice, no endless nesting."""
    if not text.strip():
        raise InvalidInput("line 1 column 1", "empty input; expected a JSON value")
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=lambda name: _Refused(f"{name} is not a JSON number"),
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise InvalidInput(place, f"not valid JSON: {error.msg}") from None
    except RecursionError:
        raise InvalidInput("$", _TOO_DEEP) from None
    _refuse_marked(value)
    return value


_TOO_DEEP = f"nested more than {DEEPEST_NESTING} levels deep"


def _place(before: str) -> str:
    lines = before.split("\n")
    return f"line {len(lines)} column {len(lines[-1]) + 1}"


def _object(pairs: list[tuple[str, object]]) -> object:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
    return _Refused(f"the key {show(twice)} occurs twice")


def _integer(digits: str) -> object:
    if len(digits) > _LONGEST_INTEGER:
        return _Refused(f"a number of {len(digits)} digits is too large")
    return int(digits)


def _number(digits: str) -> object:
    number = float(digits)
    return _Refused(f"the number {show(digits)[1:-1]} is too large") if isinf(number) else number


def _refuse_marked(root: object) -> None:
    # A loop, not recursion: the depth is the input's, and Python's own limit depends on the caller.
    level = [Node(root)]
    depth = 0
    while level:
        if depth == DEEPEST_NESTING and any(isinstance(node.value, dict | list) for node in level):
            raise InvalidInput("$", _TOO_DEEP)
        level = [child for node in level for child in _children(node)]
        depth += 1


def _children(node: Node) -> list[Node]:
    value = node.value
    if isinstance(value, _Refused):
        raise node.error(value.reason)
    if isinstance(value, dict):
        return [node.at(key, inner) for key, inner in value.items()]
    if isinstance(value, list):
        return [node.at(index, inner) for index, inner in enumerate(value)]
    return []
