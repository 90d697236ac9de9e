"""A growing answer: what is complete keeps its widgets, and at the end it is the same as the finished one."""

from __future__ import annotations

import re

import pytest
from pytestqt.qtbot import QtBot

from tests.fakes import sample_texts as texts
from tests.ui.chat.text.test_pieces import document
from workbench.ui.chat.text.blocks import Code, Prose, Table
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import blocks_of
from workbench.ui.chat.text.prose import ProseView
from workbench.ui.chat.text.streaming import CURSOR_HEIGHT, MOST_CHARS, GrowingText, Tail


@pytest.fixture
def growing(qtbot: QtBot) -> GrowingText:
    made = GrowingText(Ink())
    qtbot.addWidget(made)
    made.resize(548, 600)
    made.show()
    return made


def feed(growing: GrowingText, text: str, step: int = 7) -> None:
    for length in range(step, len(text) + step, step):
        growing.show_text(text[:length])


@pytest.mark.parametrize("text", [texts.ANSWER_8, texts.STREAMING_9, texts.ANSWER_8 * 4, "", "one"])
def test_the_end_is_the_same_as_the_finished_answer(growing: GrowingText, text: str):
    feed(growing, text)
    assert growing.finish(text).blocks() == blocks_of(text)
    assert growing.body.source == text


@pytest.mark.parametrize("seed", range(12))
def test_so_it_is_for_any_document(growing: GrowingText, seed: int):
    text = document(seed)
    feed(growing, text, 11)
    assert growing.finish(text).blocks() == blocks_of(text)


def test_finished_blocks_keep_their_widgets_while_the_end_grows(growing: GrowingText, qtbot: QtBot):
    feed(growing, texts.ANSWER_8)
    frozen = growing.body.views()
    assert len(frozen) == 2
    growing.show_text(texts.ANSWER_8 + "\n\nAnd so")
    growing.show_text(texts.ANSWER_8 + "\n\nAnd so on.")
    assert all(old is new for old, new in zip(frozen, growing.body.views(), strict=False))
    qtbot.waitUntil(lambda: growing.tail.text() == "And so on.")


def test_prose_that_goes_on_stays_in_its_widget(growing: GrowingText):
    growing.show_text("One.\n\nTwo")
    (first,) = growing.body.views()
    growing.show_text("One.\n\nTwo.\n\nThree")
    (same,) = growing.body.views()
    assert same is first
    assert isinstance(same, ProseView)
    assert same.toPlainText() == "One.\nTwo."


def test_a_closed_fence_is_finished_at_once(growing: GrowingText):
    growing.show_text("```py\nx = 1\n``")
    assert growing.tail.is_code()
    assert growing.tail.code.lines() == ("x = 1",)
    growing.show_text("```py\nx = 1\n```\nS")
    assert len(growing.body.views()) == 1
    assert growing.tail.text() == "S"


def test_another_text_begins_anew(growing: GrowingText):
    growing.show_text("One.\n\nTwo")
    growing.show_text("Another.\n\nText")
    assert growing.body.source == "Another.\n\n"
    assert growing.text == "Another.\n\nText"


def test_an_answer_without_end_stops_being_laid_out(growing: GrowingText):
    text = "word " * 30_000
    growing.show_text("Start.\n\n" + text + "\n\nMore")
    growing.show_text("Start.\n\n" + text + "\n\nMore\n\nand more")
    assert len(growing.body.source) < 160_000
    growing.finish(growing.text)


RICH = """The **first** caller, see [the docs](https://a.example/b "title"), *takes* the `lock`; ~~others~~ wait.
It is ***loud*** and __firm__, ![a picture](https://a.example/p.png) too.

## What **it** does

- an item with **bold words** and `code`
- [ ] a task
  - nested *words*
    ```py
    x = "**not bold**"
    ```

1. first **one**
2. second

| name | **what** |
|:-----|---------:|
| `a`  | *first* one |
| b    | [link](https://a.example/c) |

> a quote with **bold**

```js
let a = `x` // **raw**
```

The end.
"""
RAW = re.compile(
    r"[*_~]{2}|\|[-: |]*-|\]\(|https://a\.example/[bc]|^\s*(?:#+|\||```|>|=+)|\*\w|\w\*", re.MULTILINE
)


def said_by(growing: GrowingText) -> str:
    """What can be read of an answer while it grows; code is left out, since everything in it is meant as it stands."""
    blocks = (*growing.body.blocks(), *growing.tail.said.blocks())
    spans = [
        span
        for block in blocks
        for span in (
            (span for line in block.lines for span in line.spans)
            if isinstance(block, Prose)
            else (span for row in block.rows for cell in row for span in cell)
            if isinstance(block, Table)
            else ()
        )
    ]
    return "\n".join(span.text for span in spans if not span.code)


def test_nothing_half_written_is_shown_raw(growing: GrowingText, monkeypatch: pytest.MonkeyPatch):
    """A table was bars and dashes until its last row was there, and every bold word began with two stars."""
    monkeypatch.setattr("workbench.ui.chat.text.streaming.DEAR_MS", 1_000_000)
    raw = {}
    for length in range(1, len(RICH) + 1):
        growing.show_text(RICH[:length])
        if RAW.search(said_by(growing).replace("https://a.example/p.png", "")):
            raw[RICH[max(0, length - 30) : length]] = said_by(growing)[-60:]
    assert raw == {}
    assert growing.finish(RICH).blocks() == blocks_of(RICH)


def test_an_end_that_takes_long_is_laid_out_less_often(growing: GrowingText, qtbot: QtBot):
    """A table of many rows is laid out as a whole: at every word of it, the window would stand still."""
    table = "| a | b |\n|---|---|\n" + "".join(f"| row {n} | words of it |\n" for n in range(80))
    growing.show_text(table)
    shown = growing.tail.text()
    for length in range(1, 20):
        growing.show_text(table + "| one more row"[:length])
    assert growing.tail.text() == shown
    qtbot.waitUntil(lambda: growing.tail.text() == table + "| one more row")
    assert growing.text == table + "| one more row"


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
