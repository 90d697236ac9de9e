"""Encodes domain values as JSON and back by their type annotations; long texts can be stored separately by digest.

This is the format of the store, not of files that people edit, which `reading/form.py` reads by the same annotations.
Values round-trip exactly, with unions tagged by class name; bounds are not checked, since stored values must stay
readable when bounds change, and unknown names are ignored.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr

T = TypeVar("T")
Keep = Callable[[str], str]
Find = Callable[[str], str]
Read = Callable[[Any, Find | None], Any]

_TEXT = "§"
_TYPE = "type"
_LONG = 64


def encode(value: object, keep: Keep | None = None) -> Any:
    """The value as JSON; strings over 64 characters are passed to `keep`, which returns a reference."""
    if isinstance(value, str):
        return {_TEXT: keep(value)} if keep is not None and len(value) > _LONG else value
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, frozenset):
        return [encode(item, keep) for item in sorted(value)]
    if isinstance(value, tuple | list):
        return [encode(item, keep) for item in value]
    if isinstance(value, Mapping):
        return {str(key): encode(item, keep) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        written = {name: encode(getattr(value, name), keep) for name in _fields(type(value))}
        return {_TYPE: type(value).__name__, **written}
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def decode(kind: type[T], document: object, find: Find | None = None) -> T:
    """A value of that type; a document of another shape is refused with the path of what is wrong."""
    known: Any = kind
    try:
        result: T = _reader(known)(document, find)
    except _Misfit as problem:
        raise InvalidInput("".join(reversed(problem.steps)).removeprefix("."), problem.reason) from None
    return result


class _Misfit(Exception):
    """The error for a document of another shape; each level that it passes adds its part of the path."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason, self.steps = reason, list[str]()


# What a type is read by is worked out once: what is kept is read for every turn and every chat that is opened, and
# asking each annotation anew took most of that time.


@cache
def _reader(kind: Any) -> Read:
    if is_dataclass(kind):
        return _dataclass_reader(kind)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        kinds = get_args(kind)
        return lambda document, find: _reader(_alternative(kinds, document))(document, find)
    if origin is Literal:
        allowed = get_args(kind)
        return _plain_reader(lambda document: document in allowed, f"one of {allowed}")
    if origin in (tuple, frozenset, list):
        return _sequence_reader(origin, get_args(kind))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_reader(get_args(kind)[1])
    if kind is Any or kind is object:
        return lambda document, _: document
    if kind is str:
        return _read_text
    if kind is float:
        return _plain_reader(lambda document: isinstance(document, int | float), "a number")
    if kind is int:
        return _plain_reader(lambda document: type(document) is int, "an integer")
    return _plain_reader(lambda document: isinstance(document, kind), f"a value of type {kind.__name__}")


def _plain_reader(holds: Callable[[Any], bool], expected: str) -> Read:
    def read(document: Any, _: Find | None) -> Any:
        if holds(document):
            return document
        raise _Misfit(f"expected {expected}")

    return read


def _read_text(document: Any, find: Find | None) -> Any:
    if isinstance(document, str):
        return document
    if find is not None and isinstance(document, dict) and len(document) == 1 and _TEXT in document:
        return find(document[_TEXT])
    raise _Misfit("expected a value of type str")


def _dataclass_reader(kind: Any) -> Read:
    readers: list[tuple[str, Read]] = []

    def read(document: Any, find: Find | None) -> Any:
        if not isinstance(document, dict):
            raise _Misfit(f"expected a {kind.__name__}")
        if not readers:  # only now: a type may be part of itself
            hints = get_type_hints(kind)
            readers.extend((name, _reader(hints[name])) for name in _fields(kind))
        given = {}
        name = ""
        try:
            for name, item in readers:
                if name in document:
                    given[name] = item(document[name], find)
        except _Misfit as problem:
            problem.steps.append(f".{name}")
            raise
        try:
            return kind(**given)
        except TypeError as problem:
            raise _Misfit(
                tr("a {name} is incomplete: {problem}", name=kind.__name__, problem=problem)
            ) from problem

    return read


def _sequence_reader(origin: Any, arguments: tuple[Any, ...]) -> Read:
    fixed = origin is tuple and Ellipsis not in arguments

    def read(document: Any, find: Find | None) -> Any:
        if not isinstance(document, list):
            raise _Misfit(tr("expected a list"))
        if fixed and len(document) != len(arguments):
            raise _Misfit(f"expected {len(arguments)} items")
        item = None if fixed else _reader(arguments[0])
        found: list[Any] = []
        try:
            for value in document:
                found.append((item or _reader(arguments[len(found)]))(value, find))
        except _Misfit as problem:
            problem.steps.append(f"[{len(found)}]")
            raise
        return origin(found)

    return read


def _mapping_reader(kind: Any) -> Read:
    def read(document: Any, find: Find | None) -> Any:
        if not isinstance(document, dict):
            raise _Misfit(tr("expected an object"))
        item, found = _reader(kind), {}
        key = ""
        try:
            for key, value in document.items():
                found[key] = item(value, find)
        except _Misfit as problem:
            problem.steps.append(f".{key}")
            raise
        return found

    return read


def _alternative(kinds: tuple[Any, ...], document: Any) -> Any:
    """The member of a union that the document encodes: null, a tagged dataclass, or the one plain type."""
    if document is None and type(None) in kinds:
        return type(None)
    if isinstance(document, dict) and _TYPE in document:
        for kind in kinds:
            if is_dataclass(kind) and getattr(kind, "__name__", "") == document[_TYPE]:
                return kind
    plain = [kind for kind in kinds if kind is not type(None) and not is_dataclass(kind)]
    if not plain:
        raise _Misfit("none of the types it may have")
    return plain[0]


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))
