"""What watched chats take: more requests take more, and chats of our own are not listed."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat, open_store
from tests.fakes.watched import CONVERSATION, agent_turns
from workbench.domain.watch.kept import WatchedSize
from workbench.engine.watch.keeping import Keeper
from workbench.storage.chats import watched


@in_loop
async def test_the_sizes_of_watched_chats_follow_what_is_kept(tmp_path: Path):
    store = open_store(tmp_path / "store")
    await store.create_chat(chat("mine"))
    keeper = Keeper(store, FakeCatalogue())
    found: list[WatchedSize] = []
    for one in agent_turns():
        await keeper.keep(*one)
        found += await store.run(watched.sizes)
    first, second, third = found
    assert (third.chat, third.used_utc) == (CONVERSATION, "2026-01-01T00:03:00Z")
    assert len(agent_turns()[0][1].request) / 2 < first.bytes < second.bytes < third.bytes
    await store.close()
