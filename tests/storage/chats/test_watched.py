"""What watched chats take: more requests take more, and chats of our own are not listed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat, open_store
from tests.fakes.watched import CONVERSATION, agent_turns
from workbench.domain.watch.request import WatchedSize
from workbench.engine.watch.stored_requests import Keeper


@in_loop
async def test_the_sizes_of_watched_chats_follow_what_is_kept(tmp_path: Path):
    store = open_store(tmp_path / "store")
    await store.create_chat(chat("mine"))
    keeper = Keeper(store, FakeCatalogue())
    found: list[WatchedSize] = []
    for one in agent_turns():
        await keeper.keep(*one)
        found += await store.watched_sizes()
    first, second, third = found
    assert (third.chat, third.used_utc) == (CONVERSATION, "2026-01-01T00:03:00Z")
    assert len(agent_turns()[0][1].request) / 2 < first.bytes < second.bytes < third.bytes
    await store.close()


@in_loop
async def test_a_text_that_several_share_counts_once_and_for_the_newest(tmp_path: Path):
    """Counted for each, ten conversations of one agent took ten times its tools, and the limit came ten times early."""
    store = open_store(tmp_path / "store")
    turn, exchange = agent_turns()[0]
    for number, name in enumerate(("old", "new")):
        begun = replace(turn, conversation=name, started_at=turn.started_at + number)
        await Keeper(store, FakeCatalogue()).keep(begun, exchange)
    sizes = {one.chat: one.bytes for one in await store.watched_sizes()}
    assert sizes["old"] < sizes["new"]
    await store.remove_chats(["old"])
    assert {one.chat: one.bytes for one in await store.watched_sizes()} == {"new": sizes["new"]}
    await store.close()
