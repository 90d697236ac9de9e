"""Lines between parts."""

from __future__ import annotations

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.hairline import Hairline


def test_a_line_is_one_pixel_in_the_colour_of_lines(theme: Theme, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    across, upright = Hairline(), Hairline(upright=True)
    for line in (across, upright):
        line.setParent(parent)
    parent.show()
    assert (across.height(), upright.width()) == (1, 1)
    assert across.grab().toImage().pixelColor(0, 0) == QColor(theme.line)
