"""The veil over a window while a dialog is open."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.theme import theme_of


class Veil(QWidget):
    """Dims what is below it, hidden at first; `pressed` when it is clicked."""

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.pressed.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(theme_of(self).scrim))


class Scrim(Veil):
    """A veil over a whole widget while something else has to be answered."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parent():
            self._cover()
        return False

    def showEvent(self, event: QShowEvent) -> None:
        """Cover the parent; it is watched only now, since a filter is asked about every event."""
        super().showEvent(event)
        self.parent().installEventFilter(self)
        self._cover()
        self.raise_()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.parent().removeEventFilter(self)

    def _cover(self) -> None:
        self.setGeometry(self.parentWidget().rect())
