"""Turns in progress: one a chat, each with exactly one end, whatever breaks."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, Forever, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from workbench.domain.answer import TextGrew
from workbench.domain.errors import StoreFull, WorkbenchError
from workbench.domain.message import Message
from workbench.domain.model import ModelCard
from workbench.engine.events import AnswerGrew, NoticeGiven, TurnBegan, TurnEnded
from workbench.engine.intents import OpenChat, RegenerateAnswer, SendMessage, StartChat, StopTurn
from workbench.engine.running_turns import TurnRunning, WorkbenchClosed
from workbench.engine.tasks import Tasks

ASK = SendMessage("talk", "Well?")
ANSWERS = ("One.", "Two.", "Three.")


@in_calm_loop
async def test_two_clicks_begin_one_turn():
    bench = fake_bench(store=FragileHistory())
    await bench.start()
    clicks = (bench.workbench.dispatch(ASK) for _ in range(2))
    done = await asyncio.gather(*clicks, return_exceptions=True)
    assert [type(one) for one in done] == [type(None), TurnRunning]
    await bench.workbench.until_ended("talk")
    assert (len(bench.told(TurnBegan)), len(bench.told(TurnEnded)), len(await bench.texts())) == (1, 1, 2)


@in_calm_loop
async def test_the_next_turn_begins_only_after_the_last_was_seen_to_end():
    """Else the end of the first is taken for the end of the second, which is still running."""
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    # A draft is read only when a chat is shown again, after a turn for example.
    store.slow = {"draft": 0.02}
    async with asyncio.timeout(250):
        while len(bench.told(TurnBegan)) < 4:
            with suppress(TurnRunning):
                await bench.workbench.dispatch(ASK)
            await asyncio.sleep(0)
    await bench.workbench.until_ended("talk")
    order = [type(event) for event in bench.events if isinstance(event, TurnBegan | TurnEnded)]
    assert order == [TurnBegan, TurnEnded] * 4


@in_calm_loop
async def test_a_listener_that_hears_the_end_may_ask_the_next_question():
    bench = fake_bench(store=FragileHistory())
    await bench.start()
    asked: list[asyncio.Task[None]] = []

    def again(event: object, _: object) -> None:
        if isinstance(event, TurnEnded) and not asked:
            asked.append(bench.world.tasks.start("again", bench.workbench.dispatch(ASK)))

    bench.workbench.subscribe(again)
    await bench.do(ASK)
    await asked[0]
    await bench.workbench.until_ended("talk")
    assert len(await bench.texts()) == 4


@in_calm_loop
async def test_the_end_is_told_with_the_answer_in_view():
    bench = fake_bench(words("Yes."), store=FragileHistory())
    await bench.start()
    seen: list[list[str]] = []

    def look(event: object, _: object) -> None:
        if isinstance(event, TurnEnded):
            seen.append([record.id for record in bench.workbench.state.open["talk"].records])

    bench.workbench.subscribe(look)
    await bench.do(ASK)
    assert seen == [[record.id for record in await bench.world.store.path("talk")]]


@in_calm_loop
async def test_a_plan_that_cannot_be_made_leaves_the_chat_free():
    bench = fake_bench()
    await bench.start()
    for nonsense in (RegenerateAnswer("talk", "never"), SendMessage("nowhere", "?")):
        with pytest.raises(WorkbenchError):
            await bench.workbench.dispatch(nonsense)
    assert (await bench.do(ASK)).outcome.state == "complete"


class Broken(FakeModel):
    """Raises where a model must not."""

    async def card(self, known: ModelCard) -> ModelCard:
        """A bug."""
        raise RuntimeError("bug")


@in_calm_loop
async def test_a_bug_before_the_turn_is_begun_is_reported_and_ends_it_once():
    reports: list[str] = []
    tasks = Tasks(lambda name, error: reports.append(f"{name}: {error}"))
    bench = fake_bench(models=FakeModels(Broken([words("x")])), tasks=tasks)
    await bench.start()
    end = await bench.do(ASK)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind) == ("failed", "internal")
    assert (len(bench.told(TurnEnded)), reports) == (1, ["turn of talk: bug"])
    assert await bench.workbench.until_ended("talk") == end.outcome


async def whole_story(store: FragileHistory) -> tuple[Bench, list[object]]:
    """A chat, two questions, one of them answered again; whatever is refused on the way."""
    bench = fake_bench(*map(words, ANSWERS), store=store)
    problems: list[object] = []
    for intent in (StartChat("talk", SETTINGS), OpenChat("talk"), ASK, SendMessage("talk", "And?")):
        try:
            await bench.workbench.dispatch(intent)
        except WorkbenchError as problem:
            problems.append(problem)
        await bench.workbench.until_ended("talk")
    try:
        question = (await store.path("talk"))[0].id
        await bench.workbench.dispatch(RegenerateAnswer("talk", question))
    except (WorkbenchError, IndexError) as problem:
        problems.append(problem)
    await bench.workbench.until_ended("talk")
    return bench, problems


async def kept_answers(store: FragileHistory) -> list[str]:
    records = (await store.archive("talk")).records if await store.chats() else ()
    return [record.entry.text for record in records if isinstance(record.entry, Message)]


async def is_harmless(number: int) -> bool:
    """Refuse one call of the story and look at what became of it; False where there is no such call."""
    store = FragileHistory(refused_call=number)
    bench, problems = await whole_story(store)
    store.refused_call, hit = None, len(store.calls) >= number
    await bench.workbench.close()
    began, ended = bench.told(TurnBegan), bench.told(TurnEnded)
    order = [type(event) for event in bench.events if isinstance(event, TurnBegan | TurnEnded)]
    assert (TurnBegan, TurnBegan) not in pairwise(order)
    assert len(ended) >= len(began)
    states = [turn.state for turn in await store.turns("talk")]
    assert (len(states), "running" in states) == (len(began), False)
    failed = [event for event in ended if event.outcome.state == "failed"]
    # The writer of a growing answer is refused without a word: the end makes up for it. Which folders are followed is
    # asked again the next time the chat is shown, and counts that are not known are made.
    silent = store.calls[number - 1 : number] in (["append"], ["followed"], ["counts"])
    told = problems or failed or bench.told(NoticeGiven) or silent
    assert bool(told) == hit
    shown = "".join(event.text for event in bench.told(AnswerGrew))
    assert {answer for answer in ANSWERS if answer in shown} <= set(await kept_answers(store))
    return hit


@in_calm_loop
async def test_a_store_that_refuses_any_one_call_leaves_every_turn_ended_and_everything_kept():
    """Whichever call a full disk hits: no turn without an end, none with two, none that runs for ever."""
    number = 1
    async with asyncio.timeout(250):
        while await is_harmless(number):
            number += 1
    assert number > 50


@in_calm_loop
async def test_a_question_that_cannot_be_kept_is_not_asked():
    bench = fake_bench(store=FragileHistory("begin_turn"))
    await bench.start()
    end = await bench.do(ASK)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind) == ("failed", "store")
    assert (bench.model.requests, bench.told(TurnBegan)) == ([], [])


@in_calm_loop
async def test_closing_while_a_turn_is_planned_begins_nothing():
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    asking = bench.world.tasks.start("ask", bench.workbench.dispatch(ASK))
    await asyncio.sleep(0)
    await bench.workbench.close()
    assert isinstance(asking.exception() if not asking.cancelled() else WorkbenchClosed(), WorkbenchClosed)
    assert await store.turns("talk") == ()
    with pytest.raises(WorkbenchClosed):
        await bench.workbench.dispatch(ASK)


@in_calm_loop
async def test_stop_while_a_turn_is_planned_stops_it_and_keeps_its_question():
    bench = fake_bench(store=FragileHistory())
    await bench.start()
    asking = bench.world.tasks.start("ask", bench.workbench.dispatch(ASK))
    await asyncio.sleep(0)
    await bench.workbench.dispatch(StopTurn("talk"))
    await asking
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.state, await bench.texts()) == ("stopped", [("user", "Well?", "complete")])


@in_calm_loop
async def test_a_turn_that_does_not_end_in_time_ends_with_the_program():
    """A tool that hangs while it changes something must not keep the program open."""

    class Deaf(FragileHistory):
        async def finish_turn(self, *given: object) -> None:
            await asyncio.Event().wait()

    store = Deaf()
    bench = fake_bench([TextGrew("So"), Forever()], store=store)
    await bench.start()
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(AnswerGrew)))
    async with asyncio.timeout(250):
        await bench.workbench.close()
    (end,) = bench.told(TurnEnded)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind, store.closed) == ("interrupted", "internal", True)


@in_calm_loop
async def test_nothing_is_left_behind():
    """Tasks, locks and decisions of turns that have ended."""
    box = FakeToolbox()
    bench = fake_bench(words("One."), toolbox=box)
    await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
    for _ in range(3):
        await bench.do(ASK)
    await bench.workbench.close()
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


@in_calm_loop
async def test_a_refused_beginning_can_be_tried_again():
    store = FragileHistory("begin_turn")
    bench = fake_bench(store=store)
    await bench.start()
    await bench.do(ASK)
    store.refusing = {"chat"}
    with pytest.raises(StoreFull):
        await bench.workbench.dispatch(ASK)
    store.refusing = set()
    assert (await bench.do(ASK)).outcome.state == "complete"
