"""Domain values as JSON and back, driven by their type annotations; long text can be kept aside by digest.

This is the format of the store, not what people write: `reading/form.py` reads that, by the same annotations. Here
everything comes back exactly as it was, unions by the names of their classes included; bounds are not looked at, since
what was kept must stay readable when they change; names that are gone are passed over, and nothing is suggested.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from workbench.domain.errors import InvalidInput

T = TypeVar("T")
Keep = Callable[[str], str]
Find = Callable[[str], str]
Read = Callable[[Any, Find | None], Any]

_TEXT = "§"
_TYPE = "type"
_LONG = 64


def encode(value: object, keep: Keep | None = None) -> Any:
    """The value as JSON; strings longer than 64 characters go to `keep`, which returns what to call them."""
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
    try:
        known: Any = kind
        result: T = _reader(known)(document, find)
    except (_Misfit, TypeError):
        # Once more, slowly, by who keeps track of where it is.
        result = _decode(kind, document, find, "")
    return result


# Reading as it nearly always goes: what a type is read by is worked out once, and nobody notes where it is. What is
# kept is read for every turn and every chat that is opened; asking each annotation anew took most of that time.


class _Misfit(Exception):
    """The document has another shape somewhere."""


def _fitting(holds: bool, document: Any) -> Any:
    if not holds:
        raise _Misfit
    return document


@cache
def _reader(kind: Any) -> Read:
    if is_dataclass(kind):
        return _dataclass_reader(kind)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _union_reader(get_args(kind))
    if origin is Literal:
        allowed = get_args(kind)
        return lambda document, _: _fitting(document in allowed, document)
    if origin in (tuple, frozenset, list):
        return _sequence_reader(origin, get_args(kind))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_reader(get_args(kind)[1])
    return _plain_reader(kind)


def _plain_reader(kind: Any) -> Read:
    if kind is Any or kind is object:
        return lambda document, _: document
    if kind is str:
        return _read_text
    if kind is float:
        return lambda document, _: _fitting(isinstance(document, int | float), document)
    if kind is int:
        return lambda document, _: _fitting(
            isinstance(document, int) and not isinstance(document, bool), document
        )
    return lambda document, _: _fitting(isinstance(document, kind), document)


def _read_text(document: Any, find: Find | None) -> Any:
    if isinstance(document, str):
        return document
    if find is not None and isinstance(document, dict) and len(document) == 1 and _TEXT in document:
        return find(document[_TEXT])
    raise _Misfit


def _dataclass_reader(kind: Any) -> Read:
    readers: list[tuple[str, Read]] = []

    def read(document: Any, find: Find | None) -> Any:
        if not isinstance(document, dict):
            raise _Misfit
        if not readers:  # only now: a type may be part of itself
            hints = _hints(kind)
            readers.extend((name, _reader(hints[name])) for name in _fields(kind))
        return kind(**{name: item(document[name], find) for name, item in readers if name in document})

    return read


def _union_reader(kinds: tuple[Any, ...]) -> Read:
    def read(document: Any, find: Find | None) -> Any:
        try:
            chosen = _alternative(kinds, document, "")
        except InvalidInput:
            raise _Misfit from None
        return _reader(chosen)(document, find)

    return read


def _sequence_reader(origin: Any, arguments: tuple[Any, ...]) -> Read:
    if origin is tuple and Ellipsis not in arguments:

        def read_each(document: Any, find: Find | None) -> Any:
            _fitting(isinstance(document, list) and len(document) == len(arguments), document)
            return tuple(_reader(item)(value, find) for item, value in zip(arguments, document, strict=True))

        return read_each
    item = arguments[0]

    def read_all(document: Any, find: Find | None) -> Any:
        _fitting(isinstance(document, list), document)
        one = _reader(item)
        return origin([one(value, find) for value in document])

    return read_all


def _mapping_reader(item: Any) -> Read:
    def read(document: Any, find: Find | None) -> Any:
        _fitting(isinstance(document, dict), document)
        one = _reader(item)
        return {key: one(value, find) for key, value in document.items()}

    return read


def _decode(kind: Any, document: Any, find: Find | None, path: str) -> Any:
    if is_dataclass(kind):
        return _dataclass(kind, document, find, path)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _decode(_alternative(get_args(kind), document, path), document, find, path)
    if origin is Literal:
        return _checked(document in get_args(kind), document, path, f"one of {get_args(kind)}")
    if origin in (tuple, frozenset, list):
        return _sequence(kind, document, find, path)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(kind, document, find, path)
    return _plain(kind, document, find, path)


def _plain(kind: Any, document: Any, find: Find | None, path: str) -> Any:
    if kind is Any or kind is object:
        return document
    if kind is str and isinstance(document, dict) and set(document) == {_TEXT} and find is not None:
        return find(document[_TEXT])
    if kind is float:
        return _checked(isinstance(document, int | float), document, path, "a number")
    if kind is int:
        return _checked(
            isinstance(document, int) and not isinstance(document, bool), document, path, "an integer"
        )
    return _checked(isinstance(document, kind), document, path, f"a value of type {kind.__name__}")


def _dataclass(kind: Any, document: Any, find: Find | None, path: str) -> Any:
    _checked(isinstance(document, dict), document, path, f"a {kind.__name__}")
    hints = _hints(kind)
    given = {
        name: _decode(hints[name], document[name], find, f"{path}.{name}" if path else name)
        for name in _fields(kind)
        if name in document
    }
    try:
        return kind(**given)
    except TypeError as problem:
        raise InvalidInput(path, f"a {kind.__name__} is incomplete: {problem}") from problem


def _sequence(kind: Any, document: Any, find: Find | None, path: str) -> Any:
    _checked(isinstance(document, list), document, path, "a list")
    arguments = get_args(kind)
    if get_origin(kind) is tuple and Ellipsis not in arguments:
        _checked(len(document) == len(arguments), document, path, f"{len(arguments)} items")
        kinds = arguments
    else:
        kinds = (arguments[0],) * len(document)
    pairs = enumerate(zip(kinds, document, strict=True))
    return get_origin(kind)(_decode(item, value, find, f"{path}[{i}]") for i, (item, value) in pairs)


def _mapping(kind: Any, document: Any, find: Find | None, path: str) -> Any:
    _checked(isinstance(document, dict), document, path, "an object")
    item = get_args(kind)[1]
    return {key: _decode(item, value, find, f"{path}.{key}") for key, value in document.items()}


def _alternative(kinds: tuple[Any, ...], document: Any, path: str) -> Any:
    """Which member of a union the document is: null, a named dataclass, or the one plain type."""
    if document is None and type(None) in kinds:
        return type(None)
    if isinstance(document, dict) and _TYPE in document:
        for kind in kinds:
            if is_dataclass(kind) and getattr(kind, "__name__", "") == document[_TYPE]:
                return kind
    plain = [kind for kind in kinds if kind is not type(None) and not is_dataclass(kind)]
    if not plain:
        raise InvalidInput(path, "none of the types it may have")
    return plain[0]


def _checked(holds: bool, document: Any, path: str, expected: str) -> Any:
    if not holds:
        raise InvalidInput(path, f"expected {expected}")
    return document


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))
