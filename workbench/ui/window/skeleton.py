"""The window before its panes are there: grounds and lines where they will be, so that nothing jumps."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.theme import colour, theme_of

LEFT, RIGHT, HEAD, RAIL, RAIL_BELOW = 252, 752, 44, 48, 1360


class Skeleton(QWidget):
    """Three empty columns."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the grounds of the columns, and the lines between them."""
        painter, theme = QPainter(self), theme_of(self)
        width, height = self.width(), self.height()
        left = LEFT if width >= RAIL_BELOW else RAIL
        right = width - min(RIGHT, (width - left) * 3 // 5)
        painter.fillRect(self.rect(), colour(theme.surface))
        painter.fillRect(QRectF(0, 0, left, height), colour(theme.chrome))
        painter.fillRect(QRectF(right, 0, width - right, height), colour(theme.chrome))
        for line in (
            QRectF(left, 0, 1, height),
            QRectF(right, 0, 1, height),
            QRectF(0, HEAD - 1, width, 1),
        ):
            painter.fillRect(line, colour(theme.line))
