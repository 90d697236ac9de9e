"""Menus in our look."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from workbench.ui.look.icons import icon
from workbench.ui.look.theme import Theme
from workbench.ui.widgets.menu import menu


def test_a_menu_has_our_ground_and_round_corners(theme: Theme, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    made = menu(parent)
    action = made.addAction(icon("copy"), "Copy")
    action.setCheckable(True)
    action.setChecked(True)
    made.addAction("Delete")
    made.popup(QPoint(0, 0))
    image = made.grab().toImage()
    made.close()
    assert made.parent() is parent
    assert made.windowFlags() & Qt.WindowType.FramelessWindowHint
    assert image.pixelColor(image.width() // 2, 3) == QColor(theme.raised)
    assert image.pixelColor(0, 0).alpha() == 0
