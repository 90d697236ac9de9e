"""A client that goes on in another run of the watch goes on in its conversation, and its cache is known."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.passing import MINUTE, STARTED, answered, messages, passed, said, understanding
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.rules import ProgramRules, parse_rule
from workbench.engine.watch.ruling import Ruling
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
    await remember_kept(store, NOW, again.remember)
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
    await remember_kept(store, NOW, again.remember)
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
    await remember_kept(store, NOW, lambda turn, _: read.append(turn.conversation))
    assert len(read) == MOST
    await remember_kept(store, "2026-12-24T00:00:00Z", lambda turn, _: read.append(turn.conversation))
    assert len(read) == MOST


@in_loop
async def test_what_a_rule_froze_is_known_in_the_next_run():
    """The first request after a restart froze another text, which broke the prefix that the rule was to keep."""
    rules = (
        ProgramRules(
            "Claude Code", (parse_rule("text.freeze=system[1].text"), parse_rule("block.drop=system[0]"))
        ),
    )
    store, talk = MemoryHistory(), list[dict[str, object]]()
    sent = list[Any]()
    for run in range(3):
        ruling, watch = Ruling(rules, salt=b"%d" % run), understanding()
        await remember_kept(store, NOW, watch.remember, ruling.remember)
        for day in (3 * run, 3 * run + 1, 3 * run + 1):
            talk.append(said("user", f"What does {len(talk)}.py do?"))
            system = [
                {"type": "text", "text": text} for text in ("Go away.", f"Today is {day}.", "Be brief.")
            ]
            came = passed(
                len(talk), "anthropic", messages(*talk, system=system), answered(), started_at=STARTED + day,
                headers=(("user-agent", "claude-cli/2.1"), ("x-claude-code-session-id", "s1")),
            )  # fmt: skip
            changed = ruling.change(came, came.request)
            assert changed.body is not None
            sent.append(json.loads(changed.body))
            exchange = replace(
                came, request=changed.body, came_in=came.request, rules=changed.outcomes, sent_bytes=1
            )
            turn = watch.take(exchange)
            assert turn is not None
            await Keeper(store, FakeCatalogue()).keep(turn, exchange)
            talk.append(said("assistant", "It is so."))
    assert len({json.dumps(one["system"]) for one in sent}) == 1
    for before, after in pairwise(sent):
        assert after["messages"][: len(before["messages"])] == before["messages"]
    assert "Today is 6" in json.dumps(sent[-1]["messages"])
