"""A tool that asks: nothing happens by accident, and everything by keyboard."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_texts import EDIT_DIFF
from workbench.domain.message import ToolCall
from workbench.domain.tool import ToolPreview
from workbench.engine.state import ToolCard
from workbench.ui.chat.messages.approval_card import ApprovalCard
from workbench.ui.look.space import rows
from workbench.ui.look.theme import Theme
from workbench.ui.widgets.code_view import CodeView, DiffText

EDIT = ToolCard(
    ToolCall("c", "edit", '{"path": "src/auth.py"}'), ToolPreview("change src/auth.py", EDIT_DIFF)
)


@pytest.fixture
def card(qtbot: QtBot) -> ApprovalCard:
    made = ApprovalCard(EDIT)
    qtbot.addWidget(made)
    made.resize(548, made.sizeHint().height())
    made.show()
    return made


def test_it_says_what_would_be_done_and_shows_it(card: ApprovalCard):
    assert card.accessibleName() == "The model wants to change src/auth.py"
    diff = cast(DiffText, card.findChild(DiffText))
    assert len(diff.lines()) == 4
    assert card.head.badge.word() == "changes a file"
    assert card.count.text() == "+2 −2 lines"
    assert not card.grab().isNull()


def test_without_a_diff_the_arguments_are_shown(qtbot: QtBot):
    made = ApprovalCard(ToolCard(ToolCall("c", "run", '{"command": "rm"}'), ToolPreview("run rm")))
    qtbot.addWidget(made)
    assert made.head.badge.word() == "may change or delete"
    assert not made.findChildren(DiffText)


def test_what_only_reads_looks_other_than_what_writes(qtbot: QtBot, theme: Theme):
    """Listing a folder and overwriting a file were the same orange card."""
    call, new = ToolCall("c", "fs__x", "{}"), "--- a\n+++ a\n@@ -0,0 +1 @@\n+one\n"
    previews = (
        ToolPreview("Use list (server fs), with:\n{}", reads=True), ToolPreview("Use write (server fs), with:\n{}"),
        ToolPreview("Write a.md", new), ToolPreview("Edit a.md", EDIT_DIFF),
    )  # fmt: skip
    cards = [ApprovalCard(ToolCard(call, preview)) for preview in previews]
    edges = []
    for made in cards:
        qtbot.addWidget(made)
        made.resize(548, 200)
        edges.append(made.grab().toImage().pixelColor(274, 0).name())
    assert [made.head.badge.word() for made in cards] == [
        "only reads, it says", "may change or delete", "writes a new file", "changes a file",
    ]  # fmt: skip
    assert edges[0] != edges[1] == edges[2] == edges[3]


@pytest.mark.parametrize(
    ("button", "answer"),
    [("allow", "allow"), ("always", "allow_always"), ("deny", "deny"), ("never", "never")],
)
def test_answers_for_now_and_from_now_on(card: ApprovalCard, qtbot: QtBot, button: str, answer: str):
    with qtbot.waitSignal(card.answered) as told:
        QTest.mouseClick(getattr(card, button), Qt.MouseButton.LeftButton)
    assert told.args == [answer]


def test_enter_allows_and_escape_denies_where_the_card_has_the_focus(card: ApprovalCard, qtbot: QtBot):
    card.setFocus()
    qtbot.waitUntil(card.hasFocus)
    for key, answer in ((Qt.Key.Key_Return, "allow"), (Qt.Key.Key_Escape, "deny")):
        with qtbot.waitSignal(card.answered) as told:
            QTest.keyClick(card, key)
        assert told.args == [answer]


def test_enter_on_deny_denies(card: ApprovalCard, qtbot: QtBot):
    """Enter must never do the opposite of what the focused button says."""
    card.deny.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(card.deny.hasFocus)
    with qtbot.waitSignal(card.answered) as told:
        QTest.keyClick(card.deny, Qt.Key.Key_Return)
    assert told.args == ["deny"]


def test_the_focus_of_somebody_who_types_is_left_alone(qtbot: QtBot):
    host, field = QWidget(), QLineEdit()
    qtbot.addWidget(host)
    down = rows(host)
    down.addWidget(field)
    host.show()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    made = ApprovalCard(EDIT)
    down.addWidget(made)
    with qtbot.assertNotEmitted(made.answered):
        QTest.keyClicks(field, "typing")
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.hasFocus()


def test_where_there_is_little_room_only_the_count_goes(card: ApprovalCard):
    card.resize(card.minimumSizeHint().width(), card.height())
    assert card.count.isHidden()
    assert card.deny.isVisible()


def test_names_cannot_play_tricks(qtbot: QtBot):
    made = ApprovalCard(ToolCard(ToolCall("c", "e\u202edit\n", "{}"), ToolPreview("x\u202ey\n<b>z</b>")))
    qtbot.addWidget(made)
    assert "\u202e" not in made.accessibleName()
    assert "\n" not in made.accessibleName()


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        ("Edit src/auth.py: 1 passage", "The model wants to edit src/auth.py: 1 passage"),
        ("edit will refuse: there is no such file", "edit will refuse: there is no such file"),
    ],
)
def test_what_is_wanted_is_said_once(qtbot: QtBot, summary: str, sentence: str):
    """A picture showed "edit wants to Edit src/auth.py: 1 passage"."""
    made = ApprovalCard(ToolCard(ToolCall("c", "edit", "{}"), ToolPreview(summary)))
    qtbot.addWidget(made)
    assert made.accessibleName() == sentence


def test_the_workspace_is_offered_only_in_one(qtbot: QtBot, card: ApprovalCard):
    assert card.everywhere.isHidden()
    made = ApprovalCard(EDIT, in_workspace=True)
    qtbot.addWidget(made)
    made.show()
    with qtbot.waitSignal(made.answered) as told:
        QTest.mouseClick(made.everywhere, Qt.MouseButton.LeftButton)
    assert told.args == ["allow_in_workspace"]


def test_all_of_what_a_server_is_given_can_be_read(qtbot: QtBot):
    """A sentence with its arguments in it was cut, and long arguments ended unseen."""
    given = '{"query": "' + "word " * 300 + 'the last one"}'
    asks = ToolPreview('Use search (server github), with:\n{\n  "query": 1\n}')
    made = ApprovalCard(ToolCard(ToolCall("c", "github__search", given), asks))
    qtbot.addWidget(made)
    assert made.accessibleName() == "The model wants to use search (server github)"
    box = cast(CodeView, made.findChild(CodeView))
    assert box.toPlainText() == given


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        ((), ""),
        (("/etc/passwd",), "Names a path outside the workspace folder: /etc/passwd. A server can reach it."),
        (("/a", "~/b"), "Names paths outside the workspace folder: /a, ~/b. A server can reach them."),
    ],
)
def test_a_server_that_is_given_a_path_outside_is_warned_of(qtbot: QtBot, paths: tuple[str, ...], words: str):
    """Built-in tools stay inside the folder; the card said nothing where a server's tool would not."""
    asks = ToolPreview("Use read (server files), with:\n{}", outside=paths)
    made = ApprovalCard(ToolCard(ToolCall("c", "files__read", '{"path": "x"}'), asks))
    qtbot.addWidget(made)
    made.show()
    assert made.outside.text() == words
    assert made.outside.isVisible() == bool(words)
    assert made.accessibleDescription().startswith(words)
