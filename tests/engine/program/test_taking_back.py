"""An import that is taken back takes nothing along that somebody wrote here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.archives import plain_archive
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import assistant, user
from workbench.domain.errors import NotKept
from workbench.domain.record import ChatArchive, Record
from workbench.domain.workspace import Brought
from workbench.engine.program.taking_back import take_back_import

WHEN, LATER = "2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z"


def brought(chat: str, *marks: Brought) -> ChatArchive:
    archive = plain_archive(user("q", "Hi"), assistant("a", "Ho"), chat=chat)
    return replace(archive, chat=replace(archive.chat, filed=replace(archive.chat.filed, brought=marks)))


async def store_with(*archives: ChatArchive) -> MemoryHistory:
    store = MemoryHistory()
    for archive in archives:
        await store.adopt(archive)
    return store


@in_calm_loop
async def test_a_chat_that_was_continued_stays_and_is_named():
    store = await store_with(brought("c", Brought("f", WHEN, 2)), brought("d", Brought("f", WHEN, 2)))
    await store.append([Record("c", user("mine"), LATER, "a")])
    back = await take_back_import(store, LATER)
    assert (back.chats, back.kept) == (("d",), ("c",))
    assert [chat.id for chat in await store.chats()] == ["c"]


@in_calm_loop
async def test_messages_that_were_answered_here_stay():
    store = await store_with(brought("c", Brought("f", WHEN, messages=("a",))))
    await store.append([Record("c", user("mine"), LATER, "a")])
    assert (await take_back_import(store, LATER)).kept == ("c",)
    assert len(await store.path("c")) == 3


@in_calm_loop
async def test_the_newest_is_taken_back_or_the_one_that_is_named():
    older, newer = brought("c", Brought("one", WHEN, 2)), brought("d", Brought("two", LATER, 2))
    store = await store_with(older, newer)
    assert (await take_back_import(store, LATER)).chats == ("d",)
    store = await store_with(older, newer)
    assert (await take_back_import(store, LATER, "one")).chats == ("c",)


@in_calm_loop
async def test_where_there_is_none_nothing_is_changed():
    store = await store_with(brought("c"), brought("d", Brought("f", WHEN, 2, undone=True)))
    with pytest.raises(NotKept, match="no import to take back"):
        await take_back_import(store, LATER)
    assert len(await store.chats()) == 2
