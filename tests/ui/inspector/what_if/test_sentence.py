"""A sentence with its icon."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.inspector.what_if.sentence import Sentence
from workbench.ui.inspector.what_if.words import SentenceText


def test_a_sentence_is_said_in_its_tone(qtbot: QtBot):
    sentence = Sentence()
    qtbot.addWidget(sentence)
    sentence.show()
    sentence.say(SentenceText("It costs.", "warn", "warn"))
    assert sentence.words.text() == "It costs."
    assert sentence.words.property("token") == "warn"
    assert sentence.accessibleName() == "It costs."
    beside = sentence.words.x()
    sentence.say(SentenceText("Nothing.", "neutral", ""))
    assert sentence.words.property("token") == "t3"
    sentence.layout().activate()
    assert sentence.words.x() < beside


def test_a_long_sentence_wraps(qtbot: QtBot):
    sentence = Sentence()
    qtbot.addWidget(sentence)
    sentence.say(SentenceText("word " * 40, "neutral", ""))
    assert sentence.heightForWidth(200) > sentence.heightForWidth(2_000)
