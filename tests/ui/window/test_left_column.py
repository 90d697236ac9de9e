"""The left column."""

from __future__ import annotations

from workbench.ui.window.columns import LeftColumn
from workbench.ui.wishes import OpenSettings


def test_menu_and_settings_are_wished(qtbot):
    column = LeftColumn()
    qtbot.addWidget(column)
    wishes: list[str] = []
    column.wishes.wish.connect(wishes.append)
    column.head.menu.click()
    column.head.settings.click()
    assert wishes == ["menu", OpenSettings()]


def test_attachments_stand_under_the_chats(qtbot):
    column = LeftColumn()
    qtbot.addWidget(column)
    assert column.split.indexOf(column.chats) < column.split.indexOf(column.attachments)
