"""Menus in our look."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from workbench.ui.look.compositing import round_corners
from workbench.ui.look.style_parts import RADIUS


def menu(parent: QWidget) -> QMenu:
    """An empty menu that goes with its parent."""
    made = QMenu(parent)
    made.setWindowFlags(
        made.windowFlags() | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
    )
    round_corners(made, 0, RADIUS)
    made.setToolTipsVisible(True)
    return made
