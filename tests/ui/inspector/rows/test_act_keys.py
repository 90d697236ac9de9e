"""Keys that tune a row."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from workbench.ui.inspector.rows.act_keys import act_of, digit_of

PLAIN = Qt.KeyboardModifier.NoModifier


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
        (Qt.Key.Key_A, "a", None),
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
