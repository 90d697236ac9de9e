"""The end of a growing answer: shown as what it becomes, cheap however long it is."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.blocks import Code, Prose, Table
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.prose import ProseView
from workbench.ui.chat.text.tail import CURSOR_HEIGHT, MOST_CHARS, Tail


@pytest.fixture
def ink(qapp: object) -> Ink:
    return Ink()


def tail(qtbot: QtBot, ink: Ink, text: str, width: int = 400) -> Tail:
    made = Tail(ink)
    qtbot.addWidget(made)
    made.show_text(text)
    made.resize(width, made.heightForWidth(width))
    made.show()
    return made


def test_it_is_as_high_as_its_lines(qtbot: QtBot, ink: Ink):
    made = tail(qtbot, ink, "one line")
    assert made.heightForWidth(400) == 22
    made.show_text("one line\n\nand another")
    assert made.heightForWidth(400) == 22 + 8 + 22
    made.show_text("words " * 60)
    assert made.heightForWidth(200) > made.heightForWidth(400) > 44


def test_words_that_come_stay_in_their_widget(qtbot: QtBot, ink: Ink):
    made = tail(qtbot, ink, "a **bo")
    (view,) = made.said.views()
    made.show_text("a **bold** word")
    assert made.said.views() == (view,)
    assert isinstance(view, ProseView)
    assert view.toPlainText() == "a bold word"


def test_a_table_is_one_from_its_head_on(qtbot: QtBot, ink: Ink):
    made = tail(qtbot, ink, "| a | b")
    (table,) = made.said.blocks()
    assert isinstance(table, Table)
    made.show_text("| a | b |\n|---|---|\n| 1 | **tw")
    (table,) = made.said.blocks()
    assert isinstance(table, Table)
    assert [[cell[0].text for cell in row] for row in table.rows] == [["a", "b"], ["1", "tw"]]


def test_the_cursor_stands_behind_the_last_word(qtbot: QtBot, ink: Ink):
    made = tail(qtbot, ink, "one")
    before = made.caret.x()
    made.show_text("one and more")
    assert not made.caret.isHidden()
    assert made.caret.x() > before
    assert 0 <= made.caret.y() <= 22 - CURSOR_HEIGHT + 4
    assert not made.grab().isNull()
    made.show_text("| a | b |\n|---|---|\n| 1 |")
    made.resize(400, made.heightForWidth(400))
    assert made.caret.y() > 22
    made.show_text("```\nx")
    assert made.caret.isHidden()


def test_code_that_is_not_closed_is_shown_as_code(qtbot: QtBot, ink: Ink):
    made = tail(qtbot, ink, "```python\ndef f():\n    ret")
    assert made.is_code()
    assert made.heightForWidth(400) == 28 + 18 + 2 * 19
    assert not made.grab().isNull()
    made.show_text("Look:\n\n- here\n  ```python\n  x\n    y")
    assert made.is_code()
    assert made.code.lines() == ("x", "  y")
    assert [type(block) for block in made.said.blocks()] == [Prose]
    assert [place.indent for place in made.stack_items()] == [0, 24]
    made.show_text("```python\nx\n```")
    assert not made.is_code()
    assert made.said.blocks() == (Code("x", "python"),)


def test_an_empty_end_takes_no_room(qtbot: QtBot, ink: Ink):
    made = tail(qtbot, ink, "words")
    made.show_text("")
    assert made.heightForWidth(400) == 0
    assert made.text() == ""


def test_a_word_without_end_can_be_painted(qtbot: QtBot, ink: Ink):
    made = tail(qtbot, ink, "a" * 1_000_000)
    assert made.heightForWidth(400) < MOST_CHARS
    assert not made.grab().isNull()
    assert not tail(qtbot, ink, "```\n" + "x\n" * 100_000).grab().isNull()


def test_hidden_signs_are_written_out(qtbot: QtBot, ink: Ink):
    made = tail(qtbot, ink, "a\u202eb")
    (view,) = made.said.views()
    assert isinstance(view, ProseView)
    assert view.toPlainText() == "a⟨U+202E⟩b"
