"""A pane in a window of its own."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from workbench.ui.window.columns import FloatingPane


def test_closing_the_window_says_that_the_pane_can_be_put_back(qtbot):
    parent, pane = QWidget(), QLabel("pane")
    qtbot.addWidget(parent)
    window = FloatingPane(pane, "Inspector", parent)
    window.show()
    assert pane.window() is window
    with qtbot.waitSignal(window.returned):
        window.close()
