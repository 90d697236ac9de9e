"""The rule below what is trimmed."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.feed import TrimMark
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.transcript.feed_column import TrimRule


def test_it_counts_messages_and_tokens_and_brings_them_back(qtbot: QtBot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", tuple(f"m{n}" for n in range(1, 13)), 1_480))
    assert made.line.words() == "12 messages above are trimmed, 1,480 tokens"
    made.resize(548, made.heightForWidth(548))
    made.show()
    assert not made.grab().isNull()
    with qtbot.waitSignal(made.asked) as told:
        made.untrim.click()
    assert told.args == ["untrim", "m1"]


def test_it_says_when_they_were_cut_and_why(qtbot: QtBot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", ("m2",), 9, since_turn=13, threshold_tokens=25_600))
    assert made.line.note() == "cut before turn 13: the request was over 25,600 tokens"
    with_note = made.heightForWidth(548)
    made.resize(548, with_note)
    made.show()
    assert not made.grab().isNull()
    made.show_item(TrimMark("trim", ("m2",), 9, threshold_tokens=25_600))
    assert made.line.note() == "cut for the next request: it would be over 25,600 tokens"
    made.show_item(TrimMark("trim", ("m2",), 9))
    assert made.line.note() == ""
    assert made.heightForWidth(548) < with_note


def test_it_says_how_many_come_back(qtbot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", ("m2", "m4"), 9, back=1))
    assert made.line.words() == "2 messages above are trimmed, 9 tokens; 1 recalled in full"
    made.show_item(TrimMark("trim", ("m2", "m4"), 9, back=2))
    assert made.line.words().endswith("; 2 recalled in full")


def test_of_what_left_it_says_so_and_of_an_old_cut_only_when(qtbot: QtBot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", ("m1", "m2"), 0, since_turn=22))
    assert (made.line.words(), made.line.note()) == (
        "2 messages above are dropped",
        "cut before turn 22",
    )
