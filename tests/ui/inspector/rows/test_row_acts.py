"""What can be done with a row, and the steps that do it."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.engine.tuning_intents import TuneAttached, TuneMessages
from workbench.ui.inspector.rows.row_acts import can, can_prioritise, priority_step, step_for

CHAT_STATE = sample_state().open[CHAT]
FILE = RowKey("L3_TURN", "src/auth.py")
TURN = RowKey("L4_STRIP", "turn 7")
LOCKED = RowKey("L1_SYSTEM", "persona")


def row(key: RowKey) -> SegmentRow:
    found = sample_view().row(key)
    assert found is not None
    return found


def priorities(change: object) -> dict[str, int]:
    assert isinstance(change, TuneAttached)
    return {artifact.key: artifact.priority for artifact in change.of(CHAT_STATE.conversation.attached)}


def test_a_file_can_be_prioritised_a_turn_and_the_persona_cannot():
    assert [can_prioritise(row(key)) for key in (FILE, TURN, LOCKED)] == [True, False, False]


def test_a_turn_can_be_pinned_and_left_out_what_is_locked_cannot():
    assert [can(row(TURN), act) for act in ("pin", "leave_out")] == [True, True]
    assert [can(row(LOCKED), act) for act in ("pin", "leave_out")] == [False, False]
    assert step_for(CHAT_STATE, row(LOCKED), "pin") is None


def test_a_higher_number_falls_earlier():
    step = step_for(CHAT_STATE, row(FILE), "earlier")
    assert step is not None
    assert priorities(step.do[0])["src/auth.py"] == 6
    later = step_for(CHAT_STATE, row(FILE), "later")
    assert later is not None
    assert priorities(later.do[0])["src/auth.py"] == 4


def test_a_priority_ends_at_its_ends():
    assert not can(replace(row(FILE), priority=10), "earlier")
    assert not can(replace(row(FILE), priority=0), "later")


def test_typing_a_priority_is_one_step():
    step = priority_step(CHAT_STATE, row(FILE), 9)
    assert step is not None
    assert priorities(step.do[0])["src/auth.py"] == 9
    assert priority_step(CHAT_STATE, row(TURN), 9) is None


def test_leaving_a_turn_out_leaves_out_its_messages():
    step = step_for(CHAT_STATE, row(TURN), "leave_out")
    assert step is not None
    change = step.do[0]
    assert isinstance(change, TuneMessages)
    assert change.leave_out == {"m13", "m14"}
