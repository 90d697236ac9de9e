"""Finding widgets in a window, typed."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QPushButton, QWidget

W = TypeVar("W", bound=QWidget)


def all_of(kind: type[W], within: QWidget) -> list[W]:
    """Every widget of a kind, in the order in which they were made."""
    found: list[W] = list(within.findChildren(kind))
    return found


def button_with(words: str, within: QWidget) -> QPushButton:
    """The button with these words."""
    return next(one for one in all_of(QPushButton, within) if one.text() == words)
