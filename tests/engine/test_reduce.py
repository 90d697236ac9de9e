"""Events into state: what is shown follows from what happened, and from nothing else."""

from __future__ import annotations

from functools import reduce as fold
from itertools import pairwise

from tests.fakes.turns import fake_builder, user
from workbench.domain.answer import Failure
from workbench.domain.message import ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Chat, Record
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolOutcome, ToolPreview
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.events import (
    AnswerGrew,
    ChatClosed,
    ChatLoaded,
    DraftEdited,
    EnvelopeBuilt,
    Event,
    ModelProgressed,
    NoticeGiven,
    ProgramShown,
    RebuildProposed,
    RetryScheduled,
    ThoughtGrew,
    ToolAsked,
    ToolRan,
    TurnBegan,
    TurnEnded,
)
from workbench.engine.state import ChatState, RunningTurn, ToolCard, WorkbenchState
from workbench.engine.store import reduce

WHEN = "2026-01-01T00:00:00Z"
CHAT = Chat("c", WHEN)
TALK = Conversation("c")
LOADED = ChatLoaded(CHAT, TALK, (), "kept draft")
BEGAN = TurnBegan("c", 1, "q")
CALL = ToolCall("t1", "write", "{}")
PREPARED = prepare_turn(TALK, Ask(ContextSettings(model="word-1"), user("q")), fake_builder())
DONE = TurnOutcome("complete", "Hi.")
BUSY = Failure("rate", "Busy.")


def after(*events: Event) -> WorkbenchState:
    return fold(reduce, events, WorkbenchState())


def shown(*events: Event) -> ChatState:
    return after(LOADED, *events).open["c"]


def running(*events: Event) -> RunningTurn:
    turn = shown(BEGAN, *events).running
    assert turn is not None
    return turn


def test_an_opened_chat_is_there_and_a_closed_one_is_not():
    assert after(LOADED).open == {"c": ChatState(CHAT, TALK, (), "kept draft")}
    assert after(LOADED, ChatClosed("c")) == WorkbenchState()
    assert after(ChatClosed("c")) == WorkbenchState()
    assert after(ProgramShown({"chats": (CHAT,)})).chats == (CHAT,)


def test_a_turn_grows_and_ends():
    assert running() == RunningTurn(1, "q")
    grown = running(ThoughtGrew("c", "hm"), AnswerGrew("c", "H"), AnswerGrew("c", "i."))
    assert (grown.thinking, grown.text) == ("hm", "Hi.")
    ended = shown(BEGAN, TurnEnded("c", 1, DONE))
    assert (ended.running, ended.ended) == (None, DONE)
    assert shown(BEGAN, TurnEnded("c", 1, DONE), BEGAN).ended is None


def _running_in(state: WorkbenchState) -> RunningTurn:
    turn = state.open["c"].running
    assert turn is not None
    return turn


def test_a_very_long_answer_is_not_copied_for_every_piece_of_it():
    """16 MB in pieces of 4 kB were copied 4,000 times: 24 s, and 100 MB of memory in holes."""
    piece = "x" * 16_000
    state, texts = after(LOADED, BEGAN), []
    for _ in range(250):
        state = reduce(state, AnswerGrew("c", piece))
        texts.append(_running_in(state).text)
    turn = _running_in(state)
    copies = sum(one is not other for one, other in pairwise(texts))
    assert len(turn.text) + len(turn.more) == 250 * len(piece)
    assert copies < 110
    assert len(turn.more) < len(turn.text) // 16
    ran = _running_in(reduce(state, ToolRan("c", CALL, ToolOutcome("ok"))))
    assert (len(ran.tools[0].said), ran.text, ran.more) == (250 * len(piece), "", "")


def test_an_answer_that_is_continued_shows_its_beginning():
    state = shown(TurnBegan("c", 1, "q", "Once"), AnswerGrew("c", " upon"))
    assert state.running is not None
    assert state.running.text == "Once upon"


def test_waiting_is_shown_until_something_comes():
    waiting = running(ModelProgressed("c", "Loading", 0.5), RetryScheduled("c", 1, 0.5, BUSY))
    assert (waiting.progress, waiting.fraction, waiting.retry) == ("Loading", 0.5, BUSY)
    assert running(RetryScheduled("c", 1, 0.5, BUSY, 3)).attempt == (2, 3)
    assert running(RetryScheduled("c", 1, 0.5, BUSY), ModelProgressed("c", "Loading")).retry is None
    for grown in (AnswerGrew("c", "x"), ThoughtGrew("c", "x")):
        come = running(ModelProgressed("c", "Loading", 0.5), RetryScheduled("c", 1, 0.5, BUSY), grown)
        assert (come.progress, come.fraction, come.retry) == ("", None, None)


def test_a_call_waits_runs_and_what_was_said_before_it_stays():
    preview, outcome = ToolPreview("write a.md"), ToolOutcome("done")
    asked = running(AnswerGrew("c", "Let me."), ToolAsked("c", CALL, preview))
    assert (asked.tools, asked.text) == ((ToolCard(CALL, preview),), "Let me.")
    ran = running(AnswerGrew("c", "Let me."), ToolAsked("c", CALL, preview), ToolRan("c", CALL, outcome))
    assert (ran.tools, ran.text) == ((ToolCard(CALL, preview, outcome, "Let me."),), "")
    other = ToolCall("t2", "read", "{}")
    both = running(ToolAsked("c", CALL, preview), ToolRan("c", CALL, outcome), ToolRan("c", other, outcome))
    assert [card.call.id for card in both.tools] == ["t1", "t2"]


def test_what_is_typed_is_newer_than_what_is_read():
    """A chat is read again when a turn ends; the store may be behind the keyboard."""
    assert shown(DraftEdited("c", "typed"), LOADED).draft == "typed"


def test_reading_a_chat_again_keeps_what_goes_on_in_it():
    record = Record("c", user("q"), WHEN)
    again = ChatLoaded(Chat("c", WHEN, "Title"), TALK, (record,), "")
    state = shown(EnvelopeBuilt("c", PREPARED), BEGAN, AnswerGrew("c", "H"), again)
    assert (state.prepared, state.chat.title, state.records) == (PREPARED, "Title", (record,))
    assert state.running == RunningTurn(1, "q", text="H")


def test_a_proposal_stands_until_the_next_turn_begins():
    assert shown(BEGAN, RebuildProposed("c", PREPARED), TurnEnded("c", 1, DONE)).proposal is PREPARED
    assert shown(RebuildProposed("c", PREPARED), BEGAN).proposal is None


def test_a_turn_out_of_view_is_seen_when_its_chat_is_opened_again():
    """Else an answer, or a question about a tool, that arrives meanwhile could not be seen until it ends."""
    asked = ToolAsked("c", CALL, ToolPreview("write"))
    state = after(LOADED, BEGAN, AnswerGrew("c", "H"), ChatClosed("c"), AnswerGrew("c", "i"), asked)
    assert state.open == {}
    back = reduce(state, LOADED)
    turn = back.open["c"].running
    assert turn is not None
    assert (turn.text, turn.tools[0].call, back.away) == ("Hi", CALL, {})
    assert after(BEGAN, LOADED).open["c"].running == RunningTurn(1, "q")


def test_a_turn_that_ends_out_of_view_is_forgotten():
    events = (LOADED, BEGAN, ChatClosed("c"), EnvelopeBuilt("c", PREPARED), RebuildProposed("c", PREPARED))
    assert after(*events, TurnEnded("c", 1, DONE)) == WorkbenchState()


def test_what_is_about_no_open_chat_changes_nothing():
    for event in (AnswerGrew("c", "x"), DraftEdited("c", "x"), EnvelopeBuilt("c", PREPARED)):
        assert after(event) == WorkbenchState()
    assert shown(AnswerGrew("c", "late")) == shown()


def test_the_newest_notices_are_kept_and_counted():
    state = after(*(NoticeGiven(None, "same words") for _ in range(25)))
    assert [notice.number for notice in state.notices] == list(range(6, 26))
    assert state.notices_given == 25
