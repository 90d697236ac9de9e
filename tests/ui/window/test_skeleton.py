"""The window before its panes are there."""

from __future__ import annotations

from workbench.ui.look.theme import LIGHT
from workbench.ui.window.main_window import Skeleton


def test_the_grounds_are_where_the_columns_will_be(qtbot):
    skeleton = Skeleton()
    qtbot.addWidget(skeleton)
    skeleton.resize(1600, 1000)
    picture = skeleton.grab().toImage()
    ratio = picture.devicePixelRatio()
    assert picture.pixelColor(int(100 * ratio), int(500 * ratio)).name() == LIGHT.chrome.lower()
    assert picture.pixelColor(int(500 * ratio), int(500 * ratio)).name() == LIGHT.surface.lower()
    assert picture.pixelColor(int(1500 * ratio), int(500 * ratio)).name() == LIGHT.chrome.lower()
