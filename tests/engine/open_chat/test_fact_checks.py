"""Facts of answers in view: checked when they are asked for, kept by their message, and not while that is off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.fakes.engine import Bench, fake_world
from workbench.domain.answer_facts import AnswerFacts
from workbench.engine.intents import (
    CheckFacts,
    CloseChat,
    DeleteChat,
    OpenChat,
    RestoreChat,
    SendMessage,
)
from workbench.engine.open_chat.fact_checks import NOT_KEPT
from workbench.engine.world import World


async def checked(world: World, question: str | None = None) -> dict[str, AnswerFacts]:
    bench = Bench(world)
    await bench.start()
    await bench.do(SendMessage("talk", "Is it 4321?"))
    turn = bench.workbench.state.open["talk"].turns[-1]
    await bench.do(CheckFacts("talk", question or turn.question, turn.reply if question is None else "gone"))
    for _ in range(200):
        if bench.workbench.state.open["talk"].facts:
            break
        await asyncio.sleep(0.01)
    return dict(bench.workbench.state.open["talk"].facts)


def test_an_answer_is_checked_and_known_by_its_message():
    found = asyncio.run(checked(fake_world()))
    ((message, facts),) = found.items()
    assert facts.message == message
    assert facts.answer
    assert not facts.problem


def test_a_request_that_is_gone_says_so():
    ((_, facts),) = asyncio.run(checked(fake_world(), "nobody")).items()
    assert facts.problem == NOT_KEPT


def test_nothing_is_checked_while_it_is_off():
    world = fake_world()
    world.limits.check_facts = False
    assert asyncio.run(checked(world)) == {}


def test_answers_in_view_are_read_in_one_go_and_the_branch_is_not_read_again():
    world = fake_world()
    asked = list[str]()

    async def look() -> None:
        bench = Bench(world)
        await bench.start()
        for number in range(3):
            await bench.do(SendMessage("talk", f"Is it {number}?"))
        store = world.store
        for name in ("turns", "path", "last_turn"):
            setattr(store, name, partial(noted, name, getattr(store, name)))
        chat = bench.workbench.state.open["talk"]
        looks = [CheckFacts("talk", turn.question or "", turn.reply) for turn in chat.turns]
        await bench.workbench.dispatch(*looks)
        for _ in range(200):
            if len(bench.workbench.state.open["talk"].facts) == len(chat.turns):
                break
            await asyncio.sleep(0.01)
        assert len(bench.workbench.state.open["talk"].facts) == 3

    def noted(name: str, method: Callable[..., Any], *given: Any) -> Any:
        asked.append(name)
        return method(*given)

    asyncio.run(look())
    assert asked == ["turns"]


def test_what_was_found_is_known_when_the_chat_is_opened_again_but_not_once_it_was_deleted():
    world = fake_world()

    async def found() -> list[Any]:
        bench = Bench(world)
        await bench.start()
        await bench.do(SendMessage("talk", "Is it 4321?"))
        turn = bench.workbench.state.open["talk"].turns[-1]
        await bench.workbench.dispatch(CheckFacts("talk", turn.question or "", turn.reply))
        states = [bench.workbench.state.open["talk"].facts]
        while not states[-1]:
            await asyncio.sleep(0.01)
            states[-1] = bench.workbench.state.open["talk"].facts
        for intents in ([CloseChat("talk")], [CloseChat("talk"), DeleteChat("talk"), RestoreChat("talk")]):
            await bench.workbench.dispatch(*intents)
            await bench.workbench.dispatch(OpenChat("talk"))
            states.append(bench.workbench.state.open["talk"].facts)
        return states

    first, again, deleted = asyncio.run(found())
    assert first
    assert again == first
    assert deleted == {}
