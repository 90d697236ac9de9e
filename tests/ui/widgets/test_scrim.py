"""The veil over a window."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.ui.widgets.scrim import Scrim


def test_the_veil_covers_the_window_also_when_it_grows(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    window.show()
    scrim = Scrim(window)
    assert scrim.isHidden()
    scrim.show()
    assert scrim.geometry() == window.rect()
    window.resize(500, 400)
    assert scrim.geometry() == window.rect()


def test_the_veil_darkens(qtbot, theme):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(100, 100)
    window.show()
    before = window.grab().toImage().pixelColor(50, 50)
    scrim = Scrim(window)
    scrim.show()
    after = window.grab().toImage().pixelColor(50, 50)
    assert after != before


def test_a_lifted_veil_leaves_the_window_alone(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    window.show()
    scrim = Scrim(window)
    scrim.show()
    scrim.hide()
    window.resize(500, 400)
    assert scrim.width() == 300
