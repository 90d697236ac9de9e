"""The window into a chat: items that stay the same keep their widgets, and far ones have none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.chat.chat_samples import answered, asked, chat_of, long_chat
from workbench.domain.summary import Summary
from workbench.engine.state import ChatState, RunningTurn
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.arriving_view import ArrivingView
from workbench.ui.chat.messages.feed import Arriving, Item, SummaryMark, TrimMark, items_of
from workbench.ui.chat.messages.question_view import QuestionView
from workbench.ui.chat.standing import Marks
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.transcript.feed_column import LIVE, FeedColumn, SummaryRule, TrimRule

ONE = Summary("s", "Mara wants <b>3</b>.", ("u1", "a1"), "gpt-4o")


@pytest.fixture
def column(qtbot: QtBot) -> FeedColumn:
    ink = Ink()
    made = FeedColumn(ink)
    made.ink_kept = ink  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    made.resize(548, 600)
    return made


def items(chat: ChatState) -> tuple[Item, ...]:
    return items_of(chat, Marks())


def opened(column: FeedColumn, chat: ChatState, live: int = 4) -> FeedColumn:
    shown = items(chat)
    column.open_at(shown, len(shown))
    for _ in range(live):
        column.make_earlier()
    return column


def keys(column: FeedColumn) -> list[str]:
    return [item.key for item in column.items()[column.first : column.last]]


def test_widgets_are_made_from_the_end(column: FeedColumn):
    opened(column, long_chat(10), 3)
    assert keys(column) == ["x7", "x8", "x9"]
    assert [type(view) for view in column.views()] == [AnswerView, QuestionView, AnswerView]
    assert column.reaches_end()


def test_at_the_ends_nothing_more_is_made(column: FeedColumn):
    opened(column, long_chat(2), 2)
    assert not column.make_earlier()
    assert not column.make_later()


def test_what_stays_the_same_keeps_its_widget(column: FeedColumn):
    chat = chat_of(asked("a"), answered("b"), asked("c"), answered("d"))
    opened(column, chat)
    before = column.views()
    column.show_items(items(replace(chat, records=(*chat.records, asked("e")))))
    assert all(old is new for old, new in zip(before, column.views(), strict=False))
    assert keys(column) == ["a", "b", "c", "d", "e"]


def test_a_message_that_changed_is_shown_anew_in_its_widget(column: FeedColumn):
    chat = chat_of(asked("a"), answered("b", "old"))
    opened(column, chat)
    view = column.view("b")
    column.show_items(items(chat_of(asked("a"), answered("b", "new"))))
    assert column.view("b") is view
    assert isinstance(view, AnswerView)
    assert view.body.source == "new"


def test_another_branch_takes_the_place_of_what_is_gone(column: FeedColumn):
    opened(column, chat_of(asked("a"), answered("b"), asked("c"), answered("d")))
    first = column.view("a")
    column.show_items(items(chat_of(asked("a"), answered("z"))))
    assert keys(column) == ["a", "z"]
    assert column.view("a") is first
    assert column.view("d") is None


def test_a_column_that_does_not_reach_the_end_stays_where_it_is(column: FeedColumn):
    shown = items(long_chat(50))
    column.open_at(shown, 10)
    for _ in range(3):
        column.make_later()
    assert keys(column) == ["x10", "x11", "x12"]
    assert not column.reaches_end()
    column.show_items(items(long_chat(60)))
    assert keys(column) == ["x10", "x11", "x12"]


def test_old_widgets_are_left_when_there_are_too_many(column: FeedColumn):
    opened(column, long_chat(2 * LIVE + 10), 2 * LIVE)
    column.show_items(items(long_chat(2 * LIVE + 20)))
    column.leave_old()
    assert column.last - column.first == LIVE
    assert len(column.stack_items()) == LIVE
    assert column.reaches_end()


def test_who_scrolls_through_a_long_chat_has_a_bounded_number_and_the_same_ones(column: FeedColumn):
    """Each message that is made measures all that have widgets: a way through thousands became slower and slower."""
    opened(column, long_chat(5 * LIVE), LIVE)
    before: set[AnswerView] = set(column.findChildren(AnswerView))
    for _ in range(LIVE):
        column.make_earlier()
        column.leave_one(10_000, below=True)
    assert (column.first, column.last) == (3 * LIVE, 4 * LIVE)
    assert set(column.views()) & before, "what was far away shows what came near"
    for _ in range(LIVE):
        column.make_later()
        column.leave_one(10_000, below=False)
    assert column.reaches_end()
    assert len(column.stack_items()) == len(column.views()) == LIVE
    there: set[AnswerView] = set(column.findChildren(AnswerView))
    assert len(there) <= len(before) + 1


def test_the_next_chat_is_shown_by_the_widgets_of_the_one_before(column: FeedColumn):
    opened(column, long_chat(10), 4)
    before = set(column.views())
    other = tuple(replace(item, key=f"other {item.key}") for item in items(long_chat(10)))
    column.open_at(other, len(other))
    for _ in range(4):
        column.make_earlier()
    assert set(column.views()) == before
    assert [view.isVisibleTo(column) for view in column.views()] == [True] * 4
    assert keys(column) == ["other x6", "other x7", "other x8", "other x9"]


def test_a_widget_that_somebody_pointed_at_shows_no_other_message(column: FeedColumn):
    """It has buttons, words that were found or a selection, which are about the message it showed."""
    opened(column, long_chat(10), 4)
    touched = column.views()[-1]
    assert isinstance(touched, AnswerView)
    touched.buttons.reveal(True)
    other = tuple(replace(item, key=f"other {item.key}") for item in items(long_chat(10)))
    column.open_at(other, len(other))
    for _ in range(6):
        column.make_earlier()
    assert touched not in column.views()


def test_the_answer_that_grows_is_shown_without_looking_at_the_rest(column: FeedColumn):
    chat = replace(chat_of(asked("a")), running=RunningTurn(1, "a", text="One"))
    opened(column, chat)
    view = column.view("running:a")
    assert isinstance(view, ArrivingView)
    grown = Arriving("running:a", RunningTurn(1, "a", text="One, two"), "")
    assert column.show_arriving(grown)
    assert view.growing.text == "One, two"
    assert column.items()[-1] is grown
    assert not column.show_arriving(replace(grown, key="running:z"))


def test_the_finished_answer_takes_over_the_blocks_that_are_shown(column: FeedColumn):
    """Laid out again, a long answer would flicker and stall at the moment it is finished."""
    text = "One.\n\n```py\nx = 1\n```\n\nTwo."
    chat = replace(chat_of(asked("a")), running=RunningTurn(1, "a", text=text))
    opened(column, chat)
    arriving = column.view("running:a")
    assert isinstance(arriving, ArrivingView)
    frozen = arriving.growing.body.views()
    column.show_items(items(chat_of(asked("a"), answered("b", text))))
    view = column.view("b")
    assert isinstance(view, AnswerView)
    assert all(old is new for old, new in zip(frozen, view.body.views(), strict=False))
    assert view.body.text() == "One.\n\nx = 1\n\nTwo."
    assert column.view("running:a") is None


def test_marks_are_kept_for_widgets_that_are_made_later(column: FeedColumn):
    opened(column, long_chat(6), 2)
    column.mark(("x3", "x5"))
    last = column.view("x5")
    assert last is not None
    assert last.is_marked()
    column.make_earlier()
    column.make_earlier()
    earlier = column.view("x3")
    assert earlier is not None
    assert earlier.is_marked()
    column.mark(())
    assert not last.is_marked()


def test_what_a_message_asks_is_told_on(column: FeedColumn, qtbot: QtBot):
    opened(column, long_chat(2), 2)
    view = column.view("x1")
    assert view is not None
    with qtbot.waitSignal(column.asked) as told:
        view.asked.emit("copy", "x1")
    assert told.args == ["copy", "x1"]


def test_it_says_how_many_and_by_whom_is_unfolded_and_undone(qtbot: QtBot):
    rule = SummaryRule(Ink())
    qtbot.addWidget(rule)
    rule.show_item(SummaryMark("s", ONE))
    rule.resize(600, 40)
    rule.show()
    assert rule.line.words() == "2 messages above are sent as a summary"
    assert rule.line.note() == "written by gpt-4o"
    assert rule.bodies() == {}
    rule.read.click()
    assert rule.body.isVisible()
    assert list(rule.bodies()) == ["text"]
    rule.read.click()
    assert not rule.body.isVisible()
    with qtbot.waitSignal(rule.asked) as asked:
        rule.undo.click()
    assert asked.args == ["undo_summary", "s"]


def test_it_counts_messages_and_tokens_and_brings_them_back(qtbot: QtBot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", tuple(f"m{n}" for n in range(1, 13)), 1_480))
    assert made.line.words() == "12 messages above are trimmed, 1,480 tokens"
    made.resize(548, made.heightForWidth(548))
    made.show()
    assert not made.grab().isNull()
    with qtbot.waitSignal(made.asked) as told:
        made.untrim.click()
    assert told.args == ["untrim", "m1"]


def test_it_says_when_they_were_cut_and_why(qtbot: QtBot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", ("m2",), 9, since_turn=13, threshold_tokens=25_600))
    assert made.line.note() == "cut before turn 13: the request was over 25,600 tokens"
    with_note = made.heightForWidth(548)
    made.resize(548, with_note)
    made.show()
    assert not made.grab().isNull()
    made.show_item(TrimMark("trim", ("m2",), 9, threshold_tokens=25_600))
    assert made.line.note() == "cut for the next request: it would be over 25,600 tokens"
    made.show_item(TrimMark("trim", ("m2",), 9))
    assert made.line.note() == ""
    assert made.heightForWidth(548) < with_note


def test_it_says_how_many_come_back(qtbot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", ("m2", "m4"), 9, back=1))
    assert made.line.words() == "2 messages above are trimmed, 9 tokens; 1 recalled in full"
    made.show_item(TrimMark("trim", ("m2", "m4"), 9, back=2))
    assert made.line.words().endswith("; 2 recalled in full")


def test_of_what_left_it_says_so_and_of_an_old_cut_only_when(qtbot: QtBot):
    made = TrimRule(Ink())
    qtbot.addWidget(made)
    made.show_item(TrimMark("trim", ("m1", "m2"), 0, since_turn=22))
    assert (made.line.words(), made.line.note()) == (
        "2 messages above are dropped",
        "cut before turn 22",
    )
