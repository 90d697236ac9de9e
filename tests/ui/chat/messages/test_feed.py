"""What the transcript consists of: messages in order, tools with their calls, failures in their answers' places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.chat_model import Forever, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_loop, until
from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import CHAT
from tests.fakes.stores import open_store
from tests.ui.chat.chat_samples import answered, asked, chat_of, result, sample, turn
from workbench.domain.answer import Failure
from workbench.domain.chunk import SystemChunk
from workbench.domain.message import Message, ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Record
from workbench.domain.turn import Tuning
from workbench.engine.events import TurnBegan
from workbench.engine.intents import CloseChat, OpenChat, RegenerateAnswer, SendMessage, StopTurn
from workbench.engine.state import ChatState, RunningTurn
from workbench.ui.chat.messages.feed import (
    Answer,
    Arriving,
    DayMark,
    Failed,
    Item,
    Note,
    Question,
    TrimMark,
    Unanswered,
    items_of,
    with_days,
)
from workbench.ui.chat.messages.message_menu import intent_of
from workbench.ui.chat.standing import Marks, marks_of

NETWORK = Failure("network", "No route.")


def items(chat: ChatState, marks: Marks | None = None) -> list[Item]:
    return list(items_of(chat, marks or Marks()))


def test_the_sample_is_two_questions_and_two_answers():
    found = items(sample())
    assert [(type(item).__name__, item.key) for item in found] == [
        ("Question", "m13"), ("Answer", "m14"), ("Question", "m15"), ("Answer", "m16"),
    ]  # fmt: skip
    last = found[-1]
    assert isinstance(last, Answer)
    assert last.siblings == ("m16a", "m16", "m16c")
    assert last.turn is not None
    assert last.turn.number == 8
    assert (last.question, last.model) == ("m15", "openai:gpt-4.1-mini")


def test_equal_states_give_equal_items():
    assert items(sample()) == items(sample())


def test_an_answer_with_tools_is_one_answer_in_several_messages():
    calls = (ToolCall("c1", "read", "{}"), ToolCall("c2", "edit", "{}"))
    chat = chat_of(
        asked("q"),
        answered("a1", "I look.", calls=calls),
        result("t1", "c1"),
        result("t2", "c2"),
        answered("a2", "Done."),
        turns=(turn(1, "q", "a1"),),
    )
    question, first, last = items(chat)
    assert isinstance(question, Question)
    assert isinstance(first, Answer)
    assert isinstance(last, Answer)
    assert [call.result and call.result.id for call in first.calls] == ["t1", "t2"]
    assert (first.begins, first.ends, first.turn) == (True, False, None)
    assert (last.begins, last.ends) == (False, True)
    assert last.turn is not None


def test_a_result_that_belongs_to_no_call_is_not_hidden():
    (_, _, note) = items(chat_of(asked("q"), answered("a"), result("t", "nowhere")))
    assert isinstance(note, Note)


def test_parts_of_an_imported_memory_are_notes():
    chunk = Record(CHAT, SystemChunk("s", "be careful"), "")
    system = Record(CHAT, Message("m", "system", ("rules",)), "")
    found = items(chat_of(chunk, system, asked("q")))
    assert [type(item) for item in found] == [Note, Note, Question]


def test_a_question_without_an_answer_shows_why():
    chat = chat_of(asked("q"), turns=(turn(1, "q", None, "failed", failure=NETWORK),))
    (_, failed) = items(chat)
    assert isinstance(failed, Failed)
    assert (failed.failure, failed.question, failed.key) == (NETWORK, "q", "failed:1")


def test_a_failure_that_was_made_good_is_not_shown():
    turns = (turn(1, "q", None, "failed", failure=NETWORK), turn(2, "q", "a"))
    assert [type(item) for item in items(chat_of(asked("q"), answered("a"), turns=turns))] == [
        Question,
        Answer,
    ]


def test_a_failure_of_this_session_is_shown_once():
    ended = TurnOutcome("failed", failure=NETWORK)
    kept = chat_of(asked("q"), turns=(turn(1, "q", None, "failed", failure=NETWORK),), ended=ended)
    assert [type(item) for item in items(kept)] == [Question, Failed]
    unlisted = chat_of(asked("q"), ended=ended)
    (_, failed) = items(unlisted)
    assert isinstance(failed, Failed)
    assert (failed.key, failed.question) == ("failed:now", "q")
    refused = chat_of(asked("q"), answered("a"), ended=ended)
    assert [item.key for item in items(refused)] == ["q", "a", "failed:now"]


def test_an_interrupted_turn_has_no_card_of_its_own():
    chat = chat_of(
        asked("q"), answered("a", state="interrupted"), ended=TurnOutcome("interrupted", failure=NETWORK)
    )
    assert [type(item) for item in items(chat)] == [Question, Answer]


def test_fixes_stand_with_the_last_failure_only():
    fixes = sample().fixes
    turns = (
        turn(1, "q", None, "failed", failure=NETWORK),
        turn(2, "r", None, "failed", failure=NETWORK),
    )
    chat = chat_of(asked("q"), asked("r"), turns=turns, fixes=fixes)
    first, last = (item for item in items(chat) if isinstance(item, Failed))
    assert first.fixes == ()
    assert last.fixes is fixes


def test_a_running_turn_hides_what_follows_its_question():
    """Answered again, a question's old answer is on another branch; and what is kept of the new one is arriving."""
    running = RunningTurn(2, "q", text="New")
    chat = chat_of(asked("q"), answered("old"), turns=(turn(1, "q", "old"),), running=running)
    found = items(chat)
    assert [item.key for item in found] == ["q", "running:q"]
    assert isinstance(found[-1], Arriving)
    assert found[-1].asked_utc == "2026-11-12T14:08:00Z"


def test_a_record_that_still_grows_is_left_to_the_running_turn():
    running = RunningTurn(1, "q", text="Gro")
    chat = chat_of(asked("q"), answered("a", "Gr", state="running"), running=running)
    assert [item.key for item in items(chat)] == ["q", "running:q"]


def test_one_that_was_left_growing_is_shown_when_nothing_runs():
    chat = chat_of(asked("q"), answered("a", "Gr", state="running"))
    assert [item.key for item in items(chat)] == ["q", "a"]


def test_a_question_that_is_not_among_the_messages_yet_is_taken_from_the_request():
    chat = replace(chat_of(asked("q"), answered("a")), running=RunningTurn(2, "new"))
    assert [item.key for item in items(chat)] == ["q", "a", "running:new"]


def test_marks_say_what_the_next_request_makes_of_messages():
    marks = marks_of(sample_view(), Tuning(pinned=frozenset({"m13"}), excluded=frozenset({"m15"})))
    assert marks.trimmed == ("m2", "m4", "m6", "m8", "m10", "m12")
    assert marks.trimmed_tokens == 1_480
    assert marks.standings()("m4").place == "trimmed"
    assert marks.standings()("m3").place == "", "a question is never trimmed"
    assert marks.standings()("m13").pinned
    assert marks.standings()("m15").place == "excluded"
    assert marks.standings()("m16") is marks.standings()("m14")


def test_marks_stay_equal_while_one_types():
    view = sample_view()
    assert marks_of(view, Tuning()) == marks_of(replace(view, total_tokens=1), Tuning())
    assert marks_of(None, Tuning()) == Marks()


def test_what_leaving_out_saves_is_known_for_a_row_of_one_message():
    view = sample_view()
    history = view.layers[2]
    row = replace(history.rows[1], members=("m13",), state="excluded", tokens=55)
    view = replace(view, layers=(*view.layers[:2], replace(history, rows=(row,)), *view.layers[3:]))
    marks = marks_of(view, Tuning(excluded=frozenset({"m13"})))
    assert marks.standings()("m13").saved_tokens == 55


def test_the_rule_stands_below_the_last_trimmed_message():
    chat = chat_of(asked("a"), answered("b"), asked("c"), answered("d"))
    marks = Marks(trimmed=("b", "elsewhere"), trimmed_tokens=1_480, threshold_tokens=9_000)
    found = items(chat, marks)
    assert [item.key for item in found] == ["a", "b", "trim", "c", "d"]
    mark = found[2]
    assert isinstance(mark, TrimMark)
    assert (mark.members, mark.tokens) == (("b",), 1_480)
    assert (mark.since_turn, mark.threshold_tokens) == (0, 9_000)


def test_the_rule_says_before_which_turn_messages_were_cut():
    turns = (
        turn(1, "a", "b"),
        turn(2, "c", "d", broke="rebuilt", broke_subject="over_threshold"),
        turn(3, "e", "f", broke="rebuilt", broke_subject="asked"),
    )
    said = [one for q, a in ("ab", "cd", "ef") for one in (asked(q), answered(a))]
    found = items(chat_of(*said, turns=turns), Marks(trimmed=("b",), trimmed_tokens=9))
    assert [item.since_turn for item in found if isinstance(item, TrimMark)] == [2]
    layered = replace(turns[2], broke="trimmed")
    found = items(chat_of(*said, turns=(*turns[:2], layered)), Marks(trimmed=("b",), trimmed_tokens=9))
    assert [item.since_turn for item in found if isinstance(item, TrimMark)] == [3]


def test_the_rule_keeps_the_figure_of_its_time():
    """It named today's threshold for a cut of long ago."""
    said = [one for q, a in ("ab", "cd") for one in (asked(q), answered(a))]
    cut = turn(2, "c", "d", broke="trimmed", threshold_tokens=1_520)
    marks = Marks(trimmed=("b",), trimmed_tokens=9, threshold_tokens=9_000)
    for one in (cut, replace(cut, threshold_tokens=None)):
        found = items(chat_of(*said, turns=(one,)), marks)
        (mark,) = [item for item in found if isinstance(item, TrimMark)]
        assert (mark.since_turn, mark.threshold_tokens) == (2, one.threshold_tokens)


def test_what_a_tool_gave_back_is_marked_and_the_rule_stands_below_its_answer():
    called = answered("b", calls=(ToolCall("one", "read", "{}"),))
    given = Record(CHAT, Message("r", "tool", ("found",), tool_call_id="one"), "")
    chat = chat_of(asked("a"), called, given, asked("c"), answered("d"))
    found = items(chat, Marks(trimmed=("r",), trimmed_tokens=4))
    assert [item.key for item in found] == ["a", "b", "trim", "c", "d"]
    calls = [call for item in found if isinstance(item, Answer) for call in item.calls]
    assert [call.trimmed for call in calls] == [True]


def test_nothing_said_is_nothing_shown():
    assert items(chat_of()) == []


NOW = "2026-11-18T09:00:00Z"


def said(*times: str) -> list[Item]:
    records = tuple(replace(asked(f"q{n}"), created_utc=time) for n, time in enumerate(times))
    return items(chat_of(*records))


def test_every_day_but_a_chat_of_today_alone_is_named_above_its_first_message():
    """An imported chat of two years had times of day only."""
    found = with_days(
        said("2024-03-03T10:00:00Z", "2024-03-03T10:05:00Z", "2026-11-17T23:59:00Z", "2026-11-18T00:01:00Z"),
        NOW,
    )
    assert [item.day if isinstance(item, DayMark) else item.key for item in found] == [
        "3 March 2024", "q0", "q1", "yesterday", "q2", "today", "q3",
    ]  # fmt: skip
    assert [item.key for item in with_days(said("2026-11-18T08:00:00Z", NOW), NOW)] == ["q0", "q1"]


def test_what_has_no_time_has_no_day():
    assert [item.key for item in with_days(said("", "2026-11-18T08:00:00Z"), NOW)] == ["q0", "q1"]
    assert [item.key for item in with_days(said("2024-03-03T10:00:00Z"), "")] == ["q0"]


DOWN = Failure("network", "No route.")
BUSY = Failure("rate", "Too many.")


def feed(bench: Bench) -> tuple[Item, ...]:
    return items_of(bench.workbench.state.open["talk"], Marks())


def kinds(bench: Bench) -> list[str]:
    return [type(item).__name__ for item in feed(bench)]


def failures(bench: Bench) -> list[tuple[str, str]]:
    """The failed cards, each with the words of the question it stands below and has its buttons for."""
    found, above = list[tuple[str, str]](), feed(bench)
    for place, item in enumerate(above):
        if isinstance(item, Failed):
            asked = next(one for one in reversed(above[:place]) if isinstance(one, Question))
            assert item.question == asked.key
            found.append((asked.record.entry.text, item.failure.kind))  # type: ignore[union-attr]
    return found


async def reopened(bench: Bench) -> None:
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.dispatch(OpenChat("talk"))
    await bench.calm()


@in_loop
async def test_a_question_that_failed_has_its_card_until_the_next_takes_its_place():
    bench = fake_bench([DOWN], [BUSY], words("Three."))
    await bench.start()
    seen: list[list[tuple[str, str]]] = []
    bench.workbench.subscribe(
        lambda event, _: seen.append(failures(bench)) if isinstance(event, TurnBegan) else None
    )
    cards: list[list[tuple[str, str]]] = []
    for text in ("one", "two", "three"):
        await bench.do(SendMessage("talk", text))
        await bench.calm()
        cards.append(failures(bench))
    assert seen == [[], [], []]
    assert cards == [[("one", "network")], [("two", "rate")], []]
    assert kinds(bench) == ["Question", "Answer"]
    await reopened(bench)
    assert kinds(bench) == ["Question", "Answer"]
    versions = await bench.world.store.siblings("talk", feed(bench)[0].key)
    assert [one.entry.text for one in versions] == ["one", "two", "three"]  # type: ignore[union-attr]


@in_loop
async def test_the_card_of_a_question_that_failed_asks_it_again_after_a_reload():
    bench = fake_bench([DOWN], words("Now."))
    await bench.start()
    await bench.do(SendMessage("talk", "one"))
    await reopened(bench)
    assert failures(bench) == [("one", "network")]
    card = next(item for item in feed(bench) if isinstance(item, Failed))
    intent = intent_of("retry", card.question, bench.workbench.state.open["talk"])
    assert intent == RegenerateAnswer("talk", card.question)
    await bench.do(intent)
    await bench.calm()
    assert kinds(bench) == ["Question", "Answer"]


@in_loop
async def test_asked_again_in_vain_an_earlier_question_has_the_card_and_its_buttons():
    bench = fake_bench(words("One."), words("Two."), [DOWN])
    await bench.start()
    await bench.do(SendMessage("talk", "one"))
    await bench.do(SendMessage("talk", "two"))
    first = feed(bench)[0].key
    await bench.do(RegenerateAnswer("talk", first))
    await bench.calm()
    assert kinds(bench) == ["Question", "Answer", "Failed", "Question", "Answer"]
    assert failures(bench) == [("one", "network")]


@in_loop
async def test_what_is_stopped_before_its_first_word_says_so_and_can_be_answered():
    bench = fake_bench([Forever()], words("At last."))
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "well?"))
    await until(lambda: bool(bench.told(TurnBegan)))
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")
    await bench.calm()
    (question, unanswered) = feed(bench)
    assert unanswered == Unanswered("unanswered:1", question.key)
    await reopened(bench)
    assert feed(bench)[1] == unanswered
    intent = intent_of("regenerate", question.key, bench.workbench.state.open["talk"])
    await bench.do(intent)
    await bench.calm()
    (_, answer) = feed(bench)
    assert isinstance(answer, Answer)
    assert [text for _, text, _ in await bench.texts()] == ["well?", "At last."]


@in_loop
async def test_so_it_is_in_the_encrypted_store(tmp_path: Path):
    store = open_store(tmp_path / "store.db")
    bench = fake_bench([DOWN], [Forever()], words("Three."), store=store)
    await bench.start()
    await bench.do(SendMessage("talk", "one"))
    await bench.workbench.dispatch(SendMessage("talk", "two"))
    await until(lambda: len(bench.told(TurnBegan)) == 2)
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")
    await bench.do(SendMessage("talk", "three"))
    await reopened(bench)
    assert kinds(bench) == ["Question", "Unanswered", "Question", "Answer"]
    await store.close()
