"""The first lesson."""

from __future__ import annotations

import re
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from workbench.ui.commands import specs
from workbench.ui.inspector.lesson import LessonCards, LessonFoot, LessonLine


def test_the_line_says_what_is_seen_and_can_be_put_away(qtbot: QtBot):
    line = LessonLine()
    qtbot.addWidget(line)
    line.resize(752, 41)
    line.show()
    assert "next request" in line.words.text()
    with qtbot.waitSignal(line.read):
        QTest.mouseClick(line.done, Qt.MouseButton.LeftButton)
    line.grab()


def test_there_are_three_things_to_try(qtbot: QtBot):
    cards = LessonCards()
    qtbot.addWidget(cards)
    texts = [label.text() for label in cast(list[QLabel], cards.findChildren(QLabel))]
    assert texts[0] == "Try it on the sample"
    for title in ("Pin what must stay", "Change its priority", "Nothing is final"):
        assert title in texts
    (undo,) = (spec for spec in specs() if spec.id == "undo")
    assert set(re.findall(r"Ctrl\S+Z", " ".join(texts))) == {undo.shortcut, undo.also}


def test_then_there_is_a_question_to_send(qtbot: QtBot):
    foot = LessonFoot()
    qtbot.addWidget(foot)
    words = [label.text() for label in cast(list[QLabel], foot.findChildren(QLabel))]
    assert words[0].startswith("Send the sample question")
