"""The card of rules: what became of each, what its controls and rows of Layers make, and both views of a request."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tests.fakes.ruled import RULES, ruled_bench
from workbench.domain.shown.envelope_view import RowKey
from workbench.domain.watch.rules import NO_CHANGE, NO_GAIN, REFUSED, WAITING, ProgramRules, Rule, RuleOutcome
from workbench.domain.workspace import EVERYWHERE, Workspace, rules_of
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import ReviseWorkspace
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.inspector.rules_card import badge_of, rule_for


def ruled_state(*rules: Rule) -> tuple[WorkbenchState, ChatState]:
    async def shown() -> WorkbenchState:
        bench = await ruled_bench()
        state = bench.workbench.state
        await bench.workbench.close()
        return state

    state = asyncio.run(shown())
    state = replace(
        state, everywhere=Workspace(EVERYWHERE, watched=(replace(RULES, rules=rules or RULES.rules),))
    )
    return state, next(iter(state.open.values()))


@pytest.fixture
def pane(qtbot: QtBot, qapp, appearance) -> InspectorPane:
    made = InspectorPane()
    qtbot.addWidget(made)
    made.resize(860, 1000)
    made.show()
    return made


def kept(pane: InspectorPane) -> list[tuple[str, ...]]:
    """The rules that each change would keep."""
    found: list[tuple[str, ...]] = []

    def take(intent: object) -> None:
        if isinstance(intent, ReviseWorkspace):
            found.append(tuple(one.text for one in rules_of(intent.after, "Claude Code").rules))

    pane.wishes.intent.connect(take)
    return found


def test_each_rule_has_its_figures_and_state_and_they_sum(pane: InspectorPane):
    state, chat = ruled_state()
    pane.show_state(state, chat)
    card = pane.layers.rules
    rows = [(one.name.text(), one.badge.word(), one.on.isChecked()) for one in card.rows]
    assert rows == [
        ("tools.without", "applied", True), ("text.freeze", "applied", True), ("cache.mark", "applied", True),
    ]  # fmt: skip
    tokens = [int(one.tokens.figure().replace("−", "-")) for one in card.rows]
    assert tokens[0] > 500
    assert tokens[1] < 0
    assert int(card.saved.figure()) == sum(tokens)
    assert card.note.text() == "3 of 3 on, for Claude Code only"


def test_a_chat_of_ones_own_has_no_rules_and_a_program_without_any_says_so(pane: InspectorPane):
    state, chat = ruled_state()
    pane.show_state(replace(state, everywhere=Workspace(EVERYWHERE)), chat)
    assert pane.layers.rules.note.text() == "No rules. Requests pass unchanged."
    assert pane.layers.rules.isVisible()
    pane.show_state(
        state, replace(chat, chat=replace(chat.chat, filed=replace(chat.chat.filed, watched=None)))
    )
    assert not pane.layers.rules.isVisible()


def test_switch_and_cross_change_one_rule_and_leave_the_others(pane: InspectorPane):
    state, chat = ruled_state(Rule("secrets.redact"), Rule("cache.mark"))
    pane.show_state(state, chat)
    changes = kept(pane)
    first, second = pane.layers.rules.rows
    first.on.click()
    second.remove.click()
    assert changes == [("secrets.redact", "cache.mark"), ("secrets.redact",)]


def test_a_rule_is_written_as_on_the_command_line_and_a_mistake_is_said(pane: InspectorPane):
    state, chat = ruled_state(Rule("cache.mark"))
    pane.show_state(state, chat)
    changes, card = kept(pane), pane.layers.rules
    card.write()
    QTest.keyClicks(card.field, "tools.with=A")
    QTest.keyClick(card.field, Qt.Key.Key_Return)
    assert "is no rule" in card.problem.text()
    assert changes == []
    card.field.setText("tools.without=Bash")
    QTest.keyClick(card.field, Qt.Key.Key_Return)
    assert changes == [("tools.without=Bash", "cache.mark")]
    assert card.field.isHidden()
    card.write()
    QTest.keyClick(card.field, Qt.Key.Key_Escape)
    assert card.field.isHidden()


def test_the_known_keys_make_rules_from_rows_and_undo_them(pane: InspectorPane):
    state, chat = ruled_state(Rule("block.drop", ("system[0]",)))
    pane.show_state(state, chat)
    changes, tree = kept(pane), pane.layers.tree
    for row_id, key in (
        ("tools", Qt.Key.Key_Delete),
        ("system[1].text", Qt.Key.Key_Space),
        ("system[0].text", Qt.Key.Key_Delete),
    ):
        tree.select(RowKey("L1_SYSTEM", row_id))
        QTest.keyClick(tree, key)
    assert changes == [
        ("tools.without=Bash", "block.drop=system[0]"), ("text.freeze=system[1]", "block.drop=system[0]"), (),
    ]  # fmt: skip
    row = tree.rows.row(tree.rows.index_of(RowKey("L1_SYSTEM", "tools")))
    assert row is not None
    made = tree.menu_for(row)
    assert isinstance(made, QMenu)
    assert "Leave out tools never called\tDel" in [action.text() for action in made.actions()]
    assert rule_for(row, "pin") is None


def test_came_in_and_sent_are_two_views_of_one_request(pane: InspectorPane):
    state, chat = ruled_state()
    pane.show_state(state, chat)
    assert pane.came.isVisible()
    pane.layers.tree.setFocus()
    QTest.keyClick(pane.layers.tree, Qt.Key.Key_O)
    shown = pane.layers.rules._view
    assert shown is not None
    assert shown.as_came
    assert shown.total_tokens > (chat.shown.total_tokens if chat.shown is not None else 0)
    pane.show_page("payload")
    form, went = shown.wire(), chat.shown.wire() if chat.shown is not None else None
    assert form is not None
    assert went is not None
    assert "CronCreate" in (form.raw or "")
    assert "CronCreate" not in (went.raw or "")
    difference = shown.diff()
    assert difference is not None
    assert (difference.before.total_tokens, difference.after.total_tokens) == (shown.total_tokens, 691)
    pane.layers.tree.came_wanted.emit()
    pane.show_page("layers")
    assert pane.layers.rules._view is chat.shown
    plain = replace(chat, opened=replace(chat.opened, came=None)) if chat.opened is not None else chat
    pane.show_state(state, plain)
    assert not pane.came.isVisible()


def test_in_a_narrow_window_the_switch_stands_below_the_tabs(pane: InspectorPane):
    state, chat = ruled_state()
    pane.resize(480, 1000)
    pane.show_state(state, chat)
    assert pane.came.isVisible()
    assert (
        pane.came.mapTo(pane, pane.came.rect().topLeft()).y()
        > pane.tabs.mapTo(pane, pane.tabs.rect().bottomLeft()).y()
    )


def test_the_words_of_a_state():
    rule = Rule("cache.mark")
    states = [
        badge_of(replace(rule, on=False), None), badge_of(replace(rule, on=False, why=REFUSED), None),
        badge_of(replace(rule, why=NO_GAIN), None), badge_of(rule, None),
        *(badge_of(rule, RuleOutcome("cache.mark", "skipped", why)) for why in (NO_CHANGE, WAITING, "Another reason.")),
    ]  # fmt: skip
    words = ["off", "switched off", "no gain", "next request", "no change", "waiting", "skipped"]
    assert [word for _, _, word in states] == words
    assert ProgramRules("x").rules == ()
