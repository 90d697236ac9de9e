"""Resources and prompts of servers: found, attached, and written."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.tools_shown import tools_chat, tools_state
from workbench.ui.tools.from_servers import FromServersDialog, given_by_servers


@pytest.fixture
def dialog(qtbot: QtBot) -> FromServersDialog:
    made = FromServersDialog()
    qtbot.addWidget(made)
    made.show_given(given_by_servers(tools_state(), tools_chat()))
    return made


def test_a_resource_is_searched_and_attached(qtbot: QtBot, dialog: FromServersDialog):
    assert [dialog.list.item(place).text() for place in range(dialog.list.count())] == [
        "README.md · github",
        "issues · github",
        "Prompt: review · github",
    ]
    dialog.search.setText("first read")
    assert dialog.list.count() == 1
    assert dialog.about.text() == "repo://auth/README.md · text/markdown · 4.2 kB · Read this first."
    with qtbot.waitSignal(dialog.attach_wished) as heard:
        QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    assert heard.args == ["github", "repo://auth/README.md", "README.md"]


def test_a_prompt_asks_for_what_it_needs(qtbot: QtBot, dialog: FromServersDialog):
    dialog.search.setText("review")
    assert list(dialog.fields) == ["subject", "tone"]
    with qtbot.assertNotEmitted(dialog.prompt_wished):
        dialog.use.click()
    assert "needs subject" in dialog.about.text()
    dialog.fields["subject"].setText("auth.py")
    with qtbot.waitSignal(dialog.prompt_wished) as heard:
        dialog.use.click()
    assert heard.args == ["github", "review", {"subject": "auth.py"}]


def test_nothing_is_said(qtbot: QtBot):
    made = FromServersDialog()
    qtbot.addWidget(made)
    made.show_given((), waiting=True)
    assert made.about.text() == "Servers are starting…"
    made.show_given(())
    assert "offers anything" in made.about.text()
    assert not made.use.isEnabled()
