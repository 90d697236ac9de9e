"""Drafts: kept soon, kept at close, never lost to a refusal."""

from __future__ import annotations

import pytest

from tests.fakes.engine import fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.stores import chat
from workbench.domain.errors import StoreFull
from workbench.engine.chats.drafts import WAIT_S, Drafts
from workbench.engine.intents import CloseChat, EditDraft, OpenChat, SendMessage
from workbench.engine.tasks import Tasks


class Refusing(MemoryHistory):
    """Takes no draft while `full`; counts the others."""

    full = False
    saved = 0

    async def save_draft(self, chat: str, text: str) -> None:
        """Kept, unless the disk is full."""
        if self.full:
            raise StoreFull("test")
        self.saved += 1
        await super().save_draft(chat, text)


async def fresh() -> tuple[Refusing, Drafts, Tasks, list[str]]:
    store, reports = Refusing(), []
    await store.create_chat(chat("one"))
    await store.create_chat(chat("two"))
    tasks = Tasks(lambda name, error: reports.append(name))
    return store, Drafts(store, tasks), tasks, reports


def test_a_draft_loses_at_most_half_a_second():
    assert WAIT_S <= 0.5


@in_calm_loop
async def test_a_draft_is_kept_once_with_all_that_was_typed_meanwhile():
    store, drafts, _, _ = await fresh()
    for text in ("a", "ab", "abc"):
        drafts.note("one", text)
    assert await drafts.newest("one") == "abc"
    assert await store.draft("one") == ""
    await until(lambda: store.saved == 1)
    assert (await store.draft("one"), store.saved) == ("abc", 1)


@in_calm_loop
async def test_closing_keeps_what_still_waits():
    store, drafts, tasks, _ = await fresh()
    drafts.note("one", "1")
    drafts.note("two", "2")
    await drafts.flush()
    assert (await store.draft("one"), await store.draft("two")) == ("1", "2")
    await tasks.close()
    assert store.saved == 2


@in_calm_loop
async def test_a_refused_draft_is_kept_with_the_next_keystroke_or_at_close():
    store, drafts, _, reports = await fresh()
    store.full = True
    drafts.note("one", "important")
    await until(lambda: bool(reports))
    assert await drafts.newest("one") == "important"
    with pytest.raises(StoreFull):
        await drafts.flush()
    store.full = False
    drafts.note("one", "important!")
    await until(lambda: store.saved == 1)
    assert await store.draft("one") == "important!"


@in_calm_loop
async def test_one_refused_draft_does_not_cost_another():
    store, drafts, tasks, _ = await fresh()
    drafts.note("nowhere", "no such chat")
    drafts.note("one", "1")
    drafts.note("two", "2")
    with pytest.raises(Exception, match="nowhere"):
        await drafts.flush()
    assert (await store.draft("one"), await store.draft("two")) == ("1", "2")
    await tasks.close()


@in_calm_loop
async def test_what_is_typed_while_a_turn_ends_stays():
    """The chat is read again at the end of a turn; the store may be half a second behind the keyboard."""
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "?"))
    await bench.workbench.dispatch(EditDraft("talk", "next quest"))
    await bench.workbench.until_ended("talk")
    assert bench.workbench.state.open["talk"].draft == "next quest"
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.dispatch(OpenChat("talk"))
    assert bench.workbench.state.open["talk"].draft == "next quest"
    await bench.workbench.close()
    assert await bench.world.store.draft("talk") == "next quest"
