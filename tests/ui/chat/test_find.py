"""Finding words in a chat: what is counted, what is marked, and what is brought into sight."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from tests.fakes.widgets import all_of
from tests.ui.chat.chat_samples import answered, asked, chat_of, long_chat, result
from workbench.domain.message import Message, Thought, ToolCall
from workbench.engine.state import ChatState
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.feed import Answer
from workbench.ui.chat.pane import ChatPane, FindBar, Finder, Match, matches_in
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.found_words import wanted

STATE = sample_state()
MIXED = """A **needle in** hay, see [here](https://needle.example).

```needle
x = 'Needle'  # 😀 needle
```

| a | b |
|---|---|
| hay | needle |
"""


@pytest.fixture
def pane(qtbot: QtBot) -> ChatPane:
    made = ChatPane()
    qtbot.addWidget(made)
    made.resize(700, 600)
    made.show()
    return made


def show(pane: ChatPane, chat: ChatState) -> None:
    pane.show_state(STATE, chat)
    pane.transcript.finish_drawing()


def find(pane: ChatPane, words: str) -> Finder:
    pane.finder.open()
    pane.finder.bar.field.setText(words)
    pane.finder.finish()
    return pane.finder


def marked(pane: ChatPane, *, current: bool = False) -> list[str]:
    """What is marked on the screen, from the top; the current one only where told."""
    wanted_colour = QColor(colour("accent", theme_of(pane)))
    found: list[str] = []
    for view in pane.transcript.column.views():
        for browser in all_of(SafeBrowser, view):
            for one in browser.extraSelections() if browser.isVisible() else ():
                strong = one.format.background().color() == wanted_colour  # type: ignore[attr-defined]
                found += [one.cursor.selectedText()] if strong or not current else []  # type: ignore[attr-defined]
    return found


def mixed() -> ChatState:
    call = ToolCall("c1", "read", '{"path": "needle.txt"}')
    said = Message("a1", "assistant", (MIXED,), tool_calls=(call,), thinking=(Thought("a needle thought"),))
    first = replace(answered("a1", calls=(call,)), entry=said)
    return chat_of(asked("q1", "Where is the needle?"), first, result("t1", "c1", "one needle"))


def test_every_part_is_counted_marked_and_gone_to(pane: ChatPane):
    """What Markdown hides is not counted, and what is folded is unfolded when one comes to it."""
    show(pane, mixed())
    finder = find(pane, "needle")
    parts = [(place.key, place.part) for place in finder.matches()]
    assert parts == [
        ("q1", "text"), ("a1", "thinking"), ("a1", "text"), ("a1", "text"), ("a1", "text"), ("a1", "text"),
        ("a1", "call:0"), ("a1", "call:0"),
    ]  # fmt: skip
    assert finder.bar.count.text() == "1 of 8"
    assert marked(pane) == ["needle", "needle", "Needle", "needle", "needle"]
    assert marked(pane, current=True) == ["needle"]
    for _ in finder.matches():
        QTest.keyClick(finder.bar.field, Qt.Key.Key_Return)
        assert len(marked(pane, current=True)) == 1
    assert finder.current() == Match("q1", "text", 0)
    assert len(marked(pane)) == 8
    QTest.keyClick(finder.bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert finder.bar.count.text() == "8 of 8"
    finder.bar.case.setChecked(True)
    finder.finish()
    assert len(finder.matches()) == 7
    find(pane, "needle in hay")
    assert marked(pane, current=True) == ["needle in hay"]
    QTest.keyClick(finder.bar.field, Qt.Key.Key_Escape)
    assert finder.bar.isHidden()
    assert marked(pane) == []
    assert pane.composer.isAncestorOf(pane.focusWidget())


def test_a_message_without_a_widget_is_found_and_brought(pane: ChatPane):
    """In a long chat only some messages have widgets; the others must be found as well."""
    pane.show_state(STATE, long_chat(5_000))
    finder = find(pane, "(41)")
    assert finder.matches() == (Match("x41", "text", 0),)
    assert isinstance(pane.transcript.column.view("x41"), AnswerView)
    assert marked(pane, current=True) == ["(41)"]
    view = pane.transcript.column.view("x41")
    assert view is not None
    assert view.visibleRegion().boundingRect().height() > 0
    assert len(pane.transcript.column.views()) < 300


def test_what_is_said_meanwhile_is_found_and_another_chat_ends_it(pane: ChatPane):
    show(pane, chat_of(asked("q1", "word")))
    finder = find(pane, "word")
    show(pane, chat_of(asked("q1", "word"), answered("a1", "a word and a word")))
    finder.finish()
    pane.transcript.settle()
    assert finder.bar.count.text() == "1 of 3"
    assert marked(pane) == ["word", "word", "word"]
    other = chat_of(asked("q9", "word"))
    show(pane, replace(other, chat=replace(other.chat, id=f"{CHAT}-2")))
    assert not finder.is_open()


def test_words_that_were_found_elsewhere_are_marked_where_they_stand(pane: ChatPane):
    show(pane, chat_of(asked("q1", "alpha"), answered("a1", "beta and alpha")))
    pane.finder.show_words(CHAT, "a1", ("alpha", "beta"))
    pane.finder.finish()
    assert marked(pane) == ["alpha", "beta", "alpha"]
    assert pane.finder.current() == Match("a1", "text", 0)
    assert pane.finder.bar.count.text() == "2 of 3"


def test_nothing_wanted_is_nothing_found(qtbot: QtBot):
    assert wanted(("  ",)) is None
    pattern = wanted(("a.b",))
    assert pattern is not None
    assert matches_in(Answer("a1", answered("a1", "axb a.b")), pattern) == (Match("a1", "text", 0),)
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.field.setText("x")
    bar.show_count(None, 0)
    assert bar.count.text() == "Not found"
    assert not bar.next.isEnabled()


def test_what_a_tool_gave_back_is_shown_with_its_call(pane: ChatPane):
    """It is a message of its own to the search over all chats, and none in the transcript."""
    show(pane, mixed())
    pane.show_found(CHAT, "t1", ("one needle",))
    pane.finder.finish()
    assert pane.finder.current() == Match("a1", "call:0", 0)
    assert marked(pane, current=True) == ["one needle"]
