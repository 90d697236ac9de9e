"""Chats in view: what was read first is not shown last, and a closed one is not shown at all."""

from __future__ import annotations

import asyncio

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from workbench.domain.message import Message
from workbench.domain.record import Chat, Record
from workbench.engine.events import ChatClosed, ChatLoaded
from workbench.engine.intents import CloseChat, ListChats, OpenChat, RenameChat, SendMessage, StartChat


class SlowHistory(MemoryHistory):
    """Gives a branch only when the test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def path(self, chat: str, leaf: str | None = None) -> tuple[Record, ...]:
        """Late."""
        await self.go_on.wait()
        return await super().path(chat, leaf)


@in_calm_loop
async def test_a_chat_that_was_closed_while_it_was_read_is_not_shown():
    store = SlowHistory()
    bench = fake_bench(words("Hi."), store=store)
    await store.create_chat(Chat("talk", "2026-01-01T00:00:00Z", settings=SETTINGS))
    store.go_on.clear()
    opening = bench.world.tasks.spawn("open", bench.workbench.dispatch(OpenChat("talk")))
    await asyncio.sleep(0.01)
    await bench.workbench.dispatch(CloseChat("talk"))
    store.go_on.set()
    await opening
    assert bench.told(ChatLoaded) == []
    assert (len(bench.told(ChatClosed)), dict(bench.workbench.state.open)) == (1, {})


@in_calm_loop
async def test_chats_are_started_listed_changed_and_closed():
    bench = fake_bench()
    await bench.workbench.dispatch(StartChat("a", SETTINGS), StartChat("b", SETTINGS, unwritten=True))
    await bench.workbench.dispatch(RenameChat("a", "Another"), ListChats())
    assert [chat.title for chat in bench.shows("chats")[-1]] == ["Another"]
    assert bench.workbench.state.open["a"].chat.title == "Another"
    await bench.workbench.dispatch(CloseChat("a"), CloseChat("b"))
    assert dict(bench.workbench.state.open) == {}


@in_calm_loop
async def test_what_another_program_asked_in_an_open_chat_is_shown_when_chats_are_listed_again():
    bench = fake_bench(words("One."))
    await bench.start()
    await bench.do(SendMessage("talk", "Tell me."))
    store = bench.world.store
    assert isinstance(store, MemoryHistory)
    last = (await store.path("talk"))[-1].id
    await store.append(
        [Record("talk", Message("other", "user", ("From a script.",)), "2026-01-02T00:00:00Z", last)]
    )
    await bench.workbench.dispatch(ListChats())
    assert (
        bench.workbench.state.open["talk"].records[-1].id == last
    )  # nobody said that it was written elsewhere
    store.elsewhere = True
    await bench.workbench.dispatch(ListChats())
    await bench.calm()
    assert bench.workbench.state.open["talk"].records[-1].id == "other"
