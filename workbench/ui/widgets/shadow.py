"""The shadow under popups and toasts, painted: Qt's own effect would draw everything under it in software."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from workbench.ui.look.theme import Theme

MARGIN = 24
OFFSET, BLUR, ALPHA = 6, 18, 0.20


def paint_shadow(painter: QPainter, box: QRectF, theme: Theme, radius: float) -> None:
    """Paint the soft shadow of a box with round corners; it needs `MARGIN` around the box."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    steps = BLUR
    for step in range(steps):
        spread = BLUR - step
        ink = QColor(theme.shadow)
        ink.setAlphaF(ALPHA * 2 * (step + 1) / (steps * steps))
        painter.setBrush(ink)
        layer = box.translated(0, OFFSET).adjusted(-spread, -spread, spread, spread)
        painter.drawRoundedRect(layer, radius + spread, radius + spread)
    painter.restore()
