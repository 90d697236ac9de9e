"""Blocks one below the other: those that stay the same keep their widgets, long ones are read in turns."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.blocks import Code, Formula, Prose, Table
from workbench.ui.chat.text.code_block import CodeBlock
from workbench.ui.chat.text.formula_view import FormulaView
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import blocks_of, piece_parts
from workbench.ui.chat.text.prose import ProseView
from workbench.ui.chat.text.table_view import TableView

MIXED = "Words.\n\n```py\nx = 1\n```\n\n| a |\n|---|\n| 1 |\n\n$$x$$\n\nEnd.\n"


@pytest.fixture
def stack(qtbot: QtBot) -> BlockStack:
    ink = Ink()
    made = BlockStack(ink)
    made.ink_kept = ink  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    made.resize(400, 600)
    return made


def test_every_block_has_the_widget_of_its_kind(stack: BlockStack):
    stack.show_text(MIXED)
    assert [type(view) for view in stack.views()] == [ProseView, CodeBlock, TableView, FormulaView, ProseView]
    assert [type(block) for block in stack.blocks()] == [Prose, Code, Table, Formula, Prose]
    assert stack.blocks() == blocks_of(MIXED)


def test_a_text_that_changes_at_its_end_keeps_the_widgets_before(stack: BlockStack):
    stack.show_text(MIXED)
    before = stack.views()
    stack.show_text(MIXED + "\n```\nmore\n```\n")
    assert all(old is new for old, new in zip(before, stack.views(), strict=False))
    assert len(stack.views()) == len(before) + 1


def test_the_same_text_changes_nothing(stack: BlockStack):
    stack.show_text(MIXED)
    before = stack.views()
    stack.show_text(MIXED)
    assert all(old is new for old, new in zip(before, stack.views(), strict=True))


def test_what_is_added_is_the_same_as_what_is_shown_at_once(stack: BlockStack):
    for piece in ("Words.\n\n", "- a\n", "- b\n"):
        stack.add(piece, piece_parts(piece, after_blank=piece != "- b\n"))
    assert stack.blocks() == blocks_of("Words.\n\n- a\n- b\n")
    assert stack.source == "Words.\n\n- a\n- b\n"
    assert stack.is_whole()


def test_a_long_text_is_read_in_turns(stack: BlockStack, qtbot: QtBot):
    source = "\n\n".join(f"Paragraph {number}. " + "Words of it. " * 20 for number in range(120))
    stack.show_text(source)
    first = len(stack.blocks())
    assert not stack.is_whole()
    qtbot.waitUntil(stack.is_whole)
    assert len(stack.blocks()) > first
    assert stack.blocks() == blocks_of(source)


def test_more_than_a_page_waits_for_a_click(stack: BlockStack):
    source = "\n\n".join(f"Paragraph {number}. " + "x" * 600 for number in range(400))
    stack.show_text(source)
    stack.read_all()
    assert not stack.is_whole()
    assert stack.more is not None
    assert stack.more.text().startswith("Show more")
    shown = len(stack.text())
    assert shown <= 110_000
    stack.more.click()
    stack.read_all()
    assert len(stack.text()) > shown
    while not stack.is_whole():
        stack.show_more()
        stack.read_all()
    assert "Paragraph 399." in stack.text()
    assert stack.more.isHidden()


def test_links_are_told_on(stack: BlockStack, qtbot: QtBot):
    stack.show_text("[a](https://a.example/)")
    view = stack.views()[0]
    assert isinstance(view, ProseView)
    with qtbot.waitSignal(stack.link_wished) as told:
        view.link_wished.emit("https://a.example/")
    assert told.args == ["https://a.example/"]


def test_a_colour_is_given_to_all_prose(stack: BlockStack):
    stack.set_token("t3")
    stack.show_text(MIXED)
    view = stack.views()[0]
    assert view.property("token") == "t3"
    stack.set_token("t1")
    assert view.property("token") == "t1"
