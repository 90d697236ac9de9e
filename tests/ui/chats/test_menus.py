"""The menu of a place."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from workbench.ui.chats.lines import PlaceHead
from workbench.ui.chats.menus import fill_place_menu
from workbench.ui.chats.view import LinesView
from workbench.ui.wishes import DropWorkspace, NewChatIn


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
