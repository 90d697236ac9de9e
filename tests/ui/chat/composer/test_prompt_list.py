"""Prompts behind a /: which are offered, what is written, and how Tab walks through what is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.ui.chat.composer.test_completion import EMPTY, STATE, Stage
from workbench.domain.shown.completion_view import typed_prompt
from workbench.domain.workspace import SavedPrompt
from workbench.ui.chat.composer.composer import PromptCompletion

Key = Qt.Key
PROMPTS = (
    SavedPrompt("Review", "Review {{file}} of {{date}} for {{who}}."),
    SavedPrompt("Preview", "Show it."),
    SavedPrompt("Elsewhere", "No.", "other"),
)


@pytest.fixture
def desk(qtbot: QtBot) -> PromptCompletion:
    stage = Stage(qtbot)
    assert EMPTY.view is not None
    chat = replace(EMPTY, view=replace(EMPTY.view, values={"date": "today"}))
    stage.composer.show_state(replace(STATE, prompts=PROMPTS), chat)
    stage.text.setFocus()
    found = stage.composer.prompts
    found.setProperty("stage", stage)
    return found


def offered(desk: PromptCompletion) -> list[str]:
    return [offer.name for offer in desk.offers.model.items]


def test_names_are_offered_where_a_word_begins_and_escape_leaves_them(desk):
    text = desk._text
    QTest.keyClicks(text, "and/r")
    assert not desk.is_open()
    QTest.keyClicks(text, " /")
    assert offered(desk) == ["Preview", "Review"], "not those of another workspace"
    QTest.keyClicks(text, "rev")
    assert offered(desk) == ["Review", "Preview"], "what begins so comes first"
    QTest.keyClick(text, Key.Key_Escape)
    assert not desk.is_open()
    assert text.text() == "and/r /rev"


def test_what_is_known_is_filled_and_tab_walks_through_the_rest(desk):
    text = desk._text
    text.insertPlainText("😀 ")  # counted as two by Qt
    QTest.keyClicks(text, "/rev")
    QTest.keyClick(text, Key.Key_Return)
    assert text.text() == "😀 Review {{file}} of today for {{who}}."
    assert text.textCursor().selectedText() == "{{file}}"
    QTest.keyClick(text, Key.Key_Tab)
    assert text.textCursor().selectedText() == "{{who}}"
    QTest.keyClicks(text, "me")
    QTest.keyClick(text, Key.Key_Tab)
    assert text.textCursor().selectedText() == "{{file}}"
    QTest.keyClicks(text, "a.py")
    assert text.text() == "😀 Review a.py of today for me."
    assert text.hasFocus()


@pytest.mark.parametrize(
    ("before", "word"),
    [("/", ""), ("Hi /re no", "re no"), ("a\n/x", "x"), ("/etc/x", None), ("http://", None)],
)
def test_a_slash_begins_a_name_only_at_the_beginning_of_a_word(before, word):
    found = typed_prompt(before)
    assert (None if found is None else found.word) == word


def test_without_any_prompt_a_slash_says_how_to_make_one(qtbot: QtBot):
    """Nothing happened, and nobody found out what a slash is for."""
    stage = Stage(qtbot)
    wished: list[object] = []
    stage.composer.wishes.wish.connect(wished.append)
    stage.composer.show_state(replace(STATE, prompts=()), EMPTY)
    desk = stage.composer.prompts
    stage.type("/")
    assert offered(desk) == ["No prompts yet: press Enter to write one"]
    stage.type("e")
    assert not desk.is_open(), "somebody names a path, or writes on"
    stage.press(Key.Key_Backspace)
    stage.press(Key.Key_Return)
    assert wished == ["prompts"]
    assert stage.text.text() == ""
    stage.type("/")
    stage.composer.show_state(replace(STATE, prompts=PROMPTS), EMPTY)
    assert offered(desk) == ["Preview", "Review"]
