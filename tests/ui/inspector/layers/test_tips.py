"""What a cell tells under the pointer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.tips import act_words, tip_with_acts

VIEW = sample_view()


def row(layer: str, name: str) -> SegmentRow:
    return next(row for each in VIEW.layers for row in each.rows if row.key == (layer, name))


def test_leaving_out_a_cached_turn_has_its_price():
    told = act_words(VIEW, row("L4_STRIP", "turns 1-6"), "leave_out")
    assert told == "Leave out: re-reads 890 of 4,205 cached tokens"
    assert act_words(VIEW, row("L4_STRIP", "turn 7"), "leave_out") == "Leave out", (
        "nothing cached is behind it"
    )


def test_behind_the_cached_prefix_there_is_no_price():
    assert act_words(VIEW, row("L3_TURN", "src/auth.py"), "leave_out") == "Leave out"


def test_what_is_left_out_can_be_put_back():
    out = replace(row("L3_TURN", "src/auth.py"), state="excluded")
    assert act_words(VIEW, out, "leave_out") == "Put back"


def test_a_pin_says_what_it_does():
    file = row("L3_TURN", "src/auth.py")
    assert tip_with_acts(VIEW, file, Column.PIN).endswith("Pin, so that it never falls (Space)")
    assert tip_with_acts(VIEW, replace(file, pinned=True), Column.PIN).endswith("Let it fall (Space)")


def test_a_price_stands_with_the_state_it_would_change():
    told = tip_with_acts(VIEW, row("L4_STRIP", "turns 1-6"), Column.STATE)
    assert told.split("\n")[-1] == "Leave out: re-reads 890 of 4,205 cached tokens (Del)"


def test_what_is_locked_offers_nothing():
    told = tip_with_acts(VIEW, row("L1_SYSTEM", "persona"), Column.STATE)
    assert "Del" not in told


def test_a_layer_tells_its_reason():
    assert tip_with_acts(VIEW, VIEW.layers[0], Column.STATE) == "unchanged since turn 1"


@pytest.mark.parametrize("act", ["earlier", "later"])
def test_every_act_has_words(act: str):
    assert act_words(VIEW, row("L3_TURN", "src/auth.py"), act)  # type: ignore[arg-type]


def test_keys_name_rows():
    assert VIEW.row(RowKey("L3_TURN", "src/auth.py")) is not None
