"""Watched chats: facts of every HistoryStore."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat
from tests.fakes.watched import CONVERSATION, agent_turns
from workbench.domain.errors import NotKept
from workbench.engine.watch.stored_requests import Keeper
from workbench.ports.history import HistoryStore


@in_loop
async def test_watched_chats_have_a_size_and_are_removed_without_others(store: HistoryStore):
    await store.create_chat(chat("mine"))
    for one in agent_turns()[:2]:
        await Keeper(store, FakeCatalogue()).keep(*one)
    (size,) = await store.watched_sizes()
    assert (size.chat, size.bytes > 0, size.running, size.binned_utc) == (CONVERSATION, True, False, "")
    (unmeasured,) = await store.watched_sizes(10**12)
    assert unmeasured == replace(size, bytes=0)
    assert await store.days_used() == ("2026-01-01",)
    turn, exchange = agent_turns()[2]
    await Keeper(store, FakeCatalogue()).begin(turn, exchange)
    assert (await store.watched_sizes())[0].running
    kept = await store.chat(CONVERSATION)
    mark = kept.filed.watched
    assert mark is not None
    in_bin = replace(kept.filed, watched=replace(mark, binned_utc="2026-02-01T00:00:00Z"))
    await store.save_chat(replace(kept, deleted_utc="2026-02-01T00:00:00Z", filed=in_bin))
    assert [one.binned_utc for one in await store.watched_sizes()] == ["2026-02-01T00:00:00Z"]
    await store.save_chat(replace(kept, deleted_utc="2026-02-02T00:00:00Z", filed=in_bin))
    assert await store.watched_sizes() == ()  # a person deleted it
    assert await store.remove_chats([CONVERSATION, "nowhere"]) == 1
    assert await store.watched_sizes() == ()
    assert [one.id for one in await store.chats()] == ["mine"]
    with pytest.raises(NotKept):
        await store.chat(CONVERSATION)
