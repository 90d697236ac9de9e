"""What is kept of a request is read back as it was understood."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.loop import in_loop
from tests.fakes.stores import open_store
from tests.fakes.watched import CONVERSATION, agent_turns, changed_model
from workbench.domain.watch.request import FirstDifference
from workbench.engine.watch.kept_turn import watched_exchange, watched_turn
from workbench.engine.watch.stored_requests import Keeper


@in_loop
async def test_a_turn_comes_back_as_it_was_understood(tmp_path: Path):
    store = open_store(tmp_path / "store")
    *_, (turn, exchange) = agent_turns()
    lost = changed_model(turn)
    lost = replace(lost, against=replace(lost.against, first_difference=FirstDifference("model", "a", "b")))
    for one in (*agent_turns()[:2], (lost, exchange)):
        await Keeper(store, FakeCatalogue()).keep(*one)
    chat, path = await store.chat(CONVERSATION), await store.path(CONVERSATION)
    kept = (await store.turns(CONVERSATION))[-1]
    back = watched_turn(chat, kept, path)
    told = [(one.path, one.kind, one.text, one.name, one.tokens, one.message) for one in back.request.pieces]
    assert told == [
        (f"tool:{one.name}" if one.kind == "tool" else one.path, *_rest(one)) for one in lost.request.pieces
    ]
    assert [one.text for one in back.answer.pieces] == [one.text for one in lost.answer.pieces]
    assert (back.against, back.answer.usage, back.cost) == (lost.against, lost.answer.usage, lost.cost)
    assert (back.findings, back.client, back.status) == (lost.findings, lost.client, lost.status)
    assert replace(watched_exchange(kept), started_at=0.0) == replace(exchange, started_at=0.0)
    await store.close()


def _rest(piece: object) -> tuple[object, ...]:
    return tuple(getattr(piece, name) for name in ("kind", "text", "name", "tokens", "message"))
