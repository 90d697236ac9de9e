"""Finds widgets inside of others, as their own types: PySide's stubs do not know what `findChild` gives."""

from __future__ import annotations

from typing import TypeVar, cast

from PySide6.QtCore import QObject

T = TypeVar("T", bound=QObject)


def child(parent: QObject, kind: type[T]) -> T:
    found = children(parent, kind)
    assert len(found) == 1, f"one {kind.__name__} was expected, {len(found)} are there"
    return found[0]


def children(parent: QObject, kind: type[T]) -> list[T]:
    found = cast("list[object]", parent.findChildren(kind))
    return [each for each in found if isinstance(each, kind)]
