"""Menus in our look."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget


def menu(parent: QWidget) -> QMenu:
    """An empty menu that goes with its parent."""
    made = QMenu(parent)
    made.setWindowFlags(
        made.windowFlags() | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
    )
    made.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    made.setToolTipsVisible(True)
    return made
