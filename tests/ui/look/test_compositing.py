"""Where nothing composites, windows are cut to their shape: what should be clear was black."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.look import compositing
from workbench.ui.look.compositing import is_composited, round_corners, shape


def test_the_room_for_a_shadow_and_the_corners_are_not_part_of_the_shape(qapp):
    seen = shape(200, 100, 24, 10)
    assert seen.boundingRect().getRect() == (24, 24, 152, 52)
    assert seen.contains(QPoint(100, 50))
    assert not seen.contains(QPoint(25, 25))
    assert not seen.contains(QPoint(5, 5))


@pytest.mark.parametrize("composited", [True, False])
def test_a_window_is_cut_only_where_it_must_be_and_follows_its_size(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, composited: bool
):
    monkeypatch.setattr(compositing, "is_composited", lambda: composited)
    window = QWidget()
    qtbot.addWidget(window)
    for _ in range(2):
        round_corners(window, 24, 10)
    window.resize(300, 200)
    window.show()
    window.resize(400, 300)
    assert window.mask().isEmpty() is composited
    assert window.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground) is composited
    if not composited:
        assert window.mask().boundingRect().getRect() == (24, 24, 352, 252)


def test_without_an_x_server_windows_are_composited(qapp):
    assert is_composited()
