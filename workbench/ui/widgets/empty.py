"""What an empty pane shows: what is missing, and what to do next."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.labels import IconSpot, label, set_text

TEXT_WIDTH = 240


class EmptyState(QWidget):
    """An icon, a line, a second line that says what to do, and at most one button."""

    pressed = Signal()

    def __init__(
        self, icon: str, title: str, line: str, button_text: str = "", button_icon: str = "plus"
    ) -> None:
        super().__init__()
        self.title = label(title, "ui_heading", wrap=True)
        self.line = label(line, "small", "t3", wrap=True)
        self.icon = IconSpot(icon, "t3", 24)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        down = rows(self, (16, 16, 16, 16), 4)
        down.addStretch(1)
        down.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignHCenter)
        down.addSpacing(4)
        for text in (self.title, self.line):
            text.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            text.setMaximumWidth(TEXT_WIDTH)
            fill(columns(down), STRETCH, (text, 100), STRETCH)
        self.button = on_click(button(button_text, icon=button_icon), self.pressed)
        if not button_text:
            self.button.hide()  # never shown before it has a place: it would be a window of its own
        down.addSpacing(8)
        down.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        down.addStretch(1)

    def say(self, title: str, line: str) -> None:
        set_text(self.title, title)
        set_text(self.line, line)
