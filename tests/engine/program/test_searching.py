"""A search while it is typed: what was asked last is shown, whatever took longer."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.archives import plain_archive
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import user
from workbench.domain.errors import StoreFull
from workbench.domain.record import Hit
from workbench.engine.program_intents import SearchHistory


class SlowSearch(FragileHistory):
    """Finds short words last."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def search(self, query: str, newest_first: bool = False, limit: int = 50) -> tuple[Hit, ...]:
        """As always, after a while."""
        self.asked.append(query)
        await asyncio.sleep(0.05 / len(query))
        return await super().search(query, newest_first, limit)


async def bench_with(store: FragileHistory) -> Bench:
    for number, text in enumerate(("alpha", "alpine", "beta")):
        await store.adopt(plain_archive(user("q", text), chat=f"c{number}"))
    return fake_bench(store=store)


def shown(bench: Bench) -> list[str]:
    found = bench.workbench.state.found
    assert found is not None
    assert not found.searching
    return sorted(hit.snippet for hit in found.hits)


@in_calm_loop
async def test_words_are_found_and_that_it_looks_is_seen():
    bench = await bench_with(FragileHistory())
    await bench.workbench.dispatch(SearchHistory("alp*"))
    assert shown(bench) == ["alpha", "alpine"]
    looking, found = bench.shows("found")
    assert looking is not None
    assert found is not None
    assert (looking.query, looking.searching, found.query, found.searching) == ("alp*", True, "alp*", False)


@in_calm_loop
async def test_a_slow_older_search_does_not_overwrite_a_newer_one():
    bench = await bench_with(store := SlowSearch())
    queries = ("a", "al", "alp", "alpine")
    await asyncio.gather(*(bench.workbench.dispatch(SearchHistory(query)) for query in queries))
    assert shown(bench) == ["alpine"]
    # Those that were overtaken while they waited are not done at all.
    assert store.asked == ["a", "alpine"]
    ended = [one for one in bench.shows("found") if one and not one.searching]
    assert [found.query for found in ended] == ["alpine"]


@pytest.mark.parametrize("nothing", ["", "  "])
def test_nothing_asked_ends_it_and_what_still_runs_is_not_shown(nothing: str):
    @in_calm_loop
    async def search() -> None:
        bench = await bench_with(store := SlowSearch())
        running = bench.world.tasks.start("search", bench.workbench.dispatch(SearchHistory("alpha")))
        await until(lambda: store.asked == ["alpha"])
        await bench.workbench.dispatch(SearchHistory(nothing))
        assert bench.workbench.state.found is None
        await running
        assert bench.workbench.state.found is None

    search()


@in_calm_loop
async def test_a_store_that_cannot_be_searched_is_said_and_it_looks_no_more():
    bench = await bench_with(FragileHistory("search"))
    with pytest.raises(StoreFull):
        await bench.workbench.dispatch(SearchHistory("alpha"))
    assert shown(bench) == []
