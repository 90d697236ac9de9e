"""The composer's parts and the border around them."""

from __future__ import annotations

from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_attachments
from workbench.domain.parameters import Unsent
from workbench.ui.chat.composer.frame import ComposerFrame
from workbench.ui.look.theme import Theme


def frame_of(qtbot: QtBot) -> ComposerFrame:
    frame = ComposerFrame()
    qtbot.addWidget(frame)
    frame.resize(566, frame.sizeHint().height())
    return frame


def test_without_focus_the_border_is_quiet(qtbot: QtBot, theme: Theme):
    frame = frame_of(qtbot)
    image = frame.grab().toImage()
    assert image.pixelColor(image.width() // 2, 0) == QColor(theme.edge)
    assert image.pixelColor(image.width() // 2, 6) == QColor(theme.raised)
    assert image.pixelColor(4, image.height() - 20) == QColor(theme.chrome)


def test_too_much_is_a_red_border_and_a_band(qtbot: QtBot, theme: Theme):
    frame = frame_of(qtbot)
    frame.over.show_over(100, ())
    frame.resize(566, frame.sizeHint().height())
    image = frame.grab().toImage()
    assert image.pixelColor(image.width() // 2, 1) == QColor(theme.errline)
    assert image.pixelColor(image.width() // 2, 4) == QColor(theme.err_tint)


def test_the_corners_are_round_over_every_part(qtbot: QtBot):
    """A part that paints its own ground would stick out of the corners."""
    frame = frame_of(qtbot)
    frame.setStyleSheet("")
    ground = frame.palette().window().color()
    frame.over.show_over(100, ())
    frame.resize(566, frame.sizeHint().height())
    image = frame.grab().toImage()
    corners = [(0, 0), (image.width() - 1, 0), (0, image.height() - 1)]
    assert [image.pixelColor(x, y) for x, y in corners] == [ground] * 3


def test_chips_take_room_only_where_there_are_some(qtbot: QtBot):
    frame = frame_of(qtbot)
    frame.show()
    without = frame.sizeHint().height()
    frame.chips.show_rows(sample_attachments())
    frame.close_up()
    qtbot.waitUntil(lambda: frame.sizeHint().height() == without + 24 + 4)


def test_a_parameter_that_stays_out_is_said_as_long_as_it_does(qtbot: QtBot):
    frame = frame_of(qtbot)
    assert frame.unsent.isHidden()
    frame.unsent.show_unsent((Unsent("temperature", "it takes none"), Unsent("seed", "it has none")))
    assert not frame.unsent.isHidden()
    assert frame.unsent.words.text() == "Not sent: temperature (it takes none); seed (it has none)"
    frame.unsent.show_unsent(())
    assert frame.unsent.isHidden()
