"""The first lesson."""

from __future__ import annotations

import re
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from workbench.ui.commands import specs
from workbench.ui.inspector.lesson import HINTS, LessonCards, LessonLine


def test_the_line_says_what_is_seen_and_can_be_put_away(qtbot: QtBot):
    line = LessonLine()
    qtbot.addWidget(line)
    line.resize(752, 41)
    line.show()
    assert "next request" in line.words.text()
    with qtbot.waitSignal(line.read):
        QTest.mouseClick(line.done, Qt.MouseButton.LeftButton)
    line.grab()


def test_there_are_three_hints_at_most_each_with_a_way_to_put_it_away(qtbot: QtBot):
    line, cards = LessonLine(), LessonCards()
    qtbot.addWidget(line)
    qtbot.addWidget(cards)
    assert 1 + len(cards.cards) == len(HINTS) == 3
    names = [card.done.accessibleName() for card in cards.cards.values()]
    assert names == ["Got it: Pin what must stay", "Got it: Change its priority"]
    with qtbot.waitSignal(cards.read) as told:
        cards.cards["priority"].done.click()
    assert told.args == ["priority"]


def test_the_keys_that_are_named_are_those_of_the_command(qtbot: QtBot):
    cards = LessonCards()
    qtbot.addWidget(cards)
    texts = [label.text() for label in cast(list[QLabel], cards.findChildren(QLabel))]
    (undo,) = (spec for spec in specs() if spec.id == "undo")
    assert set(re.findall(r"Ctrl\S+Z", " ".join(texts))) == {undo.shortcut, undo.also}


def test_only_the_cards_that_are_wanted_are_shown(qtbot: QtBot):
    cards = LessonCards()
    qtbot.addWidget(cards)
    assert cards.show_hints({"request", "pin"})
    assert [hint for hint, card in cards.cards.items() if not card.isHidden()] == ["pin"]
    assert not cards.show_hints({"request"})
