"""What is too old goes to the bin, the oldest where there is no room; nothing by a clock that may be wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.engine import TickingUtc, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat, open_store, said
from tests.fakes.watched import agent_turns
from workbench.domain.errors import NotKept
from workbench.domain.watch.request import WatchedSize, WatchLimits
from workbench.engine.events import NoticeGiven
from workbench.engine.program_intents import TidyWatched
from workbench.engine.watch.limits import Tidying, keep_within_limits, tidying
from workbench.engine.watch.stored_requests import Keeper
from workbench.ports.history import HistoryStore

DAYS = WatchLimits(days=30)
MB = 1_000_000


def size(name: str, used: str, megabytes: int = 0, **more: object) -> WatchedSize:
    return WatchedSize(name, f"2026-{used}T00:00:00Z", megabytes * MB, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sizes", "gone"),
    [
        # One over the limit deleted itself while it was watched, and all older ones though they fitted.
        ((size("now", "11-18", 600), size("older", "11-17", 1), size("oldest", "11-16", 2)), ("oldest", "older")),
        ((size("now", "11-18", 2), size("large", "11-17", 500), size("oldest", "11-16", 2)), ("oldest", "large")),
        ((size("now", "11-18", 400), size("older", "11-17", 90), size("oldest", "11-16", 20)), ("oldest",)),
        ((size("now", "11-18", 400), size("runs", "11-16", 200, running=True), size("b", "11-17", 9)), ("b",)),
        ((size("only", "11-18", 900),), ()),
        ((size("now", "11-18", 300), size("older", "11-17", 200)), ()),
        ((size("now", "11-18", 300), size("bin", "11-01", 300, binned_utc="2026-11-17T00:00:00Z")), ("bin",)),
    ],
)  # fmt: skip
def test_the_oldest_make_room_and_never_the_newest_or_a_running_one(
    sizes: tuple[WatchedSize, ...], gone: tuple[str, ...]
):
    limits = WatchLimits(days=365, megabytes=500)
    assert tidying(sizes, (), limits, "2026-11-18T00:00:00Z").over_size == gone


def test_what_is_too_old_goes_to_the_bin_and_from_there_a_week_later():
    used = ["2026-10-01", "2026-10-25", "2026-11-10"]
    sizes = (
        size("old", "10-01"),
        size("runs", "10-01", running=True),
        size("new", "11-01"),
        size("fresh", "09-01", binned_utc="2026-11-14T00:00:00Z"),
        size("due", "09-20", binned_utc="2026-11-01T00:00:00Z"),
    )
    found = tidying(sizes, used, DAYS, "2026-11-20T00:00:00Z")
    assert found == Tidying(("old",), emptied=("due",), binned=("fresh",))


@pytest.mark.parametrize("days", [1, 30, 200])
def test_a_clock_that_jumps_takes_nothing(days: int):
    """`faketime '+400 days'` deleted every watched conversation for good."""
    sizes = (
        size("a", "11-10"),
        size("b", "11-17"),
        size("binned", "10-01", binned_utc="2026-11-16T00:00:00Z"),
        replace(size("now", "11-18"), used_utc="2027-12-23T00:00:00Z"),
    )
    used = ["2026-11-10", "2026-11-17", "2027-12-23"]
    found = tidying(sizes, used, WatchLimits(days=days), "2027-12-23T00:00:00Z")
    assert found == Tidying(waiting=("a", "b", "binned"), binned=("binned",))


def test_time_that_passed_while_other_chats_were_used_is_no_jump():
    sizes = (size("a", "06-10"), size("now", "11-18"))
    months = [f"2026-{month:02}-{day:02}" for month in range(6, 12) for day in (1, 20)]
    assert tidying(sizes, months, DAYS, "2026-11-18T00:00:00Z") == Tidying(("a",))
    assert tidying(sizes, ("odd", ""), DAYS, "2026-11-18T00:00:00Z") == Tidying(waiting=("a",))


async def watch(store: HistoryStore, name: str, after_days: int = 0) -> None:
    """Keep a conversation that was watched so many days after the first of January."""
    turn, exchange = agent_turns()[0]
    started = turn.started_at + after_days * 86400
    await Keeper(store, FakeCatalogue()).keep(replace(turn, conversation=name, started_at=started), exchange)


async def listed(store: HistoryStore) -> set[str]:
    return {one.id for one in await store.chats()}


@in_loop
async def test_an_old_conversation_can_be_put_back_for_a_week_and_is_gone_then(tmp_path: Path):
    store = open_store(tmp_path / "store")
    await store.create_chat(replace(chat("mine"), deleted_utc="2026-01-01T00:00:00Z"))
    for name, after in (("old", 0), ("middle", 20), ("new", 40)):
        await watch(store, name, after)
    found, told = await keep_within_limits(store, DAYS, "2026-02-10T00:00:00Z")
    assert found == Tidying(("old",), binned=("old",))
    assert told.startswith("1 watched conversation is older than 30 days and in the bin now, for 7 days. (")
    assert await listed(store) == {"middle", "new"}
    assert await store.search("refresh") != ()
    # Put back, it counts as new; and a second look changes nothing.
    await keep_within_limits(store, DAYS, "2026-02-12T00:00:00Z", "put_back")
    assert await keep_within_limits(store, DAYS, "2026-02-12T00:00:00Z") == (Tidying(), "")
    assert await listed(store) == {"old", "middle", "new"}
    # A conversation that goes on is there again, and what a person deleted is theirs.
    await keep_within_limits(store, DAYS, "2026-02-25T00:00:00Z")
    assert await listed(store) == {"old", "new"}
    found, told = await keep_within_limits(store, DAYS, "2026-03-05T00:00:00Z")
    assert (found.emptied, "1 watched conversation was removed from the bin." in told) == (("middle",), True)
    with pytest.raises(NotKept):
        await store.chat("middle")
    assert (await store.chat("mine")).deleted_utc is not None
    assert (await store.verify()).problems == ()
    await store.close()


@in_loop
async def test_what_a_person_deleted_is_not_removed_by_limits():
    store = MemoryHistory()
    await watch(store, "theirs")
    await watch(store, "new", 60)
    await store.append([replace(said("m", "more"), chat="new", created_utc="2026-01-25T00:00:00Z")])
    await store.save_chat(replace(await store.chat("theirs"), deleted_utc="2026-01-02T00:00:00Z"))
    assert await keep_within_limits(store, DAYS, "2026-03-02T00:00:00Z") == (Tidying(), "")
    assert (await store.chat("theirs")).deleted_utc is not None


@in_loop
async def test_after_a_jump_nothing_happens_until_somebody_says_so():
    store = MemoryHistory()
    for name, after in (("a", 0), ("b", 1), ("now", 400)):
        await watch(store, name, after)
    now = "2027-02-05T00:00:00Z"
    found, told = await keep_within_limits(store, DAYS, now)
    assert set(found.waiting) == {"a", "b"}
    assert "2 watched conversations seem older than 30 days" in told
    assert await listed(store) == {"a", "b", "now"}
    await keep_within_limits(store, DAYS, now, "keep")
    assert await keep_within_limits(store, DAYS, now) == (Tidying(), "")
    await watch(store, "later", 500)
    await keep_within_limits(store, DAYS, "2027-05-16T00:00:00Z", "bin")
    assert await listed(store) == {"later"}


@in_loop
async def test_what_somebody_imports_is_as_new_as_the_import():
    """A session of last spring that is asked for today must not be gone tomorrow."""
    store, (turn, exchange) = MemoryHistory(), agent_turns()[0]
    keeper = Keeper(store, FakeCatalogue(), imported_utc="2026-11-10T09:00:00Z")
    await keeper.keep(turn, exchange)
    assert await keep_within_limits(store, DAYS, "2026-11-17T09:00:00Z") == (Tidying(), "")
    found, _ = await keep_within_limits(store, DAYS, "2026-12-12T09:00:00Z")
    assert found.waiting  # nothing was used for a month: nobody knows whether it was one


@in_loop
async def test_the_window_shows_what_is_in_the_bin_and_what_waits():
    store = MemoryHistory()
    for name, after in (("old", 0), ("middle", 20), ("new", 40)):
        await watch(store, name, after)
    bench = fake_bench(store=store, utc=TickingUtc("2026-02-10"))
    await bench.workbench.begin()
    await bench.workbench.dispatch(TidyWatched())
    shown = bench.workbench.state.watch
    assert (shown.binned, shown.waiting) == (1, 0)
    assert "old" not in {one.id for one in bench.workbench.state.chats}
    assert len(bench.told(NoticeGiven)) == 1
    await bench.workbench.dispatch(TidyWatched())
    assert len(bench.told(NoticeGiven)) == 1  # said once
    await bench.workbench.dispatch(TidyWatched("put_back"))
    assert bench.workbench.state.watch.binned == 0
    assert "old" in {one.id for one in bench.workbench.state.chats}
    await bench.workbench.close()
