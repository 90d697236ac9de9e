"""The workspaces as a menu."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from workbench.ui.place_menu import fill_place_choice


def test_where_it_is_is_checked_and_another_can_be_picked(qtbot: QtBot):
    made = QMenu()
    qtbot.addWidget(made)
    picked: list[str] = []
    fill_place_choice(made, {"w1": "R&D", "w2": "Thesis"}, {""}, picked.append)
    names = [(action.text(), action.isChecked()) for action in made.actions() if not action.isSeparator()]
    assert names == [("R&&D", False), ("Thesis", False), ("No workspace", True)]
    made.actions()[1].trigger()
    assert picked == ["w2"]
