"""The facts of stored answers: whose words a piece is, which line of a file, what was cut, results of tools."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.fakes.engine import SETTINGS, Bench, fake_world
from tests.fakes.turns import fake_builder
from workbench.context.answer_checks import holds, search_here
from workbench.context.answers.facts import FactMemory
from workbench.context.answers.pieces import request_pieces
from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.change import Built
from workbench.domain.experiment import parse_check
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message, ToolCall
from workbench.domain.summary import Summary
from workbench.domain.turn import EditedText, Tuning
from workbench.engine.answers.facts import PARTIAL, checked, facts_document
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation

API = "# API\n\nA token lives 900 seconds.\nIt listens on port 8443.\n"


def built(*history: Message, question: str = "Which limits apply?", **more: object) -> Built:
    attached = (Artifact("docs/api.md", "file", API),)
    conversation = replace(Conversation("talk", history=history, attached=attached), **more)  # type: ignore[arg-type]
    asked = Message("q", "user", (question,))
    return prepare_turn(conversation, Ask(SETTINGS, asked), fake_builder()).built


def said(number: int, question: str, answer: str) -> tuple[Message, ...]:
    return Message(f"q{number}", "user", (question,)), Message(f"a{number}", "assistant", (answer,))


def facts(answer: str, request: Built) -> AnswerFacts:
    return checked(answer, request, FactMemory())


def test_a_fact_of_a_file_names_its_own_line():
    (fact,) = facts("A token lives 900 seconds.", built()).facts
    place = fact.where[0]
    assert (fact.state, place.segment, place.layer, place.line) == ("found", "docs/api.md", "L3_TURN", 3)
    assert place.text == "A token lives 900 seconds."


def test_messages_of_the_person_and_of_models_are_told_apart():
    request = built(*said(1, "We have 64 nodes.", "Then take 512 GB."), question="And with 77 nodes?")
    found = facts("With 64 and 77 nodes take 512 GB on port 8443.", request)
    assert [fact.state for fact in found.facts] == ["question", "question", "earlier_answer", "found"]
    assert found.facts[2].where[0].turn == 1
    # An id would tell nobody where that is.
    assert [fact.where[0].segment for fact in found.facts] == [
        "turn 1",
        "your message",
        "turn 1",
        "docs/api.md",
    ]


def test_results_of_tools_of_the_same_turn_are_pieces_and_calls_are_the_models_own():
    call = ToolCall("c", "read", '{"path": "src/worker_7.py"}')
    rounds = (
        Message("r1", "assistant", ("",), tool_calls=(call,)),
        Message("r2", "tool", ("retries: 31",), tool_call_id="c"),
    )
    asked = Ask(SETTINGS, Message("q", "user", ("How often?",)), rounds=rounds)
    request = prepare_turn(Conversation("talk"), asked, fake_builder()).built
    found = facts("It retries 31 times, says src/worker_7.py.", request)
    assert [fact.state for fact in found.facts] == ["found", "earlier_answer"]


def test_the_beginning_of_a_continued_answer_is_no_source_of_itself():
    begun = Message("a", "assistant", ("It is port 9999",))
    asked = Ask(SETTINGS, Message("q", "user", ("Which port?",)), rounds=(begun,))
    request = prepare_turn(Conversation("talk"), asked, fake_builder()).built
    assert [fact.state for fact in facts("It is port 9999, surely.", request).facts] == ["absent"]


def test_a_summary_by_a_model_is_a_models_words():
    history = said(1, "What is the port?", "It is 4711.")
    told = Summary("s1", "The port is 4711.", ("q1", "a1"), made_by="openai:gpt-4.1")
    request = built(*history, tuning=Tuning(summaries=(told,)))
    (fact,) = facts("The port is 4711.", request).facts
    assert fact.state == "earlier_answer"


def test_what_was_left_out_is_absent_and_says_which_turn():
    history = (
        *said(1, "Where do the health checks go?", "They go to port 7070."),
        *said(2, "Thanks.", "You are welcome."),
    )
    request = built(*history, tuning=Tuning(excluded=frozenset({"a1"})))
    (fact,) = facts("They go to port 7070.", request).facts
    assert fact.state == "absent"
    assert fact.cut is not None
    assert (fact.cut.key, fact.cut.turn) == ("a1", 1)
    assert facts_document(facts("They go to port 7070.", request))["facts"][0]["cut"]["segment"]


def test_the_tags_of_a_file_are_no_source_but_its_name_is():
    request = built()
    fence = next(one.text for one in request.envelope.layer("L3_TURN").segments).split('fence="')[1][:6]
    assert all(fence not in piece.text for piece in request_pieces(request))
    assert [fact.state for fact in facts("See docs/api.md.", request).facts] == ["found"]


@pytest.mark.parametrize(
    ("check", "passes"), [("grounded", False), ("grounded:1", True), ("grounded:2", True)]
)
def test_an_answer_is_grounded_where_few_enough_facts_are_missing(check: str, passes: bool):
    assert holds(parse_check(check), "It listens on 8443 and on 9999.", search_here, built()) is passes


def test_an_answer_of_a_megabyte_says_how_much_of_it_was_checked():
    found = facts("It listens on port 8443. " * 40_000, built())
    assert found.notes == (PARTIAL,)
    assert [fact.state for fact in found.facts] == ["found"]


def test_an_edited_answer_is_checked_in_the_words_of_its_version():
    from workbench.engine.answers.facts import facts_of_turn
    from workbench.engine.intents import SendMessage

    async def scenario() -> tuple[AnswerFacts, AnswerFacts]:
        world = fake_world()
        bench = Bench(world)
        await bench.start()
        await bench.do(SendMessage("talk", "Is it 4321?"))
        turn = await world.store.last_turn("talk")
        assert turn is not None
        before = await facts_of_turn(turn, world.store, FactMemory())
        await world.store.save_tuning(
            "talk", Tuning(edits=(EditedText(before.message, "It is 4321, not 98765."),))
        )
        return before, await facts_of_turn(turn, world.store, FactMemory())

    before, after = asyncio.run(scenario())
    assert before.answer != after.answer == "It is 4321, not 98765."
    assert [(one.text, one.state) for one in after.facts] == [("4321", "question"), ("98765", "absent")]


def test_a_stored_turn_is_checked_against_the_request_it_was_sent_with():
    from workbench.engine.answers.facts import facts_of_turn
    from workbench.engine.intents import SendMessage

    async def scenario() -> AnswerFacts:
        world = fake_world()
        bench = Bench(world)
        await bench.start()
        await bench.do(SendMessage("talk", "Is it 4321?"))
        turn = await world.store.last_turn("talk")
        assert turn is not None
        return await facts_of_turn(turn, world.store, FactMemory())

    found = asyncio.run(scenario())
    assert found.message
    assert not found.problem


def test_a_watched_answer_is_checked_against_the_other_programs_request():
    """Its question, its earlier answers and its tools' results are told apart as in a chat of our own."""
    from tests.fakes.catalogue import FakeCatalogue
    from tests.fakes.history import MemoryHistory
    from tests.fakes.watched import CALL, QUESTION, RESULT, watched
    from workbench.engine.answers.facts import facts_of_turn
    from workbench.engine.watch.stored_requests import Keeper

    said = (("answer", "The port was 9911 before.", ""),)
    asked = (("user", (("text", f"{QUESTION[1]} It is 4321.", ""),)), ("assistant", (*said, *CALL)))
    answer = (("answer", "`refresh()` awaits `ask()`: 4321 and 9911, never 5555.", ""),)

    async def scenario() -> AnswerFacts:
        store = MemoryHistory()
        keeper = Keeper(store, FakeCatalogue())
        await keeper.keep(*watched(1, [*asked, ("user", (RESULT,))], answer))
        (turn,) = await store.turns("5f0e3c")
        return await facts_of_turn(turn, store, FactMemory())

    states = {one.text: one.state for one in asyncio.run(scenario()).facts}
    assert states == {
        "refresh()": "found", "ask()": "found", "4321": "question", "9911": "earlier_answer", "5555": "absent",
    }  # fmt: skip
