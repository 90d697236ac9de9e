"""Cards of tools: read, switched and unfolded, by pointer and by keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.fakes.given import TOOLS
from tests.fakes.tools_shown import ISSUE, MERGE, OTHERWISE, tools_chat, tools_state
from tests.fakes.widgets import all_of
from workbench.domain.mcp_server import SignIn
from workbench.ui.tools.groups import GroupRow, ToolGroups, ToolRow
from workbench.ui.tools.values import tool_groups
from workbench.ui.widgets.buttons import Button


@pytest.fixture
def groups(qtbot: QtBot) -> ToolGroups:
    made = ToolGroups()
    qtbot.addWidget(made)
    made.show_groups(tool_groups(tools_state(), tools_chat(), TOOLS))
    made.show()
    return made


def test_rows_say_how_things_are(groups: ToolGroups):
    assert groups.words() == "80 tokens of definitions"
    words = {key: (row.badge.word(), row.line.text(), row.figure.text()) for key, row in groups.heads.items()}
    assert words["github"] == ("connected", "MCP · 1 of 4 tools on", "50")
    assert words["postgres"] == ("not responding", "MCP · start it to see what it has", "0")
    assert words["sentry"] == ("off", "MCP · 1 tool, 80 when on", "0")
    assert words[""][1] == "2 of 3 tools on: ls read write"
    changed = groups.tools[OTHERWISE.called]
    assert (changed.badge.word(), changed.switch.isEnabled()) == ("changed", False)
    assert "\u202e" not in changed.line.text()
    assert "\u202e" not in changed.switch.accessibleName()
    said = [one.text() for note in groups.notes for one in all_of(QLabel, note)]
    assert said == [
        "1 tool is new. It is off until you review it.",
        "1 tool changed since your review and is off.",
        "It ended before it answered. Start it again.",
        "FATAL: no such host",
    ]


def test_tools_are_switched_one_by_one_and_together(qtbot: QtBot, groups: ToolGroups):
    with qtbot.waitSignal(groups.switched) as heard:
        QTest.keyClick(groups.tools[MERGE.called].switch, Qt.Key.Key_Space)
    assert heard.args == [(MERGE.called,), True]
    with qtbot.waitSignal(groups.switched) as heard:
        QTest.keyClick(groups.heads["github"], Qt.Key.Key_Space)
    assert heard.args == [(ISSUE.called, MERGE.called), False]
    with qtbot.waitSignal(groups.acted) as heard:
        groups.heads["sentry"].switch.click()
    assert heard.args == ["allow", "sentry"], "its command line is looked at first"


@pytest.mark.parametrize(
    ("server", "act"),
    [("github", "restart"), ("github", "stop"), ("postgres", "restart"), ("sentry", "edit")],
)
def test_servers_are_acted_on(qtbot: QtBot, groups: ToolGroups, server: str, act: str):
    with qtbot.waitSignal(groups.acted) as heard:
        QTest.mouseClick(groups.heads[server].acts[act], Qt.MouseButton.LeftButton)
    assert heard.args == [act, server]


def test_the_keyboard_unfolds_edits_and_removes(qtbot: QtBot, groups: ToolGroups):
    head = groups.heads["github"]
    head.setFocus()
    QTest.keyClick(head, Qt.Key.Key_Left)
    assert ISSUE.called not in groups.tools
    again = groups.heads["github"]
    assert again is not head
    assert again.window().focusWidget() is again, "the keyboard stays where it was"
    QTest.keyClick(again, Qt.Key.Key_Return)
    assert isinstance(groups.tools[ISSUE.called], ToolRow)
    for key, act in ((Qt.Key.Key_F2, "edit"), (Qt.Key.Key_Delete, "remove")):
        with qtbot.waitSignal(groups.acted) as heard:
            QTest.keyClick(groups.heads["github"], key)
        assert heard.args == [act, "github"]
    assert isinstance(groups.heads[""], GroupRow)
    with qtbot.assertNotEmitted(groups.acted):
        QTest.keyClick(groups.heads[""], Qt.Key.Key_Delete)


def test_what_nobody_looked_at_is_offered_to_be_looked_at(qtbot: QtBot, groups: ToolGroups):
    (press,) = [one for note in groups.notes for one in all_of(Button, note)]
    with qtbot.waitSignal(groups.acted) as heard:
        press.click()
    assert heard.args == ["look", "github"]


def test_a_server_that_wants_a_sign_in_offers_it_and_one_that_has_it_ends_it(qtbot: QtBot):
    how: dict[str, SignIn] = {"postgres": "needed", "github": "done"}
    values = [
        replace(one, sign_in=how.get(one.key, "")) for one in tool_groups(tools_state(), tools_chat(), TOOLS)
    ]
    made = ToolGroups()
    qtbot.addWidget(made)
    made.show_groups(values)
    assert made.heads["postgres"].badge.word() == "sign in"
    (sign_in,) = [one for note in made.notes for one in all_of(Button, note) if one.text() == "Sign in…"]
    with qtbot.waitSignal(made.acted) as heard:
        sign_in.click()
    assert heard.args == ["sign-in", "postgres"]
    with qtbot.waitSignal(made.acted) as heard:
        QTest.mouseClick(made.heads["github"].acts["sign-out"], Qt.MouseButton.LeftButton)
    assert heard.args == ["sign-out", "github"]
    assert "sign-out" not in made.heads["postgres"].acts
