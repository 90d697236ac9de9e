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
    result: T = _decode(kind, document, find, "")
    return result


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
