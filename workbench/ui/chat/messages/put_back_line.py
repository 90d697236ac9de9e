"""Under a message that is left out: the way to put it back, and what that means."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.look.space import columns, fill
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.labels import ElidedLabel


class PutBackLine(QWidget):
    """A button and a line."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = on_click(button(self.tr("Put back"), icon="undo", size="small"), self.pressed)
        words = ElidedLabel(self.tr("left out of the next request; the chat keeps it"), "small", "t3")
        fill(columns(self, spacing=8), self.button, (words, 1))
