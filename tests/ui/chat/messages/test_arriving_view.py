"""The answer that is being given: it grows in place, and tools ask in it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from workbench.domain.answer import Failure
from workbench.domain.message import ToolCall
from workbench.domain.tool import ToolOutcome, ToolPreview
from workbench.engine.state import RunningTurn, ToolCard
from workbench.ui.chat.messages.arriving_view import ArrivingView, ProgressFoot, RetryCard
from workbench.ui.chat.messages.feed import Arriving
from workbench.ui.chat.text.ink import Ink

RUN = RunningTurn(9, "q")
CALL = ToolCall("c1", "edit", '{"path": "src/auth.py"}')
WAITING = ToolCard(CALL, ToolPreview("change src/auth.py", "@@ -1 +1 @@\n-a\n+b\n"))


@pytest.fixture
def view(qtbot: QtBot) -> ArrivingView:
    made = ArrivingView(Ink())
    qtbot.addWidget(made)
    made.resize(548, 600)
    made.show()
    return made


def show(view: ArrivingView, **more: object) -> None:
    view.show_item(Arriving("running:q", replace(RUN, **more), "openai:gpt-4.1-mini"))  # type: ignore[arg-type]


def widgets(view: ArrivingView) -> list[str]:
    return [type(place.widget).__name__ for place in view.stack_items()]


def test_before_the_first_word_it_says_what_it_waits_for(view: ArrivingView):
    show(view)
    assert widgets(view) == ["MessageHead", "ProgressFoot"]
    assert view.accessibleName() == "Answer by gpt-4.1-mini, arriving"
    show(view, progress="Loading SmolLM2", fraction=0.2)
    assert view.foot.words() == "Loading SmolLM2"


def test_thoughts_stream_into_the_folded_line(view: ArrivingView):
    show(view, thinking="First, ")
    assert view.thinking is not None
    assert view.thinking.line.text() == "Thinking…"
    show(view, thinking="First, the lock.", text="Because")
    assert view.thinking.line.text() == "Thought for 1 s"
    assert view.thinking.text() == "First, the lock."
    assert widgets(view) == ["MessageHead", "Thinking", "GrowingText", "ProgressFoot"]


def test_a_retry_is_a_card_until_it_goes_on(view: ArrivingView, qtbot: QtBot):
    failure = Failure("rate", "Wait.", retry_after_s=10)
    show(view, retry=failure)
    assert widgets(view) == ["MessageHead", "RetryCard"]
    first = view.retry
    show(view, retry=failure)
    assert view.retry is first
    assert first is not None
    with qtbot.waitSignal(view.asked) as told:
        first.stop.click()
    assert told.args == ["stop", ""]
    show(view, text="Here")
    assert view.retry is None
    assert widgets(view) == ["MessageHead", "GrowingText", "ProgressFoot"]


def test_a_tool_that_waits_asks_below_what_was_said(view: ArrivingView, qtbot: QtBot):
    show(view, text="I change it.", tools=(WAITING,))
    assert widgets(view) == ["MessageHead", "GrowingText", "ApprovalCard"]
    card = view.waiting_card()
    assert card is not None
    with qtbot.waitSignal(view.asked) as told:
        card.always.click()
    assert told.args == ["allow_always", "c1"]
    show(view, text="I change it.", tools=(WAITING,))
    assert view.waiting_card() is card


def test_an_answered_tool_becomes_a_line_and_the_text_begins_anew(view: ArrivingView):
    show(view, text="I change it.", tools=(WAITING,))
    done = replace(WAITING, outcome=ToolOutcome("done", undo={}), said="I change it.")
    show(view, text="", tools=(done,))
    assert widgets(view) == ["MessageHead", "BlockStack", "ToolLine", "ProgressFoot"]
    assert view.waiting_card() is None
    assert view.answered_lines()[0].line.words().verb == "changed"
    show(view, text="It is done.", tools=(done,))
    assert widgets(view)[-2:] == ["GrowingText", "ProgressFoot"]
    assert view.growing.text == "It is done."


def test_what_is_shown_is_handed_over_to_the_finished_answer(view: ArrivingView):
    done = replace(WAITING, outcome=ToolOutcome("done"), said="I change it.")
    show(view, text="I change it.", tools=(WAITING,))
    show(view, text="It is done", tools=(done,))
    first, last = view.take_body("I change it."), view.take_body("It is done.")
    assert first is not None
    assert first.text() == "I change it."
    assert last is view.growing.body
    assert last.text() == "It is done."
    assert view.take_body("Something else") is None
    # An equal answer that is shown anew at the same time had its blocks taken away.
    assert view.take_body("I change it.") is None
    assert view.take_body("It is done.") is None


def test_a_looking_tool_needs_no_answer(view: ArrivingView):
    show(view, tools=(ToolCard(ToolCall("c2", "read", "{}")),))
    assert view.waiting_card() is None


def test_an_answer_that_is_continued_has_no_first_token_yet(view: ArrivingView):
    """The figures began with "first token after 0.0 s": the words that were there already."""
    show(view, text="What was said before", begun_chars=20)
    assert view.foot.words() == "waiting for the first token"


def test_tokens_are_a_guess_and_say_so(qtbot: QtBot):
    foot = ProgressFoot()
    qtbot.addWidget(foot)
    assert foot.words() == "waiting for the first token"
    foot.show_amount(0)
    foot.show_amount(504)
    assert foot.words().startswith("≈ 126 tokens")
    assert "first token after" in foot.words()
    foot.resize(400, 28)
    assert not foot.grab().isNull()


def test_an_answer_that_was_on_its_way_already_has_no_first_token_time(qtbot: QtBot):
    foot = ProgressFoot()
    qtbot.addWidget(foot)
    foot.show_amount(50)
    assert "first token" not in foot.words()


def test_loading_shows_how_far_it_is(qtbot: QtBot):
    foot = ProgressFoot()
    qtbot.addWidget(foot)
    foot.show_progress("Loading SmolLM2 135M", 0.4)
    assert foot.words() == "Loading SmolLM2 135M"
    assert foot.bar.fraction() == 0.4
    foot.show_amount(4)
    assert foot.bar.fraction() is None


def test_a_wait_is_counted_down(qtbot: QtBot):
    card = RetryCard(Failure("rate", "The server asks to wait.", retry_after_s=10))
    qtbot.addWidget(card)
    assert card.count.figure() == "Trying again in 10 s"
    assert card.bar.fraction() == 0
    assert card.accessibleName() == "Too many requests. The server asks to wait. Trying again in 10 s"
    with qtbot.waitSignal(card.stopped):
        card.stop.click()


def test_a_wait_of_unknown_length_is_only_said(qtbot: QtBot):
    card = RetryCard(Failure("network", "No route."))
    qtbot.addWidget(card)
    assert card.count.figure() == "Trying again"
    assert card.bar.fraction() is None
    card.resize(400, 160)
    assert not card.grab().isNull()


def test_which_attempt_follows_is_said(qtbot: QtBot):
    """After an error of the server it said that it tries again, not how often."""
    card = RetryCard(Failure("server", "Status 500."), (2, 3))
    qtbot.addWidget(card)
    assert card.count.figure() == "Trying again, 2 of 3"
    waits = RetryCard(Failure("rate", "Wait.", retry_after_s=10), (3, 3))
    qtbot.addWidget(waits)
    assert waits.count.figure() == "Trying again in 10 s, 3 of 3"


def test_the_words_of_the_foot_begin_beside_its_bar(qapp, qtbot):
    """They were painted across it: nothing else showed that the room for the bar was gone."""
    foot = ProgressFoot()
    qtbot.addWidget(foot)
    foot.resize(400, foot.height())
    foot.bar.hide()
    picture = foot.grab().toImage()
    rows = range(picture.height())
    columns = [{picture.pixel(x, y) for y in rows} for x in range(picture.width())]
    painted = [x for x, found in enumerate(columns) if found != columns[0]]
    assert foot.bar.width() < painted[0] < foot.bar.width() + 20
