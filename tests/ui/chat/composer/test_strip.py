"""The strip under the message."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import over_view, sample_view
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui.chat.composer.strip import (
    FIRST_TO_GO,
    NARROW_PX,
    NOTHING,
    Figure,
    FigureName,
    Strip,
    StripFigure,
    figures_of,
    fitting,
    left_out,
)
from workbench.ui.look.theme import LIGHT
from workbench.ui.widgets.budget_bar.bar import flag_words
from workbench.ui.widgets.budget_bar.segments import bar_of


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
    made.show_in_strip(wide._replace(value="188.3k"), narrow=False, first=False)
    before = made.sizeHint()
    made.show_in_strip(wide._replace(value="9"), narrow=False, first=False)
    assert made.sizeHint() == before


def test_after_an_overshoot_the_same_figures_are_there_as_before(qtbot: QtBot):
    """ "exact" was gone for good: the total kept the room of "20.1k"."""
    strip = strip_of(qtbot)
    small = replace(sample_view(), total_tokens=900)
    strip.show_view(small)
    strip.resize(2000, strip.sizeHint().height())
    least = NARROW_PX
    while strip.width() != least or "exact" not in strip.shown_figures():
        least += strip.width() == least
        strip.resize(least, strip.height())
    strip.show_view(replace(small, total_tokens=1_234_567))
    strip.show_view(small)
    assert "exact" in strip.shown_figures()


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


def figures(view: EnvelopeView | None) -> dict[FigureName, Figure]:
    return {figure.name: figure for figure in figures_of(view)}


def test_the_figures_are_those_of_the_picture(qapp: object):
    found = [(each.value, each.rest, each.unit) for each in figures_of(sample_view())]
    assert found == [
        ("11.7k", "/ 16k", "tokens in request"),
        ("3", "of 4", "files"),
        ("4.3k", "", "free"),
        ("36 %", "", "cached"),
        ("≈ $0.004", "", "this turn"),
        ("exact", "", "token count"),
    ]


def test_how_many_files_go_out_is_said_where_it_is_not_all_of_them(qapp: object):
    """58 of 177, always: 119 once fell without a word."""
    assert left_out(sample_view()) == {"logs/big.log"}
    kept = [
        replace(layer, rows=tuple(r for r in layer.rows if r.state != "dropped"))
        for layer in sample_view().layers
    ]
    assert "files" not in figures(replace(sample_view(), layers=tuple(kept)))
    assert "files" not in FIRST_TO_GO
    assert left_out(None) == frozenset()


def test_over_the_limit_the_first_two_say_so(qapp: object):
    found = figures(over_view())
    assert (found["total"].value, found["total"].token) == ("30.5k", "err")
    assert (found["room"].value, found["room"].unit, found["room"].token) == (
        "+14,486",
        "over the limit",
        "err",
    )


def test_what_nobody_knows_is_not_made_up(qapp: object):
    view = replace(sample_view(), cached_tokens=None, cost_usd=None)
    assert figures(view)["cached"].value == NOTHING
    assert figures(view)["cost"].value == NOTHING
    assert [figure.name for figure in figures_of(None)] == ["total"]


def test_an_estimate_says_so_even_where_only_the_first_figure_is_left(qapp: object):
    found = figures(replace(sample_view(), exact=False))
    assert found["total"].value == "≈ 11.7k"
    assert found["room"].value.startswith("≈ "), "33 stood beside ≈ 33"
    assert (found["exact"].value, found["exact"].token) == ("estimate", "warn")


def test_what_another_computer_counts_only_at_send_is_said(qapp: object):
    found = figures(replace(sample_view(), exact=False, counted_at_send=True))
    assert (found["exact"].value, found["exact"].unit) == ("estimate", "counted at Send")
    assert "only when you send it" in found["exact"].why


def test_a_forecast_that_the_server_itself_gave_says_so(qapp: object):
    told = replace(sample_view(), cached_tokens=10, cached_exact=True)
    assert "as the server reports" in figures(told)["cached"].why


def test_an_assumed_window_is_called_so_and_leads_to_where_it_is_set(qtbot):
    """32,768 was shown as a fact for models that nobody knows."""
    view = replace(sample_view(), window_assumed=True)
    figure = figures(view)["total"]
    assert "assumed" in figure.unit
    assert "assumed" in figure.short_unit
    assert figure.pressable
    assert "assumed limit 16,000" in flag_words(bar_of(view))["limit"]
    strip = Strip()
    qtbot.addWidget(strip)
    strip.show_view(sample_view())
    with qtbot.assertNotEmitted(strip.window_pressed):
        qtbot.mouseClick(strip._places["total"], Qt.MouseButton.LeftButton)
    strip.show_view(view)
    with qtbot.waitSignal(strip.window_pressed):
        qtbot.mouseClick(strip._places["total"], Qt.MouseButton.LeftButton)


def test_a_model_on_this_computer_costs_nothing(qapp: object):
    cost = figures(replace(sample_view(), local=True, cost_usd=0.0))["cost"]
    assert (cost.value, cost.unit) == ("no cost", "runs here")


def test_every_figure_says_why(qapp: object):
    assert all(figure.why for view in (sample_view(), over_view(), None) for figure in figures_of(view))
    assert "11,686 of 16,000" in figures(sample_view())["total"].why


WIDTHS: dict[FigureName, float] = {"total": 90, "room": 60, "cached": 60, "cost": 90, "exact": 90}


def test_a_narrow_strip_loses_what_is_free_and_exact():
    assert fitting(WIDTHS, 1000, 499) == {"total", "cached", "cost"}
    assert fitting(WIDTHS, 1000, 500) == set(WIDTHS)


def test_over_the_limit_the_overshoot_goes_last():
    assert fitting(WIDTHS, 1000, 499, over=True) == {"total", "room", "cached", "cost"}
    assert fitting(WIDTHS, 150, 800, over=True) == {"total", "room"}
    assert fitting(WIDTHS, 149, 800, over=True) == {"total"}


@given(st.floats(0, 500))
def test_what_is_shown_has_room_and_the_first_figure_always_stays(room: float):
    kept = fitting(WIDTHS, room, 800)
    assert "total" in kept
    assert sum(WIDTHS[name] for name in kept) <= room or kept == {"total"}
    gone = [name for name in FIRST_TO_GO if name not in kept]
    assert gone == list(FIRST_TO_GO[: len(gone)])


def test_an_estimate_that_was_corrected_says_how_far_it_may_be_off(qapp: object):
    view = replace(sample_view(), exact=False, spread=0.052)
    assert figures(view)["exact"].value == "estimated ± 6 %"
