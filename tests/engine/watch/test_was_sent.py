"""A held request that was refused, or one to nobody: no server got it, and everything that shows it says so."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.engine import fake_bench
from tests.fakes.passing import passed, understanding
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.watch.exchange import OWN_WORDS, WatchedFormat, refused_by_person
from workbench.engine.intents import ListChats, OpenChat
from workbench.engine.watch.ruling import CLOSED
from workbench.engine.watch.stored_requests import Keeper
from workbench.ui.inspector.head import subtitle


def refusal(kind: WatchedFormat) -> dict[str, Any]:
    """The window closed while this was held."""
    answer = json.dumps(refused_by_person(kind, f"{OWN_WORDS} {CLOSED}").body).encode()
    return {"answer": answer, "status": 403}


def shown(kind: WatchedFormat, about: dict[str, Any]) -> tuple[EnvelopeView, TurnRow]:

    async def opened() -> tuple[EnvelopeView | None, TurnRow]:
        bench = fake_bench()
        body = {"model": "m", "messages": [{"role": "user", "content": "What does a.py do?"}]}
        exchange = passed(1, kind, json.dumps(body).encode(), **about)
        turn = understanding().take(exchange)
        assert turn is not None
        assert not turn.was_sent
        chat = await Keeper(bench.world.store, FakeCatalogue(), "").keep(turn, exchange)
        await bench.workbench.dispatch(ListChats(), OpenChat(chat))
        state = bench.workbench.state.open[chat]
        await bench.workbench.close()
        return state.opened, state.turns[-1]

    view, row = asyncio.run(opened())
    assert view is not None
    return view, row


@pytest.mark.parametrize("kind", ["anthropic", "openai", "ollama"])
def test_a_held_request_that_was_refused_is_not_said_to_be_sent(kind: WatchedFormat):
    view, row = shown(kind, refusal(kind))
    assert (view.was_sent, row.was_sent) == (False, False)
    assert subtitle(view) == "1, not sent"


def test_a_request_to_a_server_that_nobody_reached_is_not_said_to_be_sent():
    """It counted as sent, with all its tokens."""
    view, row = shown("anthropic", {"status": None, "ending": "unreachable"})
    assert (view.was_sent, row.was_sent) == (False, False)
    assert row.failure is not None
    assert (row.failure.kind, row.failure.message) == (
        "network",
        "workbench watch: The server could not be reached.",
    )
