"""A pane in a window of its own; closing that window puts the pane back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.space import rows


class FloatingPane(QWidget):
    """Holds a pane while it is out of the main window.

    Signals:
        returned: the window was closed, and the pane waits to be put back.
    """

    returned = Signal()

    def __init__(self, pane: QWidget, title: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("chrome")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle(title)
        rows(self).addWidget(pane)
        self.resize(pane.size())
        pane.show()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        self.returned.emit()
