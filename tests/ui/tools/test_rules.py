"""Rules for tools: added, changed, moved and removed, all by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.domain.tool import ApprovalRule
from workbench.ui.tools.dialog import RuleDialog, RulesList, rule_words

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
