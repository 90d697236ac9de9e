"""All shortcuts: finding one of them, and changing keys without two commands getting the same."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.widgets import all_of
from workbench.ui.commands import specs, with_keys
from workbench.ui.dialogs.shortcut_list import FIRST_LINES, ShortcutList, in_panes
from workbench.ui.widgets.labels import ElidedLabel


@pytest.fixture
def listed(qtbot: QtBot) -> ShortcutList:
    dialog = ShortcutList(specs(), {})
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def choose(listed: ShortcutList, command: str, keys: str) -> None:
    listed.edits[command].setKeySequence(QKeySequence(keys))
    listed.edits[command].editingFinished.emit()


def keys_of(listed: ShortcutList, command: str) -> str:
    return listed.edits[command].keySequence().toString()


def test_what_is_seen_is_there_at_once_and_the_rest_soon(qtbot: QtBot):
    listed = ShortcutList(specs(), {})
    qtbot.addWidget(listed)
    assert FIRST_LINES == listed.made() < len(specs()) + len(in_panes())
    listed.show()
    area: QScrollArea = next(iter(listed.findChildren(QScrollArea)))
    below = area.viewport().rect()
    last = [line for _, line in listed._lines][-2:]
    assert all(line.mapTo(line.window(), line.rect().topLeft()).y() > below.bottom() for line in last)
    qtbot.waitUntil(lambda: listed.made() == len(specs()) + len(in_panes()))
    order: list[QWidget] = [listed.edits[specs()[0].id]]
    while order[-1].nextInFocusChain() is not order[0]:
        order.append(order[-1].nextInFocusChain())
    wanted = [*(listed.edits[spec.id] for spec in specs()), listed.all]
    assert [widget for widget in order if widget in wanted] == wanted, "Tab goes as one reads"


def test_columns_whose_words_have_no_room_go_one_below_the_other(listed: ShortcutList):
    """Beside the list of pages, in a small window, every title was an ellipsis."""
    for width in (560, 900):
        listed.resize(width, 500)
        QApplication.processEvents()
        titles = all_of(ElidedLabel, listed)[:3]
        assert [title.shown_text() for title in titles] == [title.text() for title in titles]
    assert listed.edits["undo"].mapTo(listed, QPoint()).x() > 450


def test_every_command_is_listed(listed: ShortcutList):
    listed.make_all()
    assert len(listed._lines) == len(specs()) + len(in_panes())
    assert set(listed.edits) == {spec.id for spec in specs()}


def test_typing_leaves_only_what_fits(listed: ShortcutList):
    for typed in ("chat rename", "ctrl+k"):
        assert listed.show_words(typed)
        seen: list[QWidget] = [line for _, line in listed._lines if line.isVisible()]
        assert len(seen) == 1
    assert not listed.show_words("no such words")
    assert all(line.isVisible() for _, line in listed._lines)


def test_a_second_key_is_listed_as_long_as_it_holds(listed: ShortcutList):
    listed.make_all()
    assert [cap.text() for cap in listed._also.values() if cap.isVisible()] == [
        spec.also for spec in specs() if spec.also
    ]
    choose(listed, "undo", "Ctrl+Alt+U")
    assert not listed._also["undo"].isVisible()
    listed.all.click()
    assert listed._also["undo"].isVisible()


def test_keys_are_changed_taken_away_and_reset(listed: ShortcutList):
    told: list[object] = []
    listed.changed.connect(told.append)
    choose(listed, "new-chat", "Ctrl+Alt+J")
    choose(listed, "about", "F9")
    QTest.keyClick(listed.edits["rename-chat"], Qt.Key.Key_Backspace)
    assert told[-1] == {"new-chat": "Ctrl+Alt+J", "about": "F9", "rename-chat": ""}
    listed.resets["new-chat"].click()  # type: ignore[attr-defined]
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
