"""The legend says each layer's tokens, and leaves out what has no room."""

from __future__ import annotations

import pytest

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.look.tones import WIRE_ORDER
from workbench.ui.widgets.budget_bar.bar import Legend
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment

BAR = BarModel(tuple(BarSegment(RowKey(layer, "a"), 1060) for layer in WIRE_ORDER), 16_000, 2000)


@pytest.fixture
def legend(qtbot) -> Legend:
    made = Legend()
    qtbot.addWidget(made)
    made.show_bar(BAR)
    return made


def inked(legend: Legend) -> list[int]:
    image = legend.grab().toImage()
    ground = image.pixelColor(image.width() - 1, 0)
    return [
        x
        for x in range(image.width())
        if any(image.pixelColor(x, y) != ground for y in range(image.height()))
    ]


def test_it_can_be_read_aloud(legend: Legend):
    assert (
        legend.accessibleName()
        == "System 1,060, Library 1,060, History 1,060, This turn 1,060, Your message 1,060"
    )


def test_the_patterns_stand_at_the_end_where_there_is_room(legend: Legend):
    legend.resize(760, 20)
    assert inked(legend)[-1] > 740


def test_on_a_narrow_bar_the_patterns_go(legend: Legend):
    legend.resize(660, 20)
    assert inked(legend)[-1] < 600


def test_a_layer_without_room_is_left_out_whole(legend: Legend):
    legend.resize(130, 20)
    assert inked(legend)[-1] < 120
