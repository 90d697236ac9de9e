"""Parses bytes as JSON; every error becomes one line that says where it is."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from math import isinf

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.node import Node, show
from workbench.domain.translation import tr

DEEPEST_NESTING = 200
_LONGEST_INTEGER = 1000


@dataclass(frozen=True, slots=True)
class _Refused:
    """A placeholder for a value that is not valid JSON, until its path is known."""

    reason: str


def load_json(raw: bytes) -> object:
    """Parse UTF-8, with or without a byte order mark; every error is an `InvalidInput` on one line."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place(error.object[: error.start].decode("utf-8", "replace"))
        raise InvalidInput(place, tr("not valid UTF-8; save the file as UTF-8")) from None
    return parse_json(text)


def parse_json(text: str) -> object:
    """Parse JSON strictly: no NaN, no out-of-range number, no duplicate key, no endless nesting."""
    if not text.strip():
        raise InvalidInput(tr("line 1 column 1"), tr("empty input; expected a JSON value"))
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=lambda name: _Refused(f"{name} is not a JSON number"),
        )
    except json.JSONDecodeError as error:
        place = tr("line {lineno} column {colno}", lineno=error.lineno, colno=error.colno)
        raise InvalidInput(place, tr("not valid JSON: {msg}", msg=error.msg)) from None
    except RecursionError:
        raise InvalidInput("$", _TOO_DEEP) from None
    _refuse_marked(value)
    return value


def json_or_text(text: str) -> object:
    """The value where a text is JSON, else the text itself."""
    try:
        return parse_json(text)
    except InvalidInput:
        return text


_TOO_DEEP = tr("nested more than {deepest_nesting} levels deep", deepest_nesting=DEEPEST_NESTING)


def _place(before: str) -> str:
    lines = before.split("\n")
    return tr("line {n} column {n_2}", n=len(lines), n_2=len(lines[-1]) + 1)


def _object(pairs: list[tuple[str, object]]) -> object:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
    return _Refused(tr("the key {show} occurs twice", show=show(twice)))


def _integer(digits: str) -> object:
    if len(digits) > _LONGEST_INTEGER:
        return _Refused(tr("a number of {n} digits is too large", n=len(digits)))
    return int(digits)


def _number(digits: str) -> object:
    number = float(digits)
    return (
        _Refused(tr("the number {show} is too large", show=show(digits)[1:-1])) if isinf(number) else number
    )


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
