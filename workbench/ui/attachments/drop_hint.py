"""The dashed box that says how files get here: dropped anywhere, or by a key."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.look.painting import dashed_pen, stroke_rounded
from workbench.ui.look.space import S1, S2, columns, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.labels import KeyCap, label

HEIGHT = 56


class DropHint(QWidget):
    """A dashed box with two short lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Drop files or a folder anywhere, or press Ctrl+O"))
        down = rows(self, (S2, S1, S2, S1), 2)
        down.addStretch(1)
        first = label(self.tr("Drop files or a folder anywhere"), "small", "t3")
        first.setAlignment(Qt.AlignmentFlag.AlignCenter)
        first.setMinimumWidth(1)
        down.addWidget(first)
        second = columns(down, spacing=S1)
        second.addStretch(1)
        second.addWidget(label(self.tr("or press"), "small", "t3"))
        second.addWidget(KeyCap(self.tr("Ctrl+O")))
        second.addStretch(1)
        down.addStretch(1)

    def sizeHint(self) -> QSize:
        """Two lines and room around them."""
        return QSize(160, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the dashes."""
        line = dashed_pen(theme_of(self).line2, 1, 4, 3)
        stroke_rounded(QPainter(self), QRectF(self.rect()), line, 8)
