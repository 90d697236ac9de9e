"""Figures, bar and legend: one source."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import over_view, sample_view
from tests.fakes.sample_state import sample_trial
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui import formatting
from workbench.ui.inspector.bar import BarBlock


@pytest.fixture
def block(qtbot: QtBot) -> BarBlock:
    made = BarBlock()
    qtbot.addWidget(made)
    made.resize(752, 160)
    made.show_request(sample_view(), None)
    made.show()
    return made


@pytest.mark.parametrize("view", [sample_view(), over_view()])
def test_all_parts_show_the_same_request(block: BarBlock, view):
    block.show_request(view, None)
    assert block.bar.bar().total_tokens == view.total_tokens
    assert block.figures.total.figure() == formatting.tokens(view.total_tokens)
    for layer in view.layers:
        assert formatting.tokens(layer.tokens) in block.legend.accessibleName()


def test_a_trial_is_a_ghost_and_takes_room(block: BarBlock):
    before = block.sizeHint().height()
    block.show_request(sample_view(), sample_trial())
    assert block.sizeHint().height() > before
    block.show_request(sample_view(), None)
    assert block.sizeHint().height() == before


def test_its_height_is_that_of_the_picture(block: BarBlock):
    assert block.sizeHint().height() == 134
    block.show_request(sample_view(), sample_trial())
    assert block.sizeHint().height() == 159


def test_a_segment_that_is_chosen_elsewhere_has_the_cursor(block: BarBlock):
    key = RowKey("L3_TURN", "src/auth.py")
    block.select(key)
    assert block.bar.cursor_key() == key
