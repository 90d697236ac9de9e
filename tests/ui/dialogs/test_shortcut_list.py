"""All shortcuts: finding one of them, and changing keys without two commands getting the same."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.fakes.widgets import all_of
from workbench.ui.commands import specs, with_keys
from workbench.ui.dialogs.shortcut_list import KeysEdit, Line, ShortcutList, in_panes


@pytest.fixture
def listed(qtbot: QtBot) -> ShortcutList:
    dialog = ShortcutList(specs(), {})
    qtbot.addWidget(dialog)
    dialog.resize(900, 700)
    dialog.show()
    dialog.table.setFocus()
    return dialog


def lines(listed: ShortcutList) -> list[Line]:
    return [line for row in listed.lines.items for line in row if line.id or line.keys]


def index_of(listed: ShortcutList, command: str) -> QModelIndex:
    return next(
        listed.lines.index(number, column)
        for number, row in enumerate(listed.lines.items)
        for column, line in enumerate(row)
        if line.id == command
    )


def editor(listed: ShortcutList) -> KeysEdit:
    return next(edit for edit in all_of(KeysEdit, listed) if edit.isVisible())


def choose(listed: ShortcutList, command: str, keys: str) -> None:
    """What recording them ends with."""
    listed.table.keys.typed.emit(command, keys)


def keys_of(listed: ShortcutList, command: str) -> str:
    return next(line.keys for line in lines(listed) if line.id == command)


def test_keys_are_recorded_in_place_by_keyboard_and_by_mouse(listed: ShortcutList):
    told: list[object] = []
    listed.changed.connect(told.append)
    table = listed.table
    table.setCurrentIndex(index_of(listed, "rename-chat"))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert editor(listed).accessibleName() == "Keys of: Rename this chat"
    QTest.keyClick(editor(listed), Qt.Key.Key_F9)
    assert told.pop() == {"rename-chat": "F9"}
    QApplication.processEvents()
    assert table.hasFocus()
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert (told.pop(), keys_of(listed, "rename-chat")) == ({}, "F2")
    box = table.visualRect(index_of(listed, "new-chat"))
    keys, arrow = (QPoint(box.right() - gap, box.center().y()) for gap in (90, 26))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=keys)
    QTest.keyClick(editor(listed), Qt.Key.Key_Backspace)
    assert told.pop() == {"new-chat": ""}
    QApplication.processEvents()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=arrow)
    assert told.pop() == {}
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=keys)
    QTest.keyClick(editor(listed), Qt.Key.Key_Escape)
    assert (told, keys_of(listed, "new-chat")) == ([], "Ctrl+N")


def test_arrows_go_from_command_to_command_past_headings(listed: ShortcutList):
    assert listed.lines.line(listed.table.currentIndex()).id == specs()[0].id
    QTest.keyClick(listed.table, Qt.Key.Key_Right)
    assert listed.lines.line(listed.table.currentIndex()).id == "edit-instructions"
    for _ in listed.lines.items:
        QTest.keyClick(listed.table, Qt.Key.Key_Down)
        assert listed.lines.line(listed.table.currentIndex()) in lines(listed)


def test_columns_whose_words_have_no_room_go_one_below_the_other(listed: ShortcutList):
    """Beside the list of pages, in a small window, every title was an ellipsis."""
    undo = next(number for number, line in enumerate(lines(listed)) if line.id == "undo")
    assert index_of(listed, "undo").column() == 1
    listed.resize(560, 500)
    assert index_of(listed, "undo").column() == 0
    assert listed.table.isColumnHidden(1)
    assert {line.id for line in lines(listed)} >= {spec.id for spec in specs()}
    assert [line.id for line in lines(listed)].index("undo") > undo
    assert listed.table.columnWidth(0) > 500


def test_every_command_is_listed(listed: ShortcutList):
    assert len(lines(listed)) == len(specs()) + len(in_panes())
    assert {line.id for line in lines(listed)} - {""} == {spec.id for spec in specs()}


def test_typing_leaves_only_what_fits(listed: ShortcutList):
    for typed in ("chat rename", "ctrl+k"):
        assert listed.show_words(typed)
        assert len(lines(listed)) == 1
    assert not listed.show_words("no such words")
    assert len(lines(listed)) == len(specs()) + len(in_panes())


def test_a_second_key_is_listed_as_long_as_it_holds(listed: ShortcutList):
    wanted = {spec.id: spec.also for spec in specs() if spec.also}
    assert {line.id: line.also for line in lines(listed) if line.also} == wanted
    choose(listed, "undo", "Ctrl+Alt+U")
    assert "undo" not in {line.id for line in lines(listed) if line.also}
    listed.all.click()
    assert {line.id: line.also for line in lines(listed) if line.also} == wanted


def test_keys_are_changed_taken_away_and_reset(listed: ShortcutList):
    told: list[object] = []
    listed.changed.connect(told.append)
    choose(listed, "new-chat", "Ctrl+Alt+J")
    choose(listed, "about", "F9")
    choose(listed, "rename-chat", "")
    assert told[-1] == {"new-chat": "Ctrl+Alt+J", "about": "F9", "rename-chat": ""}
    listed.table.keys.reset.emit("new-chat")
    assert told[-1] == {"about": "F9", "rename-chat": ""}
    assert keys_of(listed, "new-chat") == "Ctrl+N"
    listed.all.click()
    assert told[-1] == {}
    assert keys_of(listed, "rename-chat") == "F2"


def test_keys_of_another_command_are_refused_or_swapped(listed: ShortcutList):
    told: list[object] = []
    listed.changed.connect(told.append)
    choose(listed, "new-chat", "Ctrl+K")
    assert told == []
    assert (keys_of(listed, "new-chat"), listed.note.text()) == ("Ctrl+N", "Ctrl+K is taken: Commands…")
    listed.swap.click()
    assert told == [{"new-chat": "Ctrl+K", "palette": "Ctrl+N"}]
    assert listed.swap.isHidden()
    choose(listed, "search", "Alt+3")
    assert "is taken" in listed.note.text()
    assert listed.swap.isHidden()


@pytest.mark.parametrize("keys", ["a", "Shift+A", "Return", "Shift+Left"])
def test_keys_for_writing_stay_free(listed: ShortcutList, keys: str):
    told: list[object] = []
    listed.changed.connect(told.append)
    choose(listed, "new-chat", keys)
    assert told == []
    assert "needed for typing" in listed.note.text()


def test_chosen_keys_stand_in_place_of_both_of_the_programs_own():
    found = {spec.id: spec for spec in with_keys(specs(), {"diff": "F8", "unknown": "F7"})}
    assert (found["diff"].shortcut, found["diff"].also) == ("F8", "")
    assert found["search"].shortcut == "Ctrl+Shift+F"
