"""The list of the chats pane by mouse and key."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from tests.fakes.widgets import all_of
from workbench.engine.workspace_intents import FileChats
from workbench.ui.chats.lines import ActionLine, ChatLine, GroupHead, PlaceHead
from workbench.ui.chats.pane import LinesView, fill_place_menu
from workbench.ui.wishes import DeleteChats, DropWorkspace, ExportChat, NewChatIn, TagChats

LINES = (
    GroupHead("group:today", "Today"),
    ChatLine("a", "A", "14:06", False, "A"),
    ChatLine("b", "B", "14:05", False, "B"),
)


def shown(qtbot: QtBot, *more: ChatLine) -> LinesView:
    view = LinesView("Chats", several=True)
    qtbot.addWidget(view)
    view.lines().show_items((*LINES, *more))
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
    with qtbot.waitSignal(view.wanted) as asked:
        QTest.keyClick(view, Qt.Key.Key_Delete)
    assert asked.args == [DeleteChats(("b",))]


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
    with qtbot.waitSignal(view.wanted) as asked:
        QTest.keyClick(view, Qt.Key.Key_Delete)
    assert asked.args == [DeleteChats(("a", "b", "c", "d"))]


def test_the_keyboard_selects_several_too(qtbot: QtBot):
    view = shown(qtbot, *MORE)
    view.focus_first()
    QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert view.selected_chats() == ("a", "b")
    line = LINES[1]
    assert isinstance(line, ChatLine)
    made = view.menu_of(line)
    words = [action.text() for action in made.actions() if not action.isSeparator()]
    assert words == ["Pin", "Archive", "Move to workspace", "Tags…", "Delete 2 chats\tDel"]
    with qtbot.waitSignal(view.filing_wanted) as filed:
        made.actions()[0].trigger()
    assert filed.args == [FileChats(("a", "b"), pinned=True)]
    made.deleteLater()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.selected_chats() == ("b",)


def test_what_is_selected_stays_selected_when_the_list_is_drawn_anew(qtbot: QtBot):
    view = shown(qtbot, *MORE)
    press(view, 1)
    press(view, 3, Qt.KeyboardModifier.ControlModifier)
    view.lines().show_items((*LINES, MORE[0], ChatLine("d", "D", "14:03", True, "D")))
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
    assert words == [
        "Open",
        "Open in a new window",
        "Rename…",
        "Pin",
        "Archive",
        "Move to workspace",
        "Tags…",
        "Export…",
        "Delete",
    ]
    asked: list[object] = []
    view.wanted.connect(asked.append)
    for action in made.actions():
        if action.text().partition("\t")[0] in ("Tags…", "Export…", "Delete"):
            action.trigger()
    assert asked == [TagChats(("a",)), ExportChat("a"), DeleteChats(("a",))]
    made.deleteLater()


PLACES = (
    PlaceHead("workspace:w1", "workspace", "Auth", 2, workspace="w1", name="Auth"),
    ChatLine("a", "A", "14:06", name="A", workspace="w1", inset=True),
    ChatLine("b", "B", "14:05", name="B", workspace="w1", inset=True),
    PlaceHead("place:none", "none", "No workspace", 1),
    ChatLine("c", "C", "14:04", name="C", inset=True),
    PlaceHead("place:archived", "archived", "Archived", 3, folded=True),
    ActionLine("new-workspace", "New workspace…"),
)


def placed(qtbot: QtBot) -> LinesView:
    view = LinesView("Chats", several=True)
    qtbot.addWidget(view)
    view.places = {"w1": "Auth", "w2": "Thesis & more"}
    view.lines().show_items(PLACES)
    view.resize(252, 300)
    view.show()
    view.setFocus()
    return view


def test_left_and_right_fold_and_left_goes_from_a_chat_to_its_place(qtbot: QtBot):
    view = placed(qtbot)
    folded: list[str] = []
    view.folded.connect(folded.append)
    view.focus_line("b")
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.place_chosen() == "w1"
    QTest.keyClick(view, Qt.Key.Key_Right)  # it is open already
    assert folded == []
    QTest.keyClick(view, Qt.Key.Key_Left)
    view.focus_line("place:archived")
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert folded == ["workspace:w1", "place:archived"]


def test_a_press_on_the_chevron_folds_and_beside_it_opens(qtbot: QtBot):
    view = placed(qtbot)
    found = chosen(view)
    folded: list[str] = []
    view.folded.connect(folded.append)
    box = view.visualRect(view.lines().index(0))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box.topLeft() + QPoint(18, 10))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert (folded, found) == (["workspace:w1"], ["workspace:w1"])


def test_a_chat_is_moved_by_its_menu_and_by_dropping_it_on_a_place(qtbot: QtBot):
    view = placed(qtbot)
    asked: list[object] = []
    view.filing_wanted.connect(asked.append)
    line = PLACES[1]
    assert isinstance(line, ChatLine)
    made = view.menu_of(line)
    (move,) = all_of(QMenu, made)
    words = [action.text() for action in move.actions() if not action.isSeparator()]
    assert words == ["Auth", "Thesis && more", "No workspace", "New workspace…"]
    assert [action.isChecked() for action in move.actions()][:3] == [True, False, False]
    move.actions()[1].trigger()
    made.deleteLater()
    model = view.lines()
    data = model.mimeData([model.index(1), model.index(2)])
    for row in (3, 5, 6):
        model.dropMimeData(data, Qt.DropAction.CopyAction, -1, -1, model.index(row))
    assert asked == [
        FileChats(("a",), workspace="w2"),
        FileChats(("a", "b"), workspace="", archived=False),
        FileChats(("a", "b"), archived=True),
    ]


def test_a_workspace_is_renamed_and_deleted_in_the_list(qtbot: QtBot):
    view = placed(qtbot)
    asked: list[object] = []
    view.wanted.connect(asked.append)
    view.lines().renamed.connect(lambda *words: asked.append(words))
    view.focus_first()
    QTest.keyClick(view, Qt.Key.Key_F2)
    QTest.keyClicks(editor_in(view), "Sign in")
    QTest.keyClick(editor_in(view), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: asked == [("workspace:w1", "Sign in")])
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert asked[1:] == [DropWorkspace("w1")]


def test_thousands_of_chats_in_places_are_a_sound_model(qtbot: QtBot):
    view = placed(qtbot)
    QAbstractItemModelTester(view.lines(), QAbstractItemModelTester.FailureReportingMode.Fatal)
    many = tuple(ChatLine(f"m{n}", f"M {n}", "1 Nov", inset=True) for n in range(3000))
    view.lines().show_items((*PLACES[:3], *many, *PLACES[3:]))
    view.lines().show_items((PLACES[0], *PLACES[3:]))
    assert view.lines().rowCount() == 5


def words_of(made: QMenu) -> list[str]:
    return [action.text().partition("\t")[0] for action in made.actions() if not action.isSeparator()]


def test_a_workspace_offers_more_than_what_is_in_none(qtbot: QtBot):
    view = LinesView("Chats", several=True)
    qtbot.addWidget(view)
    asked: list[object] = []
    view.wanted.connect(asked.append)
    made = QMenu(view)
    fill_place_menu(made, PlaceHead("workspace:w1", "workspace", "Auth", 2, workspace="w1"), view)
    assert words_of(made) == ["Open", "Rename…", "New chat", "Fold", "Delete the workspace"]
    made.actions()[2].trigger()
    made.actions()[-1].trigger()
    assert asked == [NewChatIn("w1"), DropWorkspace("w1")]
    other = QMenu(view)
    fill_place_menu(other, PlaceHead("place:archived", "archived", "Archived", 2, folded=True), view)
    assert words_of(other) == ["Unfold"]
