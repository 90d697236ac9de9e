"""Thoughts: one line until somebody wants to read them."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.chat.messages.thinking import Thinking, thought_words
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink


def thinking(qtbot: QtBot, ink: Ink) -> Thinking:
    made = Thinking(ink)
    qtbot.addWidget(made)
    made.resize(400, 200)
    made.show()
    made.show_thoughts("First, the lock.", "Thought for 3 s")
    return made


def test_it_unfolds_and_folds(qtbot: QtBot):
    ink = Ink()
    made = thinking(qtbot, ink)
    folded = made.heightForWidth(400)
    assert not made.findChildren(BlockStack)
    QTest.mouseClick(made.line, Qt.MouseButton.LeftButton)
    assert made.is_unfolded()
    assert made.heightForWidth(400) > folded
    assert made.line.accessibleDescription() == "unfolded"
    QTest.keyClick(made.line, Qt.Key.Key_Space)
    assert made.heightForWidth(400) == folded


def test_thoughts_that_grow_are_followed_while_they_are_read(qtbot: QtBot):
    ink = Ink()
    made = thinking(qtbot, ink)
    made.line.click()
    made.show_thoughts("First, the lock. Then the clock.", "Thinking…")
    body = cast(BlockStack, made.findChild(BlockStack))
    assert body.source == "First, the lock. Then the clock."
    assert made.line.accessibleName() == "Thinking…"
    assert made.text() == "First, the lock. Then the clock."
    assert not made.grab().isNull()


def test_the_line_says_what_is_known(qapp: object):
    assert thought_words(3_200, 214) == "Thought for 3 s · 214 tokens"
    assert thought_words(200, None) == "Thought for 1 s"
    assert thought_words(None, 1_214) == "Thought · 1,214 tokens"
    assert thought_words(None, None) == "Thought"
    assert thought_words(100, 1, going_on=True) == "Thinking…"
