"""What can be done with a row, and the steps that do it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.recall import Found
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.engine.tuning_intents import TuneAttached, TuneMessages
from workbench.ui.inspector.rows.row_acts import (
    act_of,
    can,
    can_prioritise,
    digit_of,
    priority_step,
    step_for,
)

CHAT_STATE = sample_state().open[CHAT]
FILE = RowKey("L3_TURN", "src/auth.py")
TURN = RowKey("L4_STRIP", "turn 7")
LOCKED = RowKey("L1_SYSTEM", "persona")
PLAIN = Qt.KeyboardModifier.NoModifier


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


def test_more_of_a_quote_is_what_comes_next_in_its_file():
    found = Found("/docs/a.md#L1-9", 1.0, "quoted", after=("/docs/a.md#L10-20", "/docs/a.md#L21-30"))
    quote = replace(row(FILE), found=found)
    step = step_for(CHAT_STATE, quote, "more")
    assert step is not None
    assert step.do == (TuneMessages(CHAT, always=frozenset(found.after)),)
    assert step.undo == (TuneMessages(CHAT, as_found=frozenset(found.after)),)
    assert not can(replace(quote, found=replace(found, after=())), "more")
    assert not can(row(FILE), "more")


def test_leaving_a_turn_out_leaves_out_its_messages():
    step = step_for(CHAT_STATE, row(TURN), "leave_out")
    assert step is not None
    change = step.do[0]
    assert isinstance(change, TuneMessages)
    assert change.leave_out == {"m13", "m14"}


def pressed(key: Qt.Key, text: str = "", modifiers: Qt.KeyboardModifier = PLAIN) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text)


@pytest.mark.parametrize(
    ("key", "text", "act"),
    [
        (Qt.Key.Key_Space, " ", "pin"),
        (Qt.Key.Key_Plus, "+", "earlier"),
        (Qt.Key.Key_Minus, "-", "later"),
        (Qt.Key.Key_Delete, "", "leave_out"),
        (Qt.Key.Key_Equal, "=", None),
        (Qt.Key.Key_A, "a", "whole"),
        (Qt.Key.Key_B, "b", None),
    ],
)
def test_each_key_does_one_thing(key: Qt.Key, text: str, act: str | None):
    assert act_of(pressed(key, text)) == act


def test_a_plus_counts_wherever_it_stands_on_the_keyboard():
    assert act_of(pressed(Qt.Key.Key_Equal, "+", Qt.KeyboardModifier.ShiftModifier)) == "earlier"
    assert act_of(pressed(Qt.Key.Key_Plus, "+", Qt.KeyboardModifier.KeypadModifier)) == "earlier"


def test_with_a_command_key_it_is_somebody_elses():
    assert act_of(pressed(Qt.Key.Key_Plus, "+", Qt.KeyboardModifier.ControlModifier)) is None
    assert digit_of(pressed(Qt.Key.Key_1, "1", Qt.KeyboardModifier.AltModifier)) is None


def test_digits_are_the_ten_of_a_keyboard():
    assert digit_of(pressed(Qt.Key.Key_7, "7")) == 7
    assert digit_of(pressed(Qt.Key.Key_7, "٧")) is None
    assert digit_of(pressed(Qt.Key.Key_A, "a")) is None
