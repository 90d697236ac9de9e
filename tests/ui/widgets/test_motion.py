"""Motion: short, and none at all for those who want none."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from workbench.ui.widgets.motion import Glide, duration, is_still, reduce_motion


@pytest.fixture
def widget(qtbot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


def test_nothing_moves_when_it_was_switched_off(widget: QWidget):
    assert duration(widget, 160) == 0
    assert is_still(widget)


def test_things_move_otherwise(widget: QWidget, moving):
    assert duration(widget, 160) == 160


def test_what_is_not_seen_does_not_move(widget: QWidget, moving):
    widget.hide()
    assert duration(widget, 160) == 0


def test_it_can_be_switched_off_and_on(widget: QWidget, moving):
    reduce_motion(True)
    assert is_still(widget)
    reduce_motion(False)
    assert not is_still(widget)


class Watched(Glide):
    """Keeps what it told."""

    def __init__(self, owner: QObject) -> None:
        super().__init__(owner)
        self.steps: list[float] = []
        self.moved.connect(self.steps.append)


@pytest.fixture
def glide(qapp):
    owner = QObject()
    yield Watched(owner)
    owner.deleteLater()


def test_without_time_it_arrives_at_once_every_time(glide: Watched, qtbot):
    """Qt tells nothing about an animation without duration that ends where the last one ended."""
    for _ in range(2):
        with qtbot.waitSignal(glide.settled):
            glide.go(0.0, 1.0, 0)
    assert glide.steps == [1.0, 1.0]


def test_with_time_it_passes_what_lies_between(glide: Watched, qtbot):
    with qtbot.waitSignal(glide.settled):
        glide.go(0.0, 10.0, 80)
    assert glide.steps[-1] == 10.0
    assert glide.steps == sorted(glide.steps)
    assert len(glide.steps) > 2


def test_a_new_way_replaces_the_old_one(glide: Watched, qtbot):
    glide.go(0.0, 10.0, 5000)
    with qtbot.waitSignal(glide.settled):
        glide.go(3.0, 4.0, 20)
    assert glide.steps[-1] == 4.0
    assert max(glide.steps) <= 4.0
