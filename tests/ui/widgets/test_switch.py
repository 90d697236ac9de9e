"""A switch is turned by pointer and by key, and looks it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.widgets.switch import HEIGHT, WIDTH, Switch


def test_it_turns_and_shows_it(qtbot: QtBot):
    made = Switch("read", on=False)
    qtbot.addWidget(made)
    made.show()
    off = made.grab().toImage()
    QTest.keyClick(made, Qt.Key.Key_Space)
    assert made.isChecked()
    assert made.grab().toImage() != off
    assert (made.accessibleName(), made.sizeHint().width(), made.sizeHint().height()) == (
        "read",
        WIDTH,
        HEIGHT,
    )
