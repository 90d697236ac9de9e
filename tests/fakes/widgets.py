"""Finding widgets in a window, typed."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

W = TypeVar("W", bound=QWidget)


def all_of(kind: type[W], within: QWidget) -> list[W]:
    """Every widget of a kind, in the order in which they were made."""
    found: list[W] = list(within.findChildren(kind))
    return found


def button_with(words: str, within: QWidget) -> QPushButton:
    """The button with these words."""
    return next(one for one in all_of(QPushButton, within) if one.text() == words)


def point_at(widget: QWidget) -> None:
    """Move the pointer onto a widget."""
    middle = QPointF(widget.rect().center())
    QApplication.sendEvent(widget, QEnterEvent(middle, middle, QPointF(widget.mapToGlobal(middle.toPoint()))))


def point_away(widget: QWidget) -> None:
    """Move the pointer off a widget."""
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
