"""The shadow under popups and toasts, painted: Qt's own effect would draw everything under it in software."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from workbench.ui.look.painting import fill_rounded, stroke_rounded
from workbench.ui.look.theme import Theme, theme_of

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


def paint_floating(widget: QWidget, ground: str, line: str, radius: float) -> None:
    """Paint a window with a shadow: its ground and border, `MARGIN` within the widget."""
    painter, box = QPainter(widget), QRectF(widget.rect()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    paint_shadow(painter, box, theme_of(widget), radius)
    fill_rounded(painter, box, ground, radius)
    stroke_rounded(painter, box, line, radius)
