"""A card that says something, and may offer something."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.ui.inspector.diff.body import NoteCard


def test_it_says_its_words_and_offers_only_where_there_is_an_offer(qtbot):
    card = NoteCard("check", "ok")
    qtbot.addWidget(card)
    card.show()
    card.say("All is well", "Nothing to do.")
    assert (card.title.text(), card.line.text()) == ("All is well", "Nothing to do.")
    assert not card.offer.isVisible()
    card.say("Better", "There is a way.", "Take it")
    assert card.offer.isVisible()
    taken: list[bool] = []
    card.pressed.connect(lambda: taken.append(True))
    QTest.mouseClick(card.offer, Qt.MouseButton.LeftButton)
    assert taken == [True]


def test_long_words_wrap_and_are_not_cut(qtbot):
    card = NoteCard("check")
    qtbot.addWidget(card)
    card.say("Title", "many words " * 30)
    assert card.line.wordWrap()
    assert card.line.textFormat() == Qt.TextFormat.PlainText
