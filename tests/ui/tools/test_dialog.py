"""The tools of a chat: the dialog, and its list of rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.given import TOOLS
from tests.fakes.sample_state import CHAT, sample_state
from tests.fakes.tools_shown import ISSUE, ROOM, tools_chat, tools_state
from tests.fakes.widgets import point_at
from workbench.domain.model import ModelListing
from workbench.domain.tool import ApprovalRule, ToolDefinition
from workbench.domain.workspace import template_of
from workbench.engine.tuning_intents import CountTools
from workbench.ui.offers import Offer
from workbench.ui.tools.dialog import RuleDialog, RulesList, ToolsDialog, rule_words

READ, EDIT, RM = (
    ApprovalRule(("read", "ls"), decision="allow"),
    ApprovalRule(("edit",), "src/**"),
    ApprovalRule(("rm",), decision="never"),
)


@pytest.fixture
def rules(qtbot: QtBot) -> RulesList:
    made = RulesList("In this chat")
    qtbot.addWidget(made)
    made.resize(500, 200)
    made.show_rules((READ, EDIT, RM))
    made.show()
    return made


def test_they_are_spoken_and_painted(rules: RulesList):
    assert [rule_words(rule) for rule in rules.rules()] == [
        "allow read, ls",
        "ask edit in src/**",
        "never rm",
    ]
    assert rules.item(1).data(Qt.ItemDataRole.AccessibleTextRole) == "ask edit in src/**"
    assert not rules.grab().isNull()


def test_alt_and_an_arrow_move_a_rule(qtbot: QtBot, rules: RulesList):
    rules.setCurrentRow(2)
    with qtbot.waitSignal(rules.changed) as heard:
        QTest.keyClick(rules, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert heard.args == [(READ, RM, EDIT), "Move a rule"]
    assert rules.currentRow() == 1
    rules.setCurrentRow(0)
    with qtbot.assertNotEmitted(rules.changed):
        QTest.keyClick(rules, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)


def test_a_drag_moves_a_rule(qtbot: QtBot, rules: RulesList):
    with qtbot.waitSignal(rules.changed) as heard:
        rules.model().moveRow(QModelIndex(), 0, QModelIndex(), 3)
    assert heard.args[0] == (EDIT, RM, READ)


def test_delete_removes_and_enter_edits(qtbot: QtBot, rules: RulesList):
    rules.setCurrentRow(1)
    with qtbot.waitSignal(rules.edit_wished) as heard:
        QTest.keyClick(rules, Qt.Key.Key_Return)
    assert heard.args == [1]
    with qtbot.waitSignal(rules.changed) as heard:
        QTest.keyClick(rules, Qt.Key.Key_Delete)
    assert heard.args == [(READ, RM), "Remove a rule"]
    rules.put_rule(0, EDIT)
    assert rules.rules() == (EDIT, RM)
    rules.put_rule(-1, READ)
    assert rules.rules() == (EDIT, RM, READ)


def test_a_rule_is_made_in_its_dialog(qtbot: QtBot):
    dialog = RuleDialog()
    qtbot.addWidget(dialog)
    dialog.keep.click()
    assert "name of a tool" in dialog.problem.text()
    dialog.tools.setText("edit, github__*, edit,")
    dialog.path.setText(" docs/** ")
    dialog.decision.set_current("never")
    with qtbot.waitSignal(dialog.made) as heard:
        dialog.keep.click()
    assert heard.args == [ApprovalRule(("edit", "github__*"), "docs/**", "never")]
    again = RuleDialog(EDIT)
    qtbot.addWidget(again)
    assert (again.tools.text(), again.path.text(), again.decision.current()) == ("edit", "src/**", "ask")


@pytest.fixture
def made(qtbot: QtBot) -> Iterator[ToolsDialog]:
    dialog = ToolsDialog()
    qtbot.addWidget(dialog)
    dialog.show_state(tools_state(), tools_chat(), ROOM)
    yield dialog
    dialog.close()


def test_all_of_it_is_shown(made: ToolsDialog):
    assert made.sum.text() == "80 tokens of definitions"
    assert list(made.groups.heads) == ["", "github", "postgres", "sentry"]
    assert made.folder.text() == "Built-in tools stay inside /home/me/auth"
    assert made.change.isHidden(), "the folder is the workspace's"
    assert made.tabs.count_of(1) == 3
    assert made.note.isHidden()


def test_switches_choose_tools_and_say_their_price(qtbot: QtBot, made: ToolsDialog):
    asked: list[tuple[str, ...]] = []

    def offer(tools: tuple[ToolDefinition, ...]) -> Offer:
        asked.append(tuple(tool.name for tool in tools))
        return Offer("Tools", ())

    made.offer = offer
    with qtbot.waitSignal(made.wishes.offered):
        point_at(made.groups.tools["write"].switch)
    assert asked == [("ls", "read", "write", ISSUE.called)]
    with qtbot.waitSignal(made.chosen) as heard:
        made.groups.heads[""].switch.click()
    assert heard.args == [(ISSUE.definition,)]


def test_without_a_workspace_there_are_no_servers(qtbot: QtBot, made: ToolsDialog):
    state = sample_state()
    made.show_state(state, state.open[CHAT], ROOM)
    assert list(made.groups.heads) == [""]
    assert made.add.isHidden()
    assert "belong to a workspace" in made.note.text()
    assert made.folder.text() == "Built-in tools stay inside /home/me/project"
    with qtbot.waitSignal(made.folder_wished):
        made.change.click()


def test_a_model_that_takes_no_tools_is_said(made: ToolsDialog):
    chat = tools_chat()
    blind = ModelListing(chat.chat.settings.model, replace(WORD_MODEL, tools=False), True)
    made.show_state(replace(tools_state(), models=(blind,)), chat, ROOM)
    assert "support tools" in made.note.text()


def test_what_nobody_counted_is_counted_once(qtbot: QtBot):
    chat = tools_chat()
    dialog = ToolsDialog()
    sent: list[object] = []
    qtbot.addWidget(dialog)
    dialog.wishes.intent.connect(sent.append)
    for _ in range(2):
        dialog.show_state(tools_state(chat), chat, ROOM)
    (wanted,) = sent
    assert isinstance(wanted, CountTools)
    assert wanted.tools[:3] == TOOLS


def test_rules_are_added_in_a_dialog_and_taken_back(qtbot: QtBot, made: ToolsDialog):
    made.show_page("rules")
    made.show()
    made.edit_rule("workspace", -1)
    dialog = next(one for one in QApplication.topLevelWidgets() if isinstance(one, RuleDialog))
    dialog.tools.setText("rm")
    dialog.decision.set_current("never")
    with qtbot.waitSignal(made.ruled) as heard:
        dialog.keep.click()
    rules, place, what = heard.args
    assert (rules[-1], place, what) == (ApprovalRule(("rm",), decision="never"), "workspace", "Add a rule")
    with qtbot.waitSignal(made.ruled) as heard:
        made.lists["chat"].setCurrentRow(0)
        QTest.keyClick(made.lists["chat"], Qt.Key.Key_Delete)
    assert heard.args == [(), "chat", "Remove a rule"]
    made.say("Done.", undo=True)
    with qtbot.waitSignal(made.wishes.wish) as wished:
        made.undo.click()
    assert wished.args == ["undo"]


def test_a_template_has_the_rules_of_its_workspace_alone(made: ToolsDialog):
    chat = tools_chat()
    chat = replace(chat, chat=replace(chat.chat, id=template_of("w")))
    made.show_state(tools_state(), chat, ROOM)
    assert made.title.text() == "Tools for new chats in Auth service"
    made.show_page("rules")
    made.show()
    assert not made.lists["chat"].isVisible()
    assert made.lists["workspace"].isVisible()
