"""The rule below what is trimmed."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.feed import TrimMark
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.transcript.trim_rule import TrimRule


def test_it_counts_messages_and_tokens_and_brings_them_back(qtbot: QtBot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", tuple(f"m{n}" for n in range(1, 13)), 1_480))
    assert made.line.words() == "12 messages above are sent trimmed, 1,480 tokens"
    made.resize(548, made.heightForWidth(548))
    made.show()
    assert not made.grab().isNull()
    with qtbot.waitSignal(made.asked) as told:
        made.untrim.click()
    assert told.args == ["untrim", "m1"]
