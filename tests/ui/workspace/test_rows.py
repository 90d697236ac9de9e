"""Sections of the page and their rows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from workbench.ui.workspace.rows import RowValue, Section, token_sum


def test_the_keyboard_stays_where_it_was_when_a_row_goes(qtbot: QtBot):
    section = Section("Memory", "Add")
    qtbot.addWidget(section)
    values = [RowValue(key, key, edits=True, removes=True, tokens=3) for key in "abc"]
    section.show_values(values)
    section.show()
    section.rows[1].setFocus(Qt.FocusReason.TabFocusReason)
    section.show_values([values[0], values[2]])
    assert section.window().focusWidget() is section.rows[1]
    same = section.rows[0]
    section.show_values([values[0], values[2]])
    assert section.rows[0] is same
    assert token_sum(3, "facts", 1240) == "3 facts · 1,240 tokens"
