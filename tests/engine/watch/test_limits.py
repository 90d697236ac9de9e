"""What is too old goes, and the oldest where there is no room; what is not watched stays."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat
from tests.fakes.watched import agent_turns
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
    assert await keep_within_limits(store, limits, "2026-02-10T00:00:00Z") == 1
    assert {one.id for one in await store.chats()} == {"mine", "new"}
