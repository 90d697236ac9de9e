"""One turn from question to answer: what is kept, what is told, and that it always ends once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, Forever, Step, calls, words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from workbench.domain.answer import (
    Failure,
    Finished,
    Progressed,
    Retrying,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.usage import Usage
from workbench.engine.events import (
    AnswerGrew,
    ChatNamed,
    EnvelopeBuilt,
    LookEvent,
    ModelProgressed,
    NoticeGiven,
    RebuildProposed,
    RetryScheduled,
    ThoughtGrew,
    TurnAsked,
    TurnBegan,
    TurnEnded,
    TurnProgressed,
)
from workbench.engine.intents import AcceptRebuild, ChangeSettings, SendMessage, StartChat, StopTurn

ASK = SendMessage("talk", "What is new?")
USAGE = Usage(prompt_tokens=12, cached_tokens=0, completion_tokens=3)


@in_calm_loop
async def test_a_question_is_answered_and_kept():
    bench = fake_bench([TextGrew("All "), TextGrew("well."), UsageReported(USAGE), Finished("stop")])
    await bench.start()
    end = await bench.do(ASK)
    assert (end.outcome.state, end.outcome.answer, end.outcome.usage) == ("complete", "All well.", USAGE)
    assert await bench.texts() == [
        ("user", "What is new?", "complete"),
        ("assistant", "All well.", "complete"),
    ]
    turn = await bench.world.store.last_turn("talk")
    assert turn is not None
    assert (turn.state, turn.number, turn.reply) == (
        "complete",
        1,
        (await bench.world.store.path("talk"))[1].id,
    )


@in_calm_loop
async def test_events_come_in_the_order_things_happen():
    bench = fake_bench([Progressed("Loading", 0.5), ThinkingGrew("hm"), TextGrew("Yes."), Finished("stop")])
    await bench.start()
    await bench.do(ASK)
    beside = EnvelopeBuilt | LookEvent | TurnProgressed | ChatNamed
    kinds = [type(event) for event in bench.events if not isinstance(event, beside)]
    assert kinds[1:] == [TurnAsked, TurnBegan, ModelProgressed, ThoughtGrew, AnswerGrew, kinds[6], TurnEnded]


@in_calm_loop
async def test_what_is_sent_is_what_is_shown():
    bench = fake_bench()
    await bench.start()
    await bench.do(ASK)
    sent = next(e.prepared for e in bench.events if isinstance(e, EnvelopeBuilt))
    (request,) = bench.model.requests
    assert [(m.role, m.text) for m in request.messages] == [
        (m["role"], m["content"]) for m in sent.report["messages"]
    ]


FAILS = Failure("network", "The connection was lost.")


@pytest.mark.parametrize(
    ("answer", "state", "kept"),
    [
        ([FAILS], "failed", ""),
        ([TextGrew("Half "), FAILS], "interrupted", "Half "),
        ([ThinkingGrew("hm"), FAILS], "interrupted", ""),
        ([TextGrew("Whole."), Finished("length")], "complete", "Whole."),
    ],
)
def test_a_turn_ends_in_the_state_it_earned(answer: list[Step], state: str, kept: str):
    @in_calm_loop
    async def turn() -> None:
        bench = fake_bench(answer)
        await bench.start()
        end = await bench.do(ASK)
        assert (end.outcome.state, end.outcome.answer) == (state, kept)
        stored = await bench.world.store.last_turn("talk")
        assert stored is not None
        assert stored.state == state
        assert sum(isinstance(event, TurnEnded) for event in bench.events) == 1

    turn()


@in_calm_loop
async def test_stop_keeps_what_arrived_and_closes_the_stream():
    bench = fake_bench([TextGrew("So "), TextGrew("far"), Forever()])
    await bench.start()
    await bench.workbench.dispatch(ASK)
    await until(lambda: AnswerGrew("talk", "far") in bench.events)
    await bench.workbench.dispatch(StopTurn("talk"))
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.state, outcome.answer, bench.model.cancelled) == ("stopped", "So far", 1)
    assert (await bench.texts())[-1] == ("assistant", "So far", "stopped")


@in_calm_loop
async def test_stop_before_the_first_word_ends_the_turn_too():
    bench = fake_bench([Forever()])
    await bench.start()
    await bench.workbench.dispatch(ASK)
    await bench.workbench.dispatch(StopTurn("talk"))
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert outcome.state == "stopped"
    assert [role for role, _, _ in await bench.texts()] == ["user"]


@in_calm_loop
async def test_an_answer_is_on_the_disk_while_it_arrives():
    """Else a killed program loses everything that was shown since the question."""
    bench = fake_bench([TextGrew("Shown."), Forever()])
    await bench.start()
    await bench.workbench.dispatch(ASK)
    async with asyncio.timeout(250):
        while ("assistant", "Shown.", "running") not in await bench.texts():  # noqa: ASYNC110  (only the disk knows)
            await asyncio.sleep(0.001)
    bench.workbench.stop("talk")
    await bench.workbench.until_ended("talk")


@in_calm_loop
async def test_several_chats_answer_at_once():
    bench = fake_bench([TextGrew("…"), Forever()])
    for chat in ("one", "two"):
        await bench.start(chat)
        await bench.workbench.dispatch(SendMessage(chat, "?"))
    await until(lambda: len(bench.told(AnswerGrew)) == 2)
    assert {chat for chat, state in bench.workbench.state.open.items() if state.running} == {"one", "two"}
    await bench.workbench.close()


@in_calm_loop
async def test_a_request_that_does_not_fit_is_not_sent_and_not_kept():
    bench = fake_bench()
    await bench.start(settings=replace(SETTINGS, context_window=20, reserved_output_tokens=0))
    end = await bench.do(SendMessage("talk", "word " * 100))
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind, bench.model.requests) == ("failed", "context", [])
    assert await bench.texts() == []


@in_calm_loop
async def test_a_model_that_cannot_start_leaves_the_question_to_be_asked_again():
    missing = Failure("unavailable", "The model is not installed. Run `workbench models install`.")
    bench = fake_bench(models=FakeModels(FakeModel([words("x")], unready=missing)))
    await bench.start()
    end = await bench.do(ASK)
    assert (end.outcome.state, end.outcome.failure) == ("failed", missing)
    assert await bench.texts() == [("user", "What is new?", "complete")]


@in_calm_loop
async def test_retries_are_seen():
    bench = fake_bench([Retrying(1, 0.5, FAILS, 3), TextGrew("Now."), Finished("stop")])
    await bench.start()
    await bench.do(ASK)
    assert RetryScheduled("talk", 1, 0.5, FAILS, 3) in bench.events


@in_calm_loop
async def test_a_smaller_window_than_thought_leads_to_a_request_that_fits_it():
    over = Failure("context", "Too long.", limit_tokens=60, asked_tokens=90)
    bench = fake_bench(words("Short. " * 30), [over], words("Fits now."))
    await bench.start(settings=replace(SETTINGS, reserved_output_tokens=10))
    await bench.do(SendMessage("talk", "Tell me much."))
    await bench.do(ASK)
    proposal = next(e.prepared for e in bench.events if isinstance(e, RebuildProposed))
    assert proposal.built.envelope.fits
    # Their 90 tokens are our 57: of their 60 we may fill 38.
    assert proposal.built.envelope.budget.context_window_tokens == 38
    end = await bench.do(AcceptRebuild("talk"))
    assert (end.outcome.state, end.outcome.answer) == ("complete", "Fits now.")
    assert bench.workbench.state.open["talk"].chat.settings.context_window == 38


@in_calm_loop
async def test_a_model_that_knows_no_tools_is_asked_without_them():
    from workbench.domain.tool import ToolDefinition

    simple = FakeModel([words("ok")], refine=lambda card: replace(card, tools=False))
    bench = fake_bench(models=FakeModels(simple))
    await bench.start(settings=replace(SETTINGS, tools=(ToolDefinition("read"),)))
    await bench.do(ASK)
    assert simple.requests[0].tools == ()
    assert any(isinstance(event, NoticeGiven) for event in bench.events)


@in_calm_loop
async def test_an_answer_that_cannot_be_kept_is_still_shown():
    bench = fake_bench(words("Precious."), store=FragileHistory("finish_turn"))
    await bench.start()
    end = await bench.do(ASK)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.answer, end.outcome.failure.kind) == (
        "failed",
        "Precious.",
        "store",
    )


@in_calm_loop
async def test_settings_of_the_chat_hold_for_its_next_turn():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(ChangeSettings("talk", replace(SETTINGS, system_prompt="Be brief.")))
    await bench.do(ASK)
    assert bench.model.requests[0].messages[0].text == "Be brief."


@in_calm_loop
async def test_stop_does_not_wait_for_a_server_that_is_asked_what_it_is():
    bench = fake_bench(models=FakeModels(FakeModel([words("x")], card_s=60)))
    await bench.start()
    await bench.workbench.dispatch(ASK)
    await asyncio.sleep(0.02)
    await bench.workbench.dispatch(StopTurn("talk"))
    async with asyncio.timeout(250):
        outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.state, bench.model.requests) == ("stopped", [])
    # The question is kept, to be asked again.
    assert await bench.texts() == [("user", "What is new?", "complete")]
    await bench.workbench.close()


@in_calm_loop
async def test_a_name_that_names_no_model_ends_the_turn_and_keeps_nothing():
    bench = fake_bench()
    await bench.start(settings=replace(SETTINGS, model="nonsense:"))
    end = await bench.do(ASK)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind) == ("failed", "request")
    assert (await bench.texts(), len(bench.told(TurnEnded)), bench.told(TurnBegan)) == ([], 1, [])


@in_calm_loop
async def test_what_is_set_for_all_chats_and_for_this_one_is_sent():
    bench = fake_bench(parameters={"temperature": 0.5, "seed": 1})
    await bench.workbench.dispatch(StartChat("talk", SETTINGS, parameters={"seed": 2}))
    await bench.do(ASK)
    assert bench.model.requests[0].parameters == {"temperature": 0.5, "seed": 2}


@in_calm_loop
async def test_rounds_of_a_log_go_on_from_the_request_that_asked_for_them():
    """Though that was begun anew and trimmed: choosing again at every round would throw the cache away."""
    rounds = (calls(("read", '{"path": "a.md"}')), calls(("read", '{"path": "b.md"}')), words("Done."))
    box = FakeToolbox({"a.md": "Alpha. " * 30, "b.md": "Beta. " * 30})
    bench = fake_bench(*(words("said " * 100) for _ in range(5)), *rounds, toolbox=box)
    await bench.start()
    tools = tuple(tool.definition for tool in box.tools)
    log = replace(SETTINGS, layout="append_only", tools=tools, context_window=600, reserved_output_tokens=0)
    await bench.workbench.dispatch(ChangeSettings("talk", log))
    for number in range(6):
        await bench.do(SendMessage("talk", f"Question {number}?"))
    last = bench.model.requests[5:]
    assert len(last) == 3
    for before, after in pairwise(last):
        assert after.messages[: len(before.messages) - 1] == before.messages[:-1]
        # The last message of a request is marked as one that a cache may keep.
        assert after.messages[len(before.messages) - 1].text == before.messages[-1].text


@in_calm_loop
async def test_of_a_long_chat_only_the_last_turns_are_read_to_send():
    """All of them were read for the name of the last answer, at every question."""
    store = FragileHistory()
    bench = fake_bench(*(words(f"{n}.") for n in range(6)), store=store)
    await bench.start()
    for number in range(6):
        await bench.do(SendMessage("talk", f"Number {number}?"))
    # Before a question the last ones; after it, from the second on, its own for the list.
    assert store.lines_read == [0, 1, 1, 2, 1, 3, 1, 3, 1, 3, 1]
