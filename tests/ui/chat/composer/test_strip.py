"""The strip under the message."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import over_view, sample_view
from workbench.ui.chat.composer.strip import Strip, StripFigure, figures_of
from workbench.ui.look.theme import LIGHT


def strip_of(qtbot: QtBot, width: int = 562) -> Strip:
    strip = Strip()
    qtbot.addWidget(strip)
    strip.show_view(sample_view())
    strip.set_send("ready", "")
    strip.resize(width, strip.sizeHint().height())
    strip.show()
    return strip


def test_bar_and_figures_come_from_one_request(qtbot: QtBot):
    strip = strip_of(qtbot)
    assert strip.bar.bar().total_tokens == sample_view().total_tokens
    assert strip.shown_figures() == ("total", "files", "room", "cached", "cost")


def test_a_narrow_strip_loses_free_and_exact(qtbot: QtBot):
    strip = strip_of(qtbot, 430)
    assert strip.shown_figures() == ("total", "files", "cached")
    strip.resize(640, strip.height())
    assert "exact" in strip.shown_figures()


def test_it_can_be_made_narrower_than_all_its_figures(qtbot: QtBot):
    """Otherwise the chat could not be made narrow, and the window would grow."""
    strip = strip_of(qtbot)
    assert strip.minimumSizeHint().width() < 300


@pytest.mark.parametrize(
    ("state", "text", "icon", "enabled"),
    [
        ("ready", "Send", "send", True),
        ("waiting", "Send", "send", False),
        ("blocked", "Send", "lock", False),
        ("running", "Stop", "stop", True),
    ],
)
def test_the_button_says_what_it_does(qtbot: QtBot, state: str, text: str, icon: str, enabled: bool):
    strip = strip_of(qtbot)
    strip.set_send(state, "because")  # type: ignore[arg-type]
    assert (strip.send.text(), strip.send.icon_name(), strip.send.isEnabled()) == (text, icon, enabled)
    assert strip.send.accessibleDescription() == "because"


def test_the_button_sends_or_stops(qtbot: QtBot):
    strip = strip_of(qtbot)
    with qtbot.waitSignal(strip.send_pressed):
        strip.send.click()
    strip.set_send("running", "")
    with qtbot.waitSignal(strip.stop_pressed):
        strip.send.click()


def test_a_figure_that_gets_shorter_moves_nothing_beside_it(qtbot: QtBot):
    made = StripFigure()
    qtbot.addWidget(made)
    wide = figures_of(replace(sample_view(), limit_tokens=200_000))[1]
    made.show_figure(wide._replace(value="188.3k"), narrow=False, first=False)
    before = made.sizeHint()
    made.show_figure(wide._replace(value="9"), narrow=False, first=False)
    assert made.sizeHint() == before


def test_over_the_limit_the_figure_is_red_and_says_so(qtbot: QtBot):
    strip = strip_of(qtbot)
    strip.show_view(over_view())
    place = strip._places["room"]
    figure = place.figure()
    assert figure is not None
    assert figure.unit == "over the limit"
    image = place.grab().toImage()
    reds = sum(
        image.pixelColor(x, y) == QColor(LIGHT.err)
        for x in range(image.width())
        for y in range(image.height())
    )
    assert reds


def test_before_anything_is_counted_it_says_nothing_wrong(qtbot: QtBot):
    strip = strip_of(qtbot)
    strip.show_view(None)
    assert strip.shown_figures() == ("total",)


def test_every_figure_is_named_and_says_why(qtbot: QtBot):
    strip = strip_of(qtbot)
    for place in strip._places.values():
        assert place.accessibleName()
        assert place.accessibleDescription()
        assert place.toolTip()
