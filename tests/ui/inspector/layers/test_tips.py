"""What a cell tells under the pointer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.painting import act_at, act_key, act_line, act_words, tip_with_acts

VIEW = sample_view()


def row(layer: str, name: str) -> SegmentRow:
    return next(row for each in VIEW.layers for row in each.rows if row.key == (layer, name))


def test_acts_have_their_keys_and_say_what_they_mean():
    turn = row("L4_STRIP", "turns 1-6")
    assert act_words(turn, "leave_out") == "Leave out"
    assert act_line(turn, "leave_out") == "Not sent until you put it back."
    assert act_line(replace(turn, state="excluded"), "leave_out") == "Sent again."
    assert [act_key(act) for act in ("pin", "earlier", "later", "leave_out")] == ["Space", "+", "−", "Del"]


def test_a_cell_offers_what_a_press_on_it_does():
    turn, locked = row("L4_STRIP", "turns 1-6"), row("L1_SYSTEM", "persona")
    assert act_at(turn, Column.PIN) == "pin"
    assert act_at(locked, Column.PIN) is None
    assert act_at(turn, Column.SEGMENT) is None


def test_what_is_left_out_can_be_put_back():
    out = replace(row("L3_TURN", "src/auth.py"), state="excluded")
    assert act_words(out, "leave_out") == "Put back"


def test_a_pin_says_what_it_does():
    file = row("L3_TURN", "src/auth.py")
    assert tip_with_acts(file, Column.PIN).endswith("Pin, never dropped (Space)")
    assert tip_with_acts(replace(file, pinned=True), Column.PIN).endswith("Unpin (Space)")


def test_what_a_key_does_stands_with_the_state_it_would_change():
    told = tip_with_acts(row("L4_STRIP", "turns 1-6"), Column.STATE)
    assert told.split("\n")[-1] == "Leave out (Del)"


def test_what_is_locked_offers_nothing():
    told = tip_with_acts(row("L1_SYSTEM", "persona"), Column.STATE)
    assert "Del" not in told


def test_a_layer_tells_its_reason():
    assert tip_with_acts(VIEW.layers[0], Column.STATE) == "unchanged since turn 1"


@pytest.mark.parametrize("act", ["earlier", "later"])
def test_every_act_has_words(act: str):
    assert act_words(row("L3_TURN", "src/auth.py"), act)  # type: ignore[arg-type]


def test_keys_name_rows():
    assert VIEW.row(RowKey("L3_TURN", "src/auth.py")) is not None
