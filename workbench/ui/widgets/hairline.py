"""Lines of one pixel between parts."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


class Hairline(QWidget):
    """A line across, or an upright one; `look/dressing.py` gives it its colour."""

    def __init__(self, upright: bool = False) -> None:
        super().__init__()
        self.setObjectName("hairline")
        if upright:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
