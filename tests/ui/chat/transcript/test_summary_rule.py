"""The mark of a summary in the transcript: what goes out as one, read and undone there."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.summary import Summary
from workbench.ui.chat.messages.feed import SummaryMark
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.transcript.summary_rule import SummaryRule

ONE = Summary("s", "Mara wants <b>3</b>.", ("u1", "a1"), "gpt-4o")


def test_it_says_how_many_and_by_whom_is_unfolded_and_undone(qtbot: QtBot):
    rule = SummaryRule(Ink())
    qtbot.addWidget(rule)
    rule.show_item(SummaryMark("s", ONE))
    rule.resize(600, 40)
    rule.show()
    assert rule.line.words() == "2 messages above go out as a summary"
    assert rule.line.note() == "written by gpt-4o"
    assert rule.bodies() == {}
    rule.read.click()
    assert rule.body.isVisible()
    assert list(rule.bodies()) == ["text"]
    rule.read.click()
    assert not rule.body.isVisible()
    with qtbot.waitSignal(rule.asked) as asked:
        rule.undo.click()
    assert asked.args == ["undo_summary", "s"]
