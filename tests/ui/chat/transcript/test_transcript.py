"""The transcript: what it shows of a state, what it touches, and what it asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.fakes.influence_results import first_key, looked_back, measuring
from tests.fakes.sample_state import CHAT, sample_state, waiting_tool
from tests.fakes.widgets import point_at, point_away
from tests.ui.chat.chat_samples import answered, asked, chat_of, long_chat, sample, turn
from workbench.domain.answer import Failure
from workbench.domain.shown.envelope_view import PriceTag, RowKey, StepPrice
from workbench.domain.turn import Tuning
from workbench.engine.intents import (
    AnswerToolRequest,
    ContinueAnswer,
    EditQuestion,
    PriceStep,
    RegenerateAnswer,
    ShowBranch,
)
from workbench.engine.state import ChatState, RunningTurn
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.arriving_view import ArrivingView
from workbench.ui.chat.messages.failure_card import FailureView
from workbench.ui.chat.messages.feed import items_of, key_of
from workbench.ui.chat.messages.question_view import QuestionView
from workbench.ui.chat.standing import Marks
from workbench.ui.chat.text.prose import ProseView
from workbench.ui.chat.text.safe_text import LinkPopup
from workbench.ui.chat.text.selection import Selection
from workbench.ui.chat.transcript.feed_column import TrimRule
from workbench.ui.chat.transcript.following_scroll import FollowingScroll
from workbench.ui.chat.transcript.transcript import CarriedWords, Overlays, Transcript
from workbench.ui.wishes import KeepPrompt, OpenLink, OpenSettings, Remember

STATE = sample_state()


@pytest.fixture
def transcript(qtbot: QtBot) -> Transcript:
    made = Transcript()
    qtbot.addWidget(made)
    made.resize(596, 600)
    made.show()
    return made


def answer(transcript: Transcript, key: str) -> AnswerView:
    view = transcript.column.view(key)
    assert isinstance(view, AnswerView)
    return view


def question(transcript: Transcript, key: str) -> QuestionView:
    view = transcript.column.view(key)
    assert isinstance(view, QuestionView)
    return view


def show(transcript: Transcript, chat: ChatState | None) -> None:
    transcript.show_state(STATE, chat)


def test_the_sample_is_shown(transcript: Transcript):
    show(transcript, sample())
    kinds = [type(view) for view in transcript.column.views()]
    assert kinds == [QuestionView, AnswerView, QuestionView, AnswerView]
    names = [view.accessibleName() for view in transcript.column.views()]
    assert names[0] == "Question, 13:57"
    assert names[-1] == "Answer by gpt-4.1-mini, 14:01"


def test_the_same_state_touches_nothing(transcript: Transcript):
    chat = sample()
    show(transcript, chat)
    items, views = transcript.column.items(), transcript.column.views()
    show(transcript, chat)
    show(transcript, replace(chat, draft="typing"))
    assert transcript.column.items() is items
    assert all(old is new for old, new in zip(views, transcript.column.views(), strict=True))


def test_a_key_in_the_composer_touches_nothing(transcript: Transcript):
    """With every key there is another request; the messages in it stand as they stood."""
    chat = sample()
    show(transcript, chat)
    items = transcript.column.items()
    assert chat.view is not None
    show(transcript, replace(chat, view=replace(chat.view, total_tokens=12_000)))
    assert transcript.column.items() is items


def test_unchanged_records_keep_their_widgets(transcript: Transcript):
    chat = sample()
    show(transcript, chat)
    before = transcript.column.views()
    show(transcript, replace(chat, records=(*chat.records, asked("m17"))))
    assert all(old is new for old, new in zip(before, transcript.column.views(), strict=False))
    assert len(transcript.column.views()) == 5


def test_another_chat_begins_anew_and_none_is_empty(transcript: Transcript):
    show(transcript, sample())
    assert not transcript.overlays.no_chat.isVisible()
    show(transcript, None)
    assert transcript.column.views() == ()
    assert transcript.overlays.no_chat.isVisible()
    show(transcript, chat_of())
    assert transcript.overlays.ask.isVisible()


def test_an_empty_transcript_leads_to_a_new_chat(transcript: Transcript, qtbot: QtBot):
    with qtbot.waitSignal(transcript.wishes.wish) as told:
        transcript.overlays.no_chat.button.click()
    assert told.args == ["new-chat"]


def test_only_the_growing_answer_is_touched_while_it_grows(transcript: Transcript):
    chat = replace(long_chat(40), running=RunningTurn(20, "x38", text="One"))
    show(transcript, chat)
    views = transcript.column.views()
    for text in ("One, two", "One, two\n\nThree"):
        show(transcript, replace(chat, running=RunningTurn(20, "x38", text=text)))
    assert all(old is new for old, new in zip(views, transcript.column.views(), strict=True))
    last = views[-1]
    assert isinstance(last, ArrivingView)
    assert last.growing.text == "One, two\n\nThree"


def test_a_turn_that_ends_leaves_its_blocks_in_place(transcript: Transcript):
    text = "Words.\n\n```py\nx = 1\n```\n\nEnd."
    chat = replace(chat_of(asked("q")), running=RunningTurn(1, "q", text=text))
    show(transcript, chat)
    running = transcript.column.view("running:q")
    assert isinstance(running, ArrivingView)
    frozen = running.growing.body.views()
    show(transcript, chat_of(asked("q"), answered("a", text), turns=(turn(1, "q", "a"),)))
    assert answer(transcript, "a").body.views()[0] is frozen[0]
    assert transcript.column.view("running:q") is None


def test_answers_can_be_given_again_and_branches_changed(transcript: Transcript, qtbot: QtBot):
    show(transcript, sample())
    view = answer(transcript, "m16")
    assert view.foot is not None
    with qtbot.waitSignal(transcript.wishes.intent) as told:
        QTest.mouseClick(view.foot.regenerate, Qt.MouseButton.LeftButton)
    assert told.args == [RegenerateAnswer(CHAT, "m15")]
    assert view.head.siblings is not None
    with qtbot.waitSignal(transcript.wishes.intent) as told:
        QTest.mouseClick(view.head.siblings.after, Qt.MouseButton.LeftButton)
    assert told.args == [ShowBranch(CHAT, "m16c")]


def test_an_edited_question_is_sent_as_a_branch(transcript: Transcript, qtbot: QtBot):
    show(transcript, sample())
    view = transcript.column.view("m15")
    assert isinstance(view, QuestionView)
    view.edit()
    editor = view.editor()
    assert editor is not None
    editor.text.setPlainText("Other words")
    with qtbot.waitSignal(transcript.wishes.intent) as told:
        QTest.keyClick(editor.text, Qt.Key.Key_Return)
    assert told.args == [EditQuestion(CHAT, "m15", "Other words")]


def test_the_view_follows_after_a_question_was_edited_and_sent_again(transcript: Transcript, qapp):
    """Its answer arrived out of sight, at the end of another branch."""
    pairs = [(asked(f"q{n}"), answered(f"a{n}", text="Words.\n\n" * 9)) for n in range(9)]
    chat = chat_of(*(one for pair in pairs for one in pair))
    show(transcript, chat)
    assert transcript.to_message("q1")
    view = question(transcript, "q1")
    view.edit()
    editor = view.editor()
    assert editor is not None
    editor.text.setPlainText("Other words")
    QTest.keyClick(editor.text, Qt.Key.Key_Return)
    again = chat_of(*pairs[0], asked("q1b"), answered("a1b", text="Other.\n\n" * 40))
    show(transcript, replace(again, chat=chat.chat))
    qapp.processEvents()
    bar = transcript.verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()


def test_a_stopped_answer_is_gone_on_with(transcript: Transcript, qtbot: QtBot):
    show(
        transcript, chat_of(asked("q"), answered("a", state="stopped"), turns=(turn(1, "q", "a", "stopped"),))
    )
    view = answer(transcript, "a")
    assert view.foot is not None
    assert view.foot.resume is not None
    with qtbot.waitSignal(transcript.wishes.intent) as told:
        view.foot.resume.click()
    assert told.args == [ContinueAnswer(CHAT, "a")]


def test_leaving_out_is_a_step(transcript: Transcript, qtbot: QtBot):
    show(transcript, sample())
    with qtbot.waitSignal(transcript.wishes.step) as told:
        answer(transcript, "m14").asked.emit("leave_out", "m14")
    assert told.args[0].do == (TuneMessages(CHAT, leave_out=frozenset({"m14"})),)


def test_what_is_left_out_or_trimmed_looks_so(transcript: Transcript, qtbot: QtBot):
    chat = sample()
    assert chat.view is not None
    view = replace(chat.view, trimmed=("m14",))
    tuned = replace(chat.conversation, tuning=Tuning(excluded=frozenset({"m15"})))
    show(transcript, replace(chat, view=view, conversation=tuned))
    transcript.finish_drawing()
    kinds = [type(one) for one in transcript.column.views()]
    assert kinds == [QuestionView, AnswerView, TrimRule, QuestionView, AnswerView]
    rule = transcript.column.views()[2]
    assert isinstance(rule, TrimRule)
    with qtbot.waitSignal(transcript.wishes.step) as told:
        rule.untrim.click()
    assert told.args[0].do == (TuneMessages(CHAT, pin=frozenset({"m14"})),)


def test_a_trimmed_answer_says_what_bringing_it_back_costs_while_it_is_looked_at(
    transcript: Transcript, qtbot: QtBot
):
    chat = sample()
    assert chat.view is not None
    trimmed = replace(chat, view=replace(chat.view, trimmed=("m14",)))
    show(transcript, trimmed)
    view = answer(transcript, "m14")
    assert view.head.words().state == "trimmed"
    with qtbot.waitSignal(transcript.wishes.intent) as told:
        view.buttons.reveal(True)
    step = (TuneMessages(CHAT, pin=frozenset({"m14"})),)
    assert told.args == [PriceStep(CHAT, "untrim:m14", step)]
    assert view.foot is not None
    assert view.foot.untrim is not None
    assert view.foot.price() == ""
    tag = PriceTag(784, 3_210, 14_820, 0.005, 0.0001)
    show(transcript, replace(trimmed, price=StepPrice("untrim:m14", tag)))
    assert view.foot.price() == "+784 tokens, re-reads 3,210 of 14,820 cached, +$0.0050"
    with qtbot.waitSignal(transcript.wishes.step) as done:
        view.foot.untrim.click()
    assert done.args[0].do == step
    with qtbot.waitSignal(transcript.wishes.intent) as over:
        view.buttons.reveal(False)
    assert over.args == [PriceStep(CHAT)]
    assert not view.foot.untrim.isVisible()


def test_the_buttons_of_a_message_offer_their_steps(transcript: Transcript, qtbot: QtBot):
    show(transcript, sample())
    view = question(transcript, "m13")
    view.buttons.reveal(True)
    edit, pin, out = view.buttons.buttons
    for button, wanted in (
        (pin, TuneMessages(CHAT, pin=frozenset({"m13"}))),
        (out, TuneMessages(CHAT, leave_out=frozenset({"m13"}))),
    ):
        with qtbot.waitSignal(transcript.wishes.offered) as told:
            point_at(button)
        assert told.args[0].step == (wanted,)
        with qtbot.waitSignal(transcript.wishes.offered) as told:
            point_away(button)
        assert told.args[0] is None
        with qtbot.waitSignal(transcript.wishes.step) as done:
            button.click()
        assert done.args[0].do == (wanted,), "what was offered is what is done"
    with qtbot.waitSignal(transcript.wishes.offered) as told:
        point_at(edit)
    assert isinstance(told.args[0].step[0], EditQuestion)


def test_a_failed_turn_leads_to_the_settings(transcript: Transcript, qtbot: QtBot):
    failed = turn(1, "q", None, "failed", failure=Failure("auth", "Refused."))
    show(transcript, chat_of(asked("q"), turns=(failed,)))
    view = transcript.column.views()[-1]
    assert isinstance(view, FailureView)
    assert view.card is not None
    with qtbot.waitSignal(transcript.wishes.wish) as told:
        view.card.buttons["key"].click()
    assert told.args == [OpenSettings("models")]
    with qtbot.waitSignal(transcript.wishes.intent) as asked_for:
        view.card.buttons["retry"].click()
    assert asked_for.args == [RegenerateAnswer(CHAT, "q")]


def test_a_tool_is_answered_by_keyboard_once_it_has_the_focus(transcript: Transcript, qtbot: QtBot):
    show(transcript, waiting_tool(sample()))
    transcript.focus_tool_request()
    view = transcript.column.views()[-1]
    assert isinstance(view, ArrivingView)
    card = view.waiting_card()
    assert card is not None
    qtbot.waitUntil(card.hasFocus)
    with qtbot.waitSignal(transcript.wishes.intent) as told:
        QTest.keyClick(card, Qt.Key.Key_Return)
    assert told.args == [AnswerToolRequest(CHAT, "call-1", allowed=True)]


def test_showing_in_the_inspector_names_the_row(transcript: Transcript, qtbot: QtBot):
    show(transcript, sample())
    with qtbot.waitSignal(transcript.selected) as told:
        answer(transcript, "m14").asked.emit("inspect", "m14")
    assert told.args == [RowKey("L4_STRIP", "turn 7")]


def test_a_selected_row_marks_its_messages(transcript: Transcript):
    show(transcript, sample())
    transcript.select(RowKey("L4_STRIP", "turn 8"))
    marked = [view.is_marked() for view in transcript.column.views()]
    assert marked == [False, False, True, True]
    transcript.select(None)
    assert not any(view.is_marked() for view in transcript.column.views())


def test_a_message_is_found_even_before_its_chat_is_read(transcript: Transcript):
    transcript.show_message("x300")
    show(transcript, long_chat(1_000))
    view = transcript.column.view("x300")
    assert view is not None
    assert view.is_marked()
    assert not transcript.follows()


def test_a_clicked_link_is_shown_whole_and_opened_only_by_a_wish(transcript: Transcript, qtbot: QtBot):
    show(transcript, chat_of(asked("q"), answered("a", "[click](https://a.example/x)")))
    prose = answer(transcript, "a").body.views()[0]
    assert isinstance(prose, ProseView)
    with qtbot.waitSignal(transcript.link_wished) as told:
        QTest.mouseClick(prose.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    assert told.args == ["https://a.example/x"]
    popup = cast(LinkPopup, transcript.findChild(LinkPopup))
    with qtbot.waitSignal(transcript.wishes.wish) as opened:
        popup.open_button.click()
    assert opened.args == [OpenLink("https://a.example/x")]


def test_selected_text_is_copied_by_its_keys(transcript: Transcript, qtbot: QtBot):
    show(transcript, chat_of(asked("q"), answered("a", "Some **words**.")))
    prose = answer(transcript, "a").body.views()[0]
    assert isinstance(prose, ProseView)
    prose.selectAll()
    QTest.keySequence(prose, QKeySequence(QKeySequence.StandardKey.Copy))
    held = QGuiApplication.clipboard().mimeData()
    assert held.text() == "Some words."
    assert not held.hasHtml()


def test_tab_goes_through_what_can_be_done(transcript: Transcript, qtbot: QtBot):
    show(transcript, sample())
    transcript.finish_drawing()
    transcript.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(transcript.hasFocus)
    names: list[str] = []
    for _ in range(40):
        held = QApplication.focusWidget()
        assert held is not None
        QTest.keyClick(held, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        names.append(focused.accessibleName())
    for wanted in (
        "More for this question",
        "Copy this answer",
        "Regenerate",
        "More for this answer",
        "Previous version",
        "Thought · 214 tokens",
        "Copy this code",
    ):
        assert wanted in names


def test_a_long_chat_opens_with_few_widgets(transcript: Transcript):
    show(transcript, long_chat(2_000))
    assert len(transcript.column.views()) < 40
    assert transcript.follows()


def test_selected_words_are_remembered_else_the_whole_message_and_questions_are_kept_as_prompts(
    transcript: Transcript,
):
    wished: list[object] = []
    transcript.wishes.wish.connect(wished.append)
    chat = chat_of(asked("q", "How far off?"), answered("a", "Twenty cents."))
    transcript.show_state(STATE, chat)
    transcript.finish_drawing()
    transcript.column.asked.emit("remember", "a")
    assert wished == [Remember("Twenty cents.", chat.chat.id, "a")]
    (selection,) = cast(list[Selection], answer(transcript, "a").body.findChildren(Selection))
    selection.begin(selection._blocks()[0], (0, 6))
    assert transcript.selected_words() == ("a", "Twenty")
    transcript.column.asked.emit("remember", "a")
    assert wished[1:] == [Remember("Twenty", chat.chat.id, "a")]
    transcript.column.asked.emit("save_prompt", "q")
    assert wished[2:] == [KeepPrompt("How far off?")]


@pytest.fixture
def overlays(qtbot: QtBot) -> Overlays:
    area = FollowingScroll()
    qtbot.addWidget(area)
    area.resize(596, 500)
    area.show()
    made = Overlays(area)
    made.area_kept = area  # type: ignore[attr-defined]
    made.refresh()
    return made


def test_without_a_chat_it_says_what_to_do(overlays: Overlays, qtbot: QtBot):
    assert overlays.no_chat.isVisible()
    assert not overlays.ask.isVisible()
    with qtbot.waitSignal(overlays.no_chat.pressed):
        overlays.no_chat.button.click()


def test_an_empty_chat_asks_for_a_question(overlays: Overlays):
    overlays.has_chat = True
    overlays.refresh()
    assert overlays.ask.isVisible()
    assert not overlays.no_chat.isVisible()


def test_the_way_to_the_end_is_shown_to_those_who_left_it(overlays: Overlays):
    area = overlays._area
    overlays.has_chat = True
    area.open_items(items_of(long_chat(40), Marks()))
    area.finish_drawing()
    assert not overlays.jump.isVisible()
    assert not overlays.ask.isVisible()
    area.verticalScrollBar().setValue(0)
    assert overlays.jump.isVisible()
    overlays.jump.click()
    assert area.follows()
    assert not overlays.jump.isVisible()


def test_what_is_above_is_counted_and_can_be_asked_for(overlays: Overlays):
    area = overlays._area
    overlays.has_chat = True
    area.open_items(items_of(long_chat(2_000), Marks()))
    area.settle()
    area.verticalScrollBar().setValue(0)
    assert overlays.earlier.isVisible()
    assert overlays.earlier.text().startswith("Show 1,9")
    before = area.column.first
    overlays.earlier.click()
    area.make_more()
    assert area.column.first < before


def test_choosing_a_piece_marks_its_words_and_choosing_nothing_takes_them_off(qtbot: QtBot):
    state, chat = looked_back()
    transcript = Transcript()
    qtbot.addWidget(transcript)
    transcript.resize(600, 700)
    transcript.show()
    transcript.show_state(state, chat)
    assert isinstance(transcript.carried, CarriedWords)
    transcript.select(first_key(chat))
    assert chat.influence is not None
    view = transcript.column.view(key_of(transcript.column.items(), chat.influence.message))
    assert isinstance(view, AnswerView)
    assert view.carried is not None
    assert view.carried.isVisibleTo(view)
    marked = [one for each in view.body._browsers() for one in each.extraSelections()]
    assert len(marked) == 2
    transcript.select(None)
    assert not [one for each in view.body._browsers() for one in each.extraSelections()]
    assert not view.carried.isVisibleTo(view)
    transcript.select(first_key(chat))
    transcript.show_state(state, replace(chat, opened=None))
    assert not view.carried.isVisibleTo(view)


def test_marks_stay_while_a_second_round_is_offered(qtbot: QtBot):
    """What was measured a moment ago is not kept in the state of the chat before its turn is opened again."""
    state, chat = looked_back()
    assert chat.influence is not None
    done = measuring(state, chat, stage="done", result=chat.influence.result)
    kept = replace(chat.influence, result=None)
    chat = replace(chat, influence=kept)
    transcript = Transcript()
    qtbot.addWidget(transcript)
    transcript.resize(600, 700)
    transcript.show()
    transcript.show_state(done, chat)
    transcript.select(first_key(chat))
    view = transcript.column.view(key_of(transcript.column.items(), kept.message))
    assert isinstance(view, AnswerView)
    transcript.show_state(measuring(state, chat, stage="offered"), chat)
    assert view.carried is not None
    assert view.carried.isVisibleTo(view)
