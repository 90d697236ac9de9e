"""Areas that scroll, and the widget without a ground that is scrolled in them."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea, QWidget


def transparent() -> QWidget:
    """A widget that paints no ground of its own."""
    made = QWidget()
    made.setObjectName("transparent")
    return made


def scroll_area(content: QWidget, name: str) -> QScrollArea:
    """An area as wide as its content allows; `name` is spoken."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setWidget(content)
    area.setAccessibleName(name)
    return area
