"""A client that goes on in another run of the watch goes on in its conversation, and its cache is known."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.passing import MINUTE, STARTED, answered, messages, passed, said, understanding
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.watch.stored_requests import MOST, Keeper, remember_kept

SYSTEM = [{"type": "text", "text": "Be brief. " * 2000, "cache_control": {"type": "ephemeral"}}]
NOW = "2026-11-17T12:00:00Z"


def request(n: int, *talk: str, at: float = 0.0) -> Exchange:
    spoken = [said("assistant" if place % 2 else "user", words) for place, words in enumerate(talk)]
    headers = (("user-agent", "claude-cli/2.1"), ("x-claude-code-session-id", "s1"))
    return passed(
        n, "anthropic", messages(*spoken, system=SYSTEM), answered(), headers=headers, started_at=STARTED + at
    )


async def watched_once(store: MemoryHistory) -> WatchedTurn:
    exchange = request(1, "What does a.py do?")
    turn = understanding().take(exchange)
    assert turn is not None
    await Keeper(store, FakeCatalogue()).keep(turn, exchange)
    return turn


@in_loop
async def test_the_next_run_goes_on_where_the_last_one_ended():
    store = MemoryHistory()
    first = await watched_once(store)
    again = understanding()
    await remember_kept(store, again.remember, NOW)
    following = request(1, "What does a.py do?", "It is so.", "And b.py?", at=MINUTE)
    turn = again.take(following)
    assert turn is not None
    assert (turn.conversation, turn.against.relation) == (first.conversation, "extended")
    assert turn.forecast is not None
    assert turn.forecast.predicted_read_tokens > 0
    await Keeper(store, FakeCatalogue()).keep(turn, following)
    assert [one.number for one in await store.turns(first.conversation)] == [1, 2]


@in_loop
async def test_an_hour_later_it_is_a_cold_resume():
    store = MemoryHistory()
    await watched_once(store)
    again = understanding()
    await remember_kept(store, again.remember, NOW)
    turn = again.take(request(1, "What does a.py do?", "It is so.", "And b.py?", at=61 * MINUTE))
    assert turn is not None
    assert "cold_resume" in {one.kind for one in turn.findings}


@in_loop
async def test_old_conversations_and_too_many_are_not_read():
    store, read = MemoryHistory(), list[str]()
    exchange = request(1, "What does a.py do?")
    for number in range(MOST + 3):
        turn = understanding().take(exchange)
        assert turn is not None
        await Keeper(store, FakeCatalogue()).keep(replace(turn, conversation=f"c{number}"), exchange)
    await remember_kept(store, lambda turn, _: read.append(turn.conversation), NOW)
    assert len(read) == MOST
    await remember_kept(store, lambda turn, _: read.append(turn.conversation), "2026-12-24T00:00:00Z")
    assert len(read) == MOST
