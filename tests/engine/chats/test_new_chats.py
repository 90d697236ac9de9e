"""A chat without anything in it leaves nothing behind; with the first thing in it, it is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.engine import SETTINGS, Bench, fake_world
from tests.fakes.loop import in_loop, until
from tests.fakes.stores import open_store
from workbench.engine.chats.drafts import NewChats
from workbench.engine.intents import (
    AttachText,
    ChangeSettings,
    ChatChange,
    CloseChat,
    DeleteChat,
    EditDraft,
    ListChats,
    OpenChat,
    RenameChat,
    RestoreChat,
    SendMessage,
    StartChat,
)

NEW = StartChat("new", SETTINGS, unwritten=True)


async def kept_after(folder: Path, *intents: object) -> list[str]:
    """The chats in a real store after a session in which all this was done, as the next session finds them."""
    bench = Bench(fake_world(store=open_store(folder / "store.db")))
    await bench.workbench.dispatch(NEW)
    for intent in intents:
        await bench.workbench.dispatch(intent)  # type: ignore[arg-type]
    await bench.workbench.until_ended("new")
    await bench.workbench.close()
    again = open_store(folder / "store.db")
    try:
        return [chat.id for chat in await again.chats()]
    finally:
        await again.close()


@pytest.mark.parametrize(
    "intents",
    [
        (), (ChangeSettings("new", replace(SETTINGS, context_window=5000)),), (EditDraft("new", ""),),
        (CloseChat("new"), OpenChat("new")), (DeleteChat("new"), RestoreChat("new")),
    ],
)  # fmt: skip
@in_loop
async def test_an_empty_chat_leaves_no_row(tmp_path: Path, intents: tuple[object, ...]):
    assert await kept_after(tmp_path, *intents) == []


@pytest.mark.parametrize(
    "intent",
    [
        EditDraft("new", "Half a quest"), AttachText("new", "A note.", "Note"), RenameChat("new", "Mine"),
        SendMessage("new", "Well?"),
    ],
)  # fmt: skip
@in_loop
async def test_the_first_thing_in_it_keeps_it(tmp_path: Path, intent: ChatChange):
    assert await kept_after(tmp_path, intent) == ["new"]


@in_loop
async def test_it_is_listed_as_soon_as_it_is_kept_and_has_the_settings_it_was_given(tmp_path: Path):
    bench = Bench(fake_world(store=open_store(tmp_path / "store.db")))
    work = bench.workbench
    await work.dispatch(NEW, ListChats())
    assert work.state.chats == ()
    assert work.state.open["new"].view is not None
    other = replace(SETTINGS, context_window=5000)
    await work.dispatch(ChangeSettings("new", other))
    assert work.state.open["new"].chat.settings == other
    await work.dispatch(EditDraft("new", "Half"))
    await until(lambda: [chat.id for chat in work.state.chats] == ["new"])
    assert (await bench.world.store.chat("new")).settings == other
    assert await bench.world.store.draft("new") == "Half"
    await work.dispatch(SendMessage("new", "Whole?"))
    await work.until_ended("new")
    assert [text for _, text, _ in await bench.texts("new")] == ["Whole?", "An answer."]
    await work.close()


@in_loop
async def test_words_that_were_typed_before_it_was_deleted_are_there_when_that_is_taken_back(tmp_path: Path):
    bench = Bench(fake_world(store=open_store(tmp_path / "store.db")))
    work = bench.workbench
    await work.dispatch(NEW)
    await work.dispatch(EditDraft("new", "Half"))
    await work.dispatch(CloseChat("new"))
    await work.dispatch(DeleteChat("new"), ListChats())
    await until(lambda: not any("draft" in task.get_name() for task in bench.world.tasks._running))
    assert await bench.world.store.chats() == ()
    await work.dispatch(RestoreChat("new"))
    await work.dispatch(OpenChat("new"))
    assert work.state.open["new"].draft == "Half"
    await work.close()


@in_loop
async def test_two_things_at_once_keep_it_once():
    world = fake_world()
    told: list[int] = []
    new = NewChats(world, lambda: told.append(1))
    await new.begin(NEW)
    import asyncio

    await asyncio.gather(new.write_down("new"), new.write_down("new"))
    assert (told, new.held("new"), [chat.id for chat in await world.store.chats()]) == ([1], None, ["new"])
