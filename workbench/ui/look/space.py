"""Distances of the design, and layouts without Qt's default margins."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

S1, S2, S3, S4, S5 = 4, 8, 12, 16, 24

Margins = tuple[int, int, int, int]
Part = QWidget | QLayout | int | tuple[QWidget | QLayout | None, int]
STRETCH = (None, 1)

Box = TypeVar("Box", bound=QBoxLayout)


def rows(
    parent: QBoxLayout | QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = 0
) -> QVBoxLayout:
    """A vertical layout, put into a widget or another layout; margins are left, top, right, bottom."""
    layout = QVBoxLayout()
    _set_up(layout, parent, margins, spacing)
    return layout


def columns(
    parent: QBoxLayout | QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = 0
) -> QHBoxLayout:
    """A horizontal layout, put into a widget or another layout; margins are left, top, right, bottom."""
    layout = QHBoxLayout()
    _set_up(layout, parent, margins, spacing)
    return layout


def fill(layout: Box, *parts: Part) -> Box:
    """Add widgets and layouts in order; a number is a gap in pixels, a pair is an item with its stretch factor."""
    for part in parts:
        added, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(added, QWidget):
            layout.addWidget(added, stretch)
        elif isinstance(added, QLayout):
            layout.addLayout(added, stretch)
        elif added is None:
            layout.addStretch(stretch)
        else:
            layout.addSpacing(added)
    return layout


def _set_up(layout: QBoxLayout, parent: QBoxLayout | QWidget | None, margins: Margins, spacing: int) -> None:
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    if isinstance(parent, QWidget):
        parent.setLayout(layout)
    elif parent is not None:
        parent.addLayout(layout)
