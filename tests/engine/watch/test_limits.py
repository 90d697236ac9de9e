"""What is too old goes, and the oldest where there is no room; what is not watched stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat, open_store
from tests.fakes.watched import agent_turns
from workbench.domain.errors import NotKept
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.watch.kept import WatchedSize, WatchLimits
from workbench.engine.watch.keeping import Keeper
from workbench.engine.watch.limits import keep_within_limits, over_limits


def test_what_is_too_old_goes_and_the_oldest_where_there_is_no_room():
    sizes = (
        WatchedSize("a", "2026-01-01", 5),
        WatchedSize("b", "2026-01-03", 6),
        WatchedSize("c", "2026-01-02", 7),
    )
    assert over_limits(sizes, "2026-01-02", 100) == ("a",)
    assert over_limits(sizes, "2025-01-01", 13) == ("a",)
    assert over_limits(sizes, "2025-01-01", 7) == ("c", "a")


@in_loop
async def test_old_conversations_are_gone_for_good_and_chats_of_our_own_stay():
    store = MemoryHistory()
    await store.create_chat(chat("mine"))
    for name in ("old", "new"):
        turn, exchange = agent_turns()[0]
        started = turn.started_at + (0 if name == "old" else 40 * 86400)
        await Keeper(store, FakeCatalogue()).keep(
            replace(turn, conversation=name, started_at=started), exchange
        )
    limits = Preferences(watch=WatchLimits(days=30))
    told = await keep_within_limits(store, limits, "2026-02-10T00:00:00Z")
    assert told.startswith("1 watched conversation was deleted, the oldest first: ")
    assert {one.id for one in await store.chats()} == {"mine", "new"}


@in_loop
async def test_what_somebody_imports_is_as_new_as_the_import():
    """A session of last spring that is asked for today must not be gone tomorrow."""
    store, (turn, exchange) = MemoryHistory(), agent_turns()[0]
    keeper = Keeper(store, FakeCatalogue(), imported_utc="2026-11-10T09:00:00Z")
    await keeper.keep(turn, exchange)
    assert await keep_within_limits(store, Preferences(), "2026-11-17T09:00:00Z") == ""
    assert "1 watched" in await keep_within_limits(store, Preferences(), "2026-12-24T09:00:00Z")


@in_loop
async def test_a_chat_that_somebody_deleted_can_still_be_brought_back(tmp_path: Path):
    """Keeping within the limits must not empty the bin."""
    store = open_store(tmp_path / "store")
    await store.create_chat(replace(chat("mine"), deleted_utc="2026-02-01T00:00:00Z"))
    turn, exchange = agent_turns()[0]
    await Keeper(store, FakeCatalogue()).keep(turn, exchange)
    assert (await store.verify()).problems == ()
    assert "1 watched" in await keep_within_limits(store, Preferences(), "2026-03-01T00:00:00Z")
    assert (await store.chat("mine")).deleted_utc is not None
    with pytest.raises(NotKept):
        await store.chat(turn.conversation)
    assert await store.search("refresh") == ()
    assert (await store.verify()).problems == ()
    await store.close()
