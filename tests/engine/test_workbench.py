"""The front door: chats in view, several at once, closed within two seconds with everything kept."""

from __future__ import annotations

import asyncio
from functools import reduce as fold
from typing import get_args

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, Forever, words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.answer import TextGrew
from workbench.domain.errors import NotKept, StoreFull
from workbench.engine.events import AnswerGrew, ChatLoaded, NoticeGiven, TurnEnded
from workbench.engine.intents import (
    CloseChat,
    EditDraft,
    Intent,
    ListChats,
    OpenChat,
    RenameChat,
    SendMessage,
    StartChat,
)
from workbench.engine.running_turns import WorkbenchClosed
from workbench.engine.state import WorkbenchState
from workbench.engine.store import reduce

ASK = SendMessage("talk", "Well?")


@in_calm_loop
async def test_a_chat_is_made_opened_closed_and_opened_again():
    bench = fake_bench()
    await bench.workbench.dispatch(StartChat("talk", SETTINGS, "Title", {"seed": 1}))
    await bench.workbench.dispatch(CloseChat("talk"))
    assert dict(bench.workbench.state.open) == {}
    await bench.workbench.dispatch(OpenChat("talk"))
    chat = bench.workbench.state.open["talk"].chat
    assert (chat.title, chat.settings, chat.parameters) == ("Title", SETTINGS, {"seed": 1})
    with pytest.raises(NotKept):
        await bench.workbench.dispatch(OpenChat("nowhere"))


@in_calm_loop
async def test_the_most_recently_used_chat_is_listed_first():
    bench = fake_bench()
    for chat in ("one", "two"):
        await bench.start(chat)
    await bench.do(SendMessage("one", "?"))
    await bench.workbench.dispatch(ListChats())
    assert [chat.id for chat in bench.shows("chats")[-1]] == ["one", "two"]


@in_calm_loop
async def test_a_chat_is_called_after_its_first_question_until_someone_names_it():
    bench = fake_bench()
    await bench.start()
    await bench.do(SendMessage("talk", "What is new?\nTell me."))
    assert bench.workbench.state.open["talk"].chat.title == "What is new?"
    await bench.workbench.dispatch(RenameChat("talk", "News"))
    await bench.do(SendMessage("talk", "And?"))
    assert bench.workbench.state.open["talk"].chat.title == "News"


@in_calm_loop
async def test_a_name_given_while_the_first_answer_arrives_stays():
    bench = fake_bench([TextGrew("…"), Forever()], store=FragileHistory())
    await bench.start()
    await bench.workbench.dispatch(ASK)
    await bench.workbench.dispatch(RenameChat("talk", "Mine"))
    bench.workbench.stop("talk")
    await bench.workbench.until_ended("talk")
    assert (await bench.world.store.chat("talk")).title == "Mine"


@in_calm_loop
async def test_a_turn_goes_on_out_of_view_and_does_not_bring_its_chat_back():
    bench = fake_bench([TextGrew("So "), 0.02, *words("it is.")])
    await bench.start()
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(AnswerGrew)))
    await bench.workbench.dispatch(CloseChat("talk"))
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.answer, dict(bench.workbench.state.open), dict(bench.workbench.state.away)) == (
        "So it is.", {}, {},
    )  # fmt: skip
    assert (await bench.texts())[-1] == ("assistant", "So it is.", "complete")


@in_calm_loop
async def test_a_chat_that_is_opened_again_shows_the_answer_that_arrives():
    bench = fake_bench([TextGrew("So "), Forever()])
    await bench.start()
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(AnswerGrew)))
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.dispatch(OpenChat("talk"))
    running = bench.workbench.state.open["talk"].running
    assert running is not None
    assert running.text == "So "
    await bench.workbench.close()


@in_calm_loop
async def test_a_change_to_a_chat_out_of_view_does_not_open_it():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.dispatch(RenameChat("talk", "Title"))
    assert dict(bench.workbench.state.open) == {}
    assert (await bench.world.store.chat("talk")).title == "Title"


@in_calm_loop
async def test_what_was_read_first_is_not_shown_last():
    """Two changes side by side read the chat again, each in several steps; the older reading must not win."""
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    store.slow = {"tuning": 0.03}
    first = bench.world.tasks.start("first", bench.workbench.dispatch(RenameChat("talk", "first")))
    await until(lambda: store.calls[-1] == "newest_turns")
    store.slow = {}
    await bench.workbench.dispatch(RenameChat("talk", "second"))
    await first
    assert (await store.chat("talk")).title == "second"
    assert bench.workbench.state.open["talk"].chat.title == "second"


@in_calm_loop
async def test_the_state_is_what_its_events_make_of_it():
    bench = fake_bench(words("One."), words("Two."))
    await bench.start()
    await bench.workbench.dispatch(EditDraft("talk", "Well?"))
    await bench.do(ASK)
    await bench.workbench.dispatch(ListChats())
    assert fold(reduce, bench.events, WorkbenchState()) == bench.workbench.state


@in_calm_loop
async def test_without_a_turn_there_is_nothing_to_wait_for():
    bench = fake_bench()
    await bench.start()
    assert await bench.workbench.until_ended("talk") is None
    assert await bench.workbench.until_ended("nowhere") is None
    bench.workbench.stop("talk")
    end = await bench.do(ASK)
    assert await bench.workbench.until_ended("talk") == end.outcome


@in_calm_loop
async def test_a_chat_that_cannot_be_read_again_is_told_and_the_turn_ends_all_the_same():
    store = FragileHistory()
    bench = fake_bench(words("Yes."), store=store)
    await bench.start()
    bench.workbench.subscribe(
        lambda event, state: store.refusing.add("path") if isinstance(event, AnswerGrew) else None
    )
    end = await bench.do(ASK)
    (notice,) = bench.told(NoticeGiven)
    assert (end.outcome.state, notice.chat) == ("complete", "talk")
    assert notice.text == str(StoreFull("test"))
    store.refusing.clear()
    assert (await bench.texts())[-1] == ("assistant", "Yes.", "complete")


@in_calm_loop
async def test_closing_stops_keeps_and_lets_go():
    model = FakeModel([[TextGrew("So far"), Forever()]])
    bench = fake_bench(models=FakeModels(model), store=FragileHistory())
    for chat in ("one", "two"):
        await bench.start(chat)
        await bench.workbench.dispatch(SendMessage(chat, "Well?"))
    await bench.workbench.dispatch(EditDraft("one", "half a ques"))
    await until(lambda: len(bench.told(AnswerGrew)) == 2)
    started = asyncio.get_running_loop().time()
    await bench.workbench.close()
    # A coarse guard: it takes milliseconds.
    assert asyncio.get_running_loop().time() - started < 2
    store = bench.world.store
    for chat in ("one", "two"):
        assert (await bench.texts(chat))[-1] == ("assistant", "So far", "stopped")
        assert [turn.state for turn in await store.turns(chat)] == ["stopped"]
    assert await store.draft("one") == "half a ques"
    assert (model.cancelled, store.closed, bench.world.models.closed) == (2, True, True)  # type: ignore[attr-defined]
    assert len(bench.told(TurnEnded)) == 2


@in_calm_loop
async def test_closing_twice_and_asking_after_it_do_nothing():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.close()
    await bench.workbench.close()
    before = len(bench.events)
    for intent in (ASK, EditDraft("talk", "x"), ListChats(), RenameChat("talk", "x")):
        with pytest.raises(WorkbenchClosed):
            await bench.workbench.dispatch(intent)
    assert len(bench.events) == before


@in_calm_loop
async def test_models_that_do_not_let_go_do_not_keep_the_program_open():
    class Clinging(FakeModels):
        async def close(self) -> None:
            """Never."""
            await asyncio.Event().wait()

    store = FragileHistory()
    bench = fake_bench(models=Clinging(FakeModel([words("x")])), store=store)
    await bench.start()
    async with asyncio.timeout(250):
        await bench.workbench.close()
    assert store.closed


@in_calm_loop
async def test_who_stops_listening_is_told_nothing_more():
    bench = fake_bench()
    heard: list[object] = []
    leave = bench.workbench.subscribe(lambda event, state: heard.append(event))
    await bench.start()
    leave()
    await bench.do(ASK)
    assert isinstance(heard[0], ChatLoaded)
    assert TurnEnded not in [type(event) for event in heard]


@in_calm_loop
async def test_wishes_about_several_chats_wait_for_the_changes_of_each():
    """Only the first chat's order was kept: what was read, changed and written in the second could be overtaken."""
    bench = fake_bench()
    for chat in ("talk", "other"):
        await bench.start(chat)
        await bench.do(SendMessage(chat, "Why?"))
    there, back = RenameChat("talk", "one"), RenameChat("other", "two")
    titles = [(await bench.world.store.chat(one)).title for one in ("talk", "other")]
    async with asyncio.TaskGroup() as group, bench.workbench._orders.of("other"):
        for some in (
            (there, back),
            (back, there),
        ):  # whichever they name first, they do not wait for each other
            group.create_task(bench.workbench.dispatch(*some))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [(await bench.world.store.chat(one)).title for one in ("talk", "other")] == titles
    assert [(await bench.world.store.chat(one)).title for one in ("talk", "other")] == ["one", "two"]


@in_calm_loop
async def test_every_intent_has_somebody_who_does_it():
    assert set(fake_bench().workbench._handlers) == set(get_args(Intent))
