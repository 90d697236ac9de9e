"""The OpenAI adapter; what holds for every model is told in the contract, and faults in faults/."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.answers import keep, question
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.wires import QUICK, OpenAiWire
from workbench.domain.model import ModelCard
from workbench.providers.openai.model import OpenAiModel, names_in
from workbench.providers.wire.endpoint import endpoint_of

CARD = ModelCard("m", "server", 4096, None, "o200k_base", False, 3, 3, None, "2026-01-01")
WIRE = OpenAiWire()


async def answer(connection: Connection) -> None:
    await connection.head(WIRE.content_type)
    await connection.send(WIRE.text("a"), WIRE.finish())


def at(server: FaultServer, **settings: Any) -> OpenAiModel:
    return OpenAiModel(
        endpoint_of(f"server:{server.url('play')}/v1#m", lambda _: None), waits=QUICK, **settings
    )


def refusing(words: str) -> Callable[[Connection], Awaitable[None]]:
    async def act(connection: Connection) -> None:
        if connection.number == 1:
            await connection.whole(json.dumps({"detail": words}).encode(), "application/json", "422 No")
        else:
            await answer(connection)

    return act


@in_loop
async def test_every_chunk_can_be_seen_as_it_came():
    seen: list[dict[str, Any]] = []
    async with FaultServer({"play": answer}) as server:
        model = at(server, on_chunk=seen.append)
        await keep(model.stream(question()))
        await model.close()
    assert seen[0]["choices"][0]["delta"] == {"content": "a"}


@in_loop
async def test_a_field_the_server_does_not_know_is_left_out_from_then_on():
    async with FaultServer({"play": refusing("extra_forbidden: stream_options")}) as server:
        model = at(server)
        kept = await keep(model.stream(question()))
        await keep(model.stream(question()))
        await model.close()
    assert (kept.state, [retry.failure.kind for retry in kept.retries]) == ("complete", ["request"])
    assert ["stream_options" in json.loads(one.body) for one in server.asked] == [True, False, False]


@in_loop
async def test_the_limit_is_renamed_where_the_server_asks_for_that():
    words = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    async with FaultServer({"play": refusing(words)}) as server:
        model = at(server)
        await keep(model.stream(replace(question(), max_output_tokens=9)))
        await model.close()
    first, second = (json.loads(one.body) for one in server.asked)
    assert (first.get("max_tokens"), second.get("max_completion_tokens")) == (9, 9)
    assert "max_tokens" not in second


@in_loop
async def test_another_refusal_is_not_tried_again():
    async with FaultServer({"play": refusing("temperature is too high")}) as server:
        model = at(server)
        kept = await keep(model.stream(question()))
        await model.close()
    assert (kept.kind, len(server.asked)) == ("request", 1)


async def listing(connection: Connection) -> None:
    body = {"data": [{"id": "m", "max_model_len": 12345}, {"id": "n"}]}
    await connection.whole(json.dumps(body).encode(), "application/json")


@in_loop
async def test_the_card_gets_the_window_the_server_has():
    async with FaultServer({"play": listing}) as server:
        model = at(server)
        assert (await model.card(CARD)).context_window_tokens == 12345
        assert names_in(await model.served_now()) == ("m", "n")
        await model.close()
    # Beside its list it is asked what kind of server it is, with nothing of a chat.
    assert [one.path for one in server.asked].count("/play/v1/models") == 2
    assert {one.path for one in server.asked} <= {"/play/v1/models", "/play/version", "/play/props"}
    assert not any(one.body for one in server.asked)


async def broken(connection: Connection) -> None:
    await connection.whole(b"<html>", "text/html")


async def away(connection: Connection) -> None:
    await connection.whole(b"", "text/html", "302 Found", location="/else")


async def big(connection: Connection) -> None:
    await connection.head("application/json")
    while True:
        await connection.send(b" " * 65536)


@pytest.mark.parametrize("act", [broken, away, big])
def test_a_card_stays_as_it_is_where_the_server_answers_nonsense(
    act: Callable[[Connection], Awaitable[None]],
):
    async def run() -> ModelCard:
        async with FaultServer({"play": act}) as server:
            model = at(server)
            card = await model.card(CARD)
            await model.close()
            return card

    assert asyncio.run(run()) == CARD


@in_loop
async def test_openai_itself_is_not_asked_for_what_it_does_not_say():
    """Its list has names only; asking would cost every first turn a round trip."""
    model = OpenAiModel(endpoint_of("openai:gpt-4o", lambda _: None))
    assert await model.card(CARD) == CARD


@in_loop
async def test_it_has_no_meter():
    async with FaultServer({"play": answer}) as server:
        assert await at(server).meter() is None


@in_loop
async def test_it_can_be_asked_again_after_it_was_closed():
    async with FaultServer({"play": answer}) as server:
        model = at(server)
        await keep(model.stream(question()))
        await model.close()
        assert (await keep(model.stream(question()))).text == "a"
        await model.close()
