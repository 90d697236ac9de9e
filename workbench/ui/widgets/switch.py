"""A switch: on or off at a glance."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.theme import theme_of

WIDTH, HEIGHT, KNOB = 28, 16, 12


class Switch(QAbstractButton):
    """On or off; Space turns it."""

    def __init__(self, name: str = "", on: bool = False) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setChecked(on)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", HEIGHT // 2)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        on = self.isChecked()
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        fill_rounded(painter, QRectF(self.rect()), theme.accent if on else theme.edge, HEIGHT / 2)
        x = WIDTH - KNOB - 2 if on else 2
        fill_rounded(painter, QRectF(x, 2, KNOB, KNOB), theme.on_accent if on else theme.surface, KNOB / 2)
