"""An icon that stands by itself."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.icons import paint_icon


class IconSpot(QWidget):
    """Shows one icon in a token's colour, in the middle of a box; what it means stands beside it in words."""

    def __init__(self, name: str, token: str = "t2", size: int = 16, box: QSize | None = None) -> None:
        super().__init__()
        self._name, self._token, self._size = name, token, size
        self.setFixedSize(box or QSize(size, size))

    def show_icon(self, name: str, token: str = "t2") -> None:
        """Show another icon, or the same in another colour; without a name it is hidden."""
        if bool(name) != bool(self._name):
            self.setVisible(bool(name))
        if (name, token) != (self._name, self._token):
            self._name, self._token = name, token
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_icon(QPainter(self), QRectF(self.rect()), self._name, self._token, self._size)
