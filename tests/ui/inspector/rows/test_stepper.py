"""One of several, with a step back and a step on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.ui.inspector.rows.row_acts import Stepper


def test_it_says_which_of_how_many_and_stops_at_the_ends(qtbot):
    made = Stepper("Before", "After")
    qtbot.addWidget(made)
    made.show_place(1, 4)
    assert (made.words(), made.before.isEnabled(), made.after.isEnabled()) == ("1 of 4", False, True)
    made.show_place(4, 4)
    assert (made.words(), made.before.isEnabled(), made.after.isEnabled()) == ("4 of 4", True, False)
    made.show_place(0, 4)
    assert made.words() == "4 in all"


def test_clicks_tell_the_direction(qtbot):
    made = Stepper("Before", "After")
    qtbot.addWidget(made)
    made.show_place(2, 4)
    steps: list[int] = []
    made.stepped.connect(steps.append)
    QTest.mouseClick(made.before, Qt.MouseButton.LeftButton)
    QTest.mouseClick(made.after, Qt.MouseButton.LeftButton)
    assert steps == [-1, 1]


def test_both_buttons_have_a_name(qtbot):
    made = Stepper("Previous segment", "Next segment")
    qtbot.addWidget(made)
    assert [made.before.accessibleName(), made.after.accessibleName()] == ["Previous segment", "Next segment"]
