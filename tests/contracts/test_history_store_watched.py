"""Watched chats: facts of every HistoryStore."""

from __future__ import annotations

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat
from tests.fakes.watched import CONVERSATION, agent_turns
from workbench.domain.errors import NotKept
from workbench.engine.watch.keeping import Keeper
from workbench.ports.history import HistoryStore


@in_loop
async def test_watched_chats_have_a_size_and_are_removed_without_others(store: HistoryStore):
    await store.create_chat(chat("mine"))
    for one in agent_turns()[:2]:
        await Keeper(store, FakeCatalogue()).keep(*one)
    (size,) = await store.watched_sizes()
    assert (size.chat, size.bytes > 0) == (CONVERSATION, True)
    assert await store.remove_chats([CONVERSATION, "nowhere"]) == 1
    assert await store.watched_sizes() == ()
    assert [one.id for one in await store.chats()] == ["mine"]
    with pytest.raises(NotKept):
        await store.chat(CONVERSATION)
