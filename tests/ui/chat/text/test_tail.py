"""The end of a growing answer: laid out line by line, cheap however long it is."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.tail import MOST_CHARS, Tail


def tail(qtbot: QtBot, text: str, width: int = 400) -> Tail:
    made = Tail()
    qtbot.addWidget(made)
    made.show_text(text)
    made.resize(width, made.heightForWidth(width))
    made.show()
    return made


def test_it_is_as_high_as_its_lines(qtbot: QtBot):
    made = tail(qtbot, "one line")
    assert made.heightForWidth(400) == 22
    made.show_text("one line\nand another")
    assert made.heightForWidth(400) == 44
    made.show_text("words " * 60)
    assert made.heightForWidth(200) > made.heightForWidth(400) > 44


def test_lines_that_stay_are_not_laid_out_again(qtbot: QtBot):
    made = tail(qtbot, "first\nsec")
    first = made._rows[0]
    made.show_text("first\nsecond")
    assert made._rows[0] is first


def test_a_list_stands_where_it_will_stand(qtbot: QtBot):
    made = tail(qtbot, "2. the new token\n   - nested")
    assert [(row.marker, row.indent) for row in made._rows] == [("2.", 24), ("•", 48)]
    assert not made.grab().isNull()


def test_code_that_is_not_closed_is_shown_as_code(qtbot: QtBot):
    made = tail(qtbot, "```python\ndef f():\n    ret")
    assert made.is_code()
    assert made.heightForWidth(400) == 28 + 18 + 2 * 19
    assert not made.grab().isNull()
    made.show_text("no code")
    assert not made.is_code()


def test_an_empty_end_takes_no_room(qtbot: QtBot):
    made = tail(qtbot, "words")
    made.show_text("")
    assert made.heightForWidth(400) == 0
    assert made.text() == ""


def test_a_word_without_end_can_be_painted(qtbot: QtBot):
    made = tail(qtbot, "a" * 1_000_000)
    assert made.heightForWidth(400) < MOST_CHARS
    assert not made.grab().isNull()
    assert not tail(qtbot, "```\n" + "x\n" * 100_000).grab().isNull()


def test_hidden_signs_are_written_out(qtbot: QtBot):
    made = tail(qtbot, "a\u202eb")
    assert made._rows[0].layout.text() == "a⟨U+202E⟩b"
