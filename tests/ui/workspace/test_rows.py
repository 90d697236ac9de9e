"""Parts of a workspace's page: rows and their sum, a line that is edited in its place, and whom a change reaches."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.domain.record import Chat
from workbench.domain.shown.reach import ChatReach
from workbench.ui.workspace.page import ReachLine, reach_lines
from workbench.ui.workspace.rows import RowValue, Section, token_sum
from workbench.ui.workspace.sections import InlineEditor


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
    assert token_sum("3 facts", 1240) == "3 facts · 1,240 tokens"


NOW = "2026-11-12T14:00:00Z"
CHATS = tuple(Chat(key, NOW, key.upper()) for key in "abcde")


def test_warm_ones_one_by_one_cold_ones_together_and_unknown_ones_are_called_so(qapp: object):
    reach = {
        "a": ChatReach("a", True, "2026-11-12T14:00:48Z", 6016, 0.0018),
        "b": ChatReach("b", True, "2026-11-12T14:03:12Z", 8064, 0.0024),
        "c": ChatReach("c", True, "2026-11-12T13:00:00Z", 900, 0.001),
        "d": ChatReach("d"),
    }
    assert reach_lines(CHATS, reach, NOW) == (
        ReachLine("B", "3:12", "8,064", "+$0.0024", "warn"),
        ReachLine("A", "0:48", "6,016", "+$0.0018", "warn"),
        ReachLine("1 other", "cold", "0", "no cost", "ok"),
        ReachLine("2 unknown", "–", "–", "–", "t3"),
        ReachLine("5 chats", "", "14,080", "+$0.0042", "warn"),
    )


def test_a_model_on_this_computer_costs_time_and_a_price_nobody_knows_is_not_made_up(qapp: object):
    later = "2026-11-12T15:00:00Z"
    reach = {"a": ChatReach("a", True, "", 100, 0.0, local=True), "b": ChatReach("b", True, later, 50, None)}
    prices = {line.name: (line.warm, line.price) for line in reach_lines(CHATS[:2], reach, NOW)}
    assert prices == {
        "A": ("not known", "only time"), "B": ("60:00", "price not known"), "2 chats": ("", "price not known")
    }  # fmt: skip


def test_it_keeps_with_a_key_and_leaves_at_once_what_was_not_changed(qtbot: QtBot):
    editor = InlineEditor("Text", "Name")
    qtbot.addWidget(editor)
    editor.open("old", "Review")
    with qtbot.waitSignal(editor.saved) as saved:
        QTest.keyClick(editor.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert saved.args == ["Review", "old", ""]
    with qtbot.waitSignal(editor.left):
        QTest.keyClick(editor.name, Qt.Key.Key_Escape)
    assert editor.isHidden()
