"""The list of the chats pane by mouse and key."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from workbench.ui.chats.lines import ChatLine, GroupHead
from workbench.ui.chats.view import LinesView

LINES = (
    GroupHead("group:today", "Today"),
    ChatLine("a", "A", "14:06", False, "A"),
    ChatLine("b", "B", "14:05", False, "B"),
)


def shown(qtbot: QtBot, *more: ChatLine) -> LinesView:
    view = LinesView("Chats", several=True)
    qtbot.addWidget(view)
    view.lines().show_lines((*LINES, *more))
    view.resize(252, 200)
    view.show()
    view.setFocus()
    return view


def chosen(view: LinesView) -> list[str]:
    found: list[str] = []
    view.chosen.connect(lambda line: found.append(line.id))
    return found


def editor_in(view: LinesView) -> QLineEdit:
    return [child for child in view.viewport().children() if isinstance(child, QLineEdit)][-1]


def test_a_click_opens_and_a_heading_does_not(qtbot: QtBot):
    view = shown(qtbot)
    found = chosen(view)
    for row in (0, 2):
        place = view.visualRect(view.lines().index(row)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert found == ["b"]


def test_enter_opens_the_line_the_arrows_are_on(qtbot: QtBot):
    view = shown(qtbot)
    found = chosen(view)
    view.focus_first()
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert found == ["b"]


def test_delete_asks_for_the_deletion(qtbot: QtBot):
    view = shown(qtbot)
    view.focus_line("b")
    with qtbot.waitSignal(view.deletion_wanted) as asked:
        QTest.keyClick(view, Qt.Key.Key_Delete)
    assert asked.args == [("b",)]


def press(view: LinesView, row: int, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    place = view.visualRect(view.lines().index(row)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, held, place)


MORE = (ChatLine("c", "C", "14:04", False, "C"), ChatLine("d", "D", "14:03", False, "D"))


def test_ctrl_and_shift_select_several_and_open_none_of_them(qtbot: QtBot):
    view = shown(qtbot, *MORE)
    press(view, 1)
    found = chosen(view)
    press(view, 3, Qt.KeyboardModifier.ControlModifier)
    assert (found, view.selected_chats()) == ([], ("a", "c"))
    press(view, 1)
    press(view, 4, Qt.KeyboardModifier.ShiftModifier)
    assert view.selected_chats() == ("a", "b", "c", "d")
    with qtbot.waitSignal(view.deletion_wanted) as asked:
        QTest.keyClick(view, Qt.Key.Key_Delete)
    assert asked.args == [("a", "b", "c", "d")]


def test_the_keyboard_selects_several_too(qtbot: QtBot):
    view = shown(qtbot, *MORE)
    view.focus_first()
    QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert view.selected_chats() == ("a", "b")
    made = view.menu_of(LINES[1])
    assert [action.text() for action in made.actions()] == ["Delete 2 chats\tDel"]
    made.deleteLater()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.selected_chats() == ("b",)


def test_what_is_selected_stays_selected_when_the_list_is_drawn_anew(qtbot: QtBot):
    view = shown(qtbot, *MORE)
    press(view, 1)
    press(view, 3, Qt.KeyboardModifier.ControlModifier)
    view.lines().show_lines((*LINES, MORE[0], ChatLine("d", "D", "14:03", True, "D")))
    view.focus_line("c")
    assert view.selected_chats() == ("a", "c")


def test_f2_renames_in_place_and_escape_leaves_it(qtbot: QtBot):
    view = shown(qtbot)
    asked: list[tuple[str, str]] = []
    view.lines().renamed.connect(lambda key, title: asked.append((key, title)))
    view.focus_line("a")
    QTest.keyClick(view, Qt.Key.Key_F2)
    editor = editor_in(view)
    QTest.keyClicks(editor, "New name")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: asked == [("a", "New name")])
    QTest.keyClick(view, Qt.Key.Key_F2)
    again = editor_in(view)
    QTest.keyClicks(again, "Not this")
    QTest.keyClick(again, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.state() == LinesView.State.NoState)
    assert asked == [("a", "New name")]


def test_the_arrow_leaves_the_list_at_its_top(qtbot: QtBot):
    view = shown(qtbot)
    view.focus_first()
    with qtbot.waitSignal(view.left_upwards):
        QTest.keyClick(view, Qt.Key.Key_Up)


def test_the_menu_offers_what_the_keys_do(qtbot: QtBot):
    view = shown(qtbot)
    line = LINES[1]
    assert isinstance(line, ChatLine)
    view.focus_line("a")
    made = view.menu_of(line)
    words = [action.text().partition("\t")[0] for action in made.actions() if not action.isSeparator()]
    assert words == ["Open", "Rename…", "Export…", "Delete"]
    with qtbot.waitSignals([view.export_wanted, view.deletion_wanted]):
        made.actions()[2].trigger()
        made.actions()[-1].trigger()
    made.deleteLater()
