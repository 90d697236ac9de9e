"""Servers that count, at the other end of our adapter: recognised, counted, foretold; and those that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.effort import tries
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.llama_runs import chat
from tests.fakes.loop import in_loop
from tests.fakes.served_talk import ServedTalk
from tests.fakes.vllm_server import VllmDouble, vllm_double
from workbench.domain.answer import ModelFailed
from workbench.domain.model import ModelCard
from workbench.engine.events import NoticeGiven
from workbench.providers.catalogue import load_catalogue
from workbench.providers.served.asking import ServerQueries
from workbench.providers.served.servers import (
    HeldByServers,
    counting_server,
    detect_server,
    with_server_count,
)
from workbench.providers.served.slot import Token
from workbench.providers.wire.endpoint import Endpoint
from workbench.sources.resources import resource_path

pytestmark = pytest.mark.usefixtures("soon")
CARD = load_catalogue(resource_path("models.toml")).find("server:http://127.0.0.1:1/v1#m")


def name(server: VllmDouble) -> str:
    return f"server:http://127.0.0.1:{server.port}#m"


async def card_of(talk: ServedTalk) -> ModelCard:
    world = talk.bench.world
    return await world.models.open(talk.name).card(world.builder.catalogue.find(talk.name))


@in_loop
async def test_a_server_s_model_counts_exactly_and_has_its_rules():
    async with vllm_double() as server:
        talk = ServedTalk(name(server))
        card = await card_of(talk)
        await talk.close()
    assert (card.exact, card.cache_rules, card.context_window_tokens) == (True, "vllm", 4000)
    assert card.tokenizer.startswith("server:vllm-")
    assert (card.tools, card.counted_at_send, card.window_assumed) == (True, False, False)


@pytest.mark.parametrize("layout", ["append_only", "layered"])
@in_loop
async def test_every_turn_is_counted_and_foretold_as_the_server_reports_it(layout: str):
    async with vllm_double() as server:
        talk = ServedTalk(name(server), layout=layout)
        await talk.start()
        for number in range(tries(36, 5)):
            await talk.restless_turn(number)
        await talk.close()
    for turn in talk.turns:
        assert (turn.counted, turn.exact, turn.foretold, turn.sure) == (turn.prompt, True, turn.cached, True)
    assert sum(turn.cached or 0 for turn in talk.turns) > 0


@in_loop
async def test_what_is_shown_while_typing_is_what_is_reported():
    async with vllm_double() as server:
        talk = ServedTalk(name(server))
        await talk.start()
        for number in range(3):
            turn = await talk.turn(f"question {number} of a few words", typed=True)
            assert (turn.counted, turn.foretold, turn.sure) == (turn.prompt, turn.cached, True)
        await talk.bench.calm()
        view = talk.bench.workbench.state.open["talk"].view
        assert view is not None
        assert (view.cached_tokens or 0) > 0
        assert view.cached_exact
        await talk.close()


@in_loop
async def test_chats_share_what_a_server_holds():
    async with vllm_double() as server:
        talk = ServedTalk(name(server))
        for chat in ("one", "other"):
            await talk.start(chat)
        first = await talk.turn("the very same question, word for word", "one")
        second = await talk.turn("the very same question, word for word", "other")
        await talk.close()
    assert (first.foretold, first.cached) == (0, 0)
    assert second.foretold == second.cached == (second.counted - 1) // 4 * 4


@in_loop
async def test_a_small_pool_forgets_and_that_is_foretold_too():
    async with vllm_double(pool=300) as server:
        talk = ServedTalk(name(server))
        for chat in ("one", "other"):
            await talk.start(chat)
        for number in range(4):
            for chat in ("one", "other"):
                await talk.restless_turn(number, chat)
        await talk.close()
    assert [turn.foretold for turn in talk.turns] == [turn.cached for turn in talk.turns]
    assert server.queries > 300 * 4


@in_loop
async def test_a_server_that_others_ask_too_is_an_estimate():
    async with vllm_double() as server:
        talk = ServedTalk(name(server))
        await talk.start()
        await talk.turn("first")
        server.queries += 100
        turn = await talk.turn("second")
        again = await talk.turn("third")
        await talk.close()
    assert (turn.foretold, turn.sure) == (turn.cached, False)
    assert again.sure


@in_loop
async def test_a_server_that_was_started_anew_is_foretold_to_hold_nothing():
    async with vllm_double() as server:
        talk = ServedTalk(name(server))
        await talk.start()
        await talk.turn("first")
        server.restart()
        turn = await talk.turn("second")
        await talk.close()
    assert (turn.foretold, turn.cached, turn.sure) == (0, 0, True)


@in_loop
async def test_without_figures_there_is_no_forecast_before_something_was_served():
    async with vllm_double(metrics=False) as server:
        talk = ServedTalk(name(server))
        await talk.start()
        turns = [await talk.turn(f"question {number}") for number in range(4)]
        await talk.close()
    assert [turn.foretold for turn in turns[:2]] == [None, None]
    assert turns[3].foretold is not None
    assert (turns[3].exact, turns[3].sure) == (True, False)


@in_loop
async def test_what_is_not_reported_is_not_nothing():
    """Without its flag the server sends null; a forecast can then not be judged."""
    async with vllm_double(details=False) as server:
        talk = ServedTalk(name(server))
        await talk.start()
        turns = [await talk.turn(f"question {number}") for number in range(2)]
        await talk.close()
    assert [turn.cached for turn in turns] == [None, None]
    assert turns[1].foretold


@in_loop
async def test_a_template_that_hides_tools_is_said_and_the_tools_are_left_out():
    from workbench.domain.tool import ToolDefinition

    async with vllm_double(tools=False) as server:
        talk = ServedTalk(name(server))
        await talk.start(tools=(ToolDefinition("read", "Reads.", '{"type": "object"}'),))
        await talk.turn("hello")
        await talk.close()
    notices = [notice.text for notice in talk.bench.told(NoticeGiven)]
    assert any("cannot use tools" in notice for notice in notices)
    assert not any("tools" in body for path, body in server.asked if path == "/v1/chat/completions")


@in_loop
async def test_a_field_that_an_older_server_refuses_is_left_out():
    class Older(VllmDouble):
        def _chat(self, body: dict[str, Any]) -> tuple[int, str, bytes]:
            if "return_token_ids" in body:
                return 400, "application/json", b'{"error": {"message": "return_token_ids: extra forbidden"}}'
            return super()._chat(body)

    async with vllm_double(make=Older) as server:
        talk = ServedTalk(name(server))
        await talk.start()
        turn = await talk.turn("hello")
        await talk.close()
    assert (turn.state, turn.counted) == ("complete", turn.prompt)


@in_loop
async def test_a_server_of_another_kind_is_left_alone():
    async with vllm_double() as server:
        asking = ServerQueries(Endpoint(f"http://127.0.0.1:{server.port}/v1", "m"))
        listings: tuple[dict[str, Any], ...] = (
            {"data": [{"id": "m", "owned_by": "somebody"}]},
            {"data": []},
            {},
        )
        for listing in listings:
            assert await detect_server(asking, listing) == {}
        await asking.close()
        assert with_server_count(CARD, {}, Endpoint("http://127.0.0.1:1/v1", "m")) == CARD
        assert counting_server({}, Endpoint("", "m"), asking, dict, HeldByServers()) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("slots", "known"), [(1, True), (1024, True), (1025, False), (10**9, False), (0, False)]
)
@in_loop
async def test_a_server_with_more_places_than_any_has_is_not_believed(slots: int, known: bool):
    """Books are kept on each place: by the word of one server they would fill the memory."""

    async def answer(connection: Connection) -> None:
        said = {"total_slots": slots, "chat_template": "x"}
        await connection.whole(json.dumps(said).encode(), "application/json")

    async with FaultServer({"play": answer}) as server:
        asking = ServerQueries(Endpoint(server.url("play", "/v1"), "m"))
        assert bool(await detect_server(asking, {"data": [{"id": "m", "owned_by": "llamacpp"}]})) is known
        await asking.close()


@in_loop
async def test_a_server_that_is_gone_says_what_to_do():
    """“did not count (ConnectError)” was all that influence said."""
    async with vllm_double() as server:
        asking = ServerQueries(Endpoint(f"http://127.0.0.1:{server.port}/v1", "m"))
    with pytest.raises(ModelFailed) as failed:
        await asking.read("GET", "/props")
    await asking.close()
    said = f"No response from 127.0.0.1:{server.port}. Check the server and the address."
    assert (failed.value.failure.kind, failed.value.failure.message) == ("network", said)


@pytest.mark.parametrize("local", [False, True])
def test_another_computer_counts_at_send_only(local: bool):
    endpoint = Endpoint("https://models.example/v1", "m", local=local)
    card = with_server_count(CARD, {"kind": "vllm", "identity": "x", "tools": True}, endpoint)
    assert card.counted_at_send is not local


@in_loop
async def test_figures_that_cannot_be_had_for_once_leave_the_count_exact():
    class Moody(VllmDouble):
        def _figures(self) -> str:
            raise ConnectionResetError

    async with vllm_double(make=Moody) as server:
        talk = ServedTalk(name(server))
        await talk.start()
        turn = await talk.turn("hello")
        await talk.close()
    assert (turn.counted, turn.exact, turn.foretold) == (turn.prompt, True, None)


class OddFigures(VllmDouble):
    """Its figures are no numbers."""

    def _figures(self) -> str:
        return super()._figures().replace(f"}} {float(self.queries)}", "} NaN")


class OddTokens(VllmDouble):
    """Of a whole chat it says something that nobody can count."""

    def _tokenized(self, body: dict[str, Any]) -> tuple[int, str, bytes]:
        status, kind, said = super()._tokenized(body)
        if not body.get("return_token_strs"):
            return status, kind, said
        found = json.loads(said)
        return status, kind, json.dumps(found | {"tokens": [None, "x", 10**30] * 9, "count": 27}).encode()


class NoNumber(OddTokens):
    """What it says of a whole chat is not JSON."""

    def _tokenized(self, body: dict[str, Any]) -> tuple[int, str, bytes]:
        status, kind, said = super()._tokenized(body)
        return status, kind, b'{"count": NaN}' if body.get("return_token_strs") else said


class OddIds(VllmDouble):
    """The tokens that come with its answers are none."""

    def _chat(self, body: dict[str, Any]) -> tuple[int, str, bytes]:
        status, kind, said = super()._chat(body)
        return status, kind, said.replace(b'_ids": [', b'_ids": ["x", 1e99, ')


@pytest.mark.parametrize("odd", [OddFigures, OddTokens, NoNumber, OddIds])
@in_loop
async def test_whatever_a_server_says_of_itself_the_question_is_answered(odd: type[VllmDouble]):
    """An odd answer to a question beside the chat ended the turn as a failure of the program."""
    async with vllm_double(odd) as server:
        talk = ServedTalk(name(server))
        await talk.start()
        turns = [await talk.turn(f"a question of some words, number {number}") for number in range(2)]
        await talk.close()
    assert [turn.state for turn in turns] == ["complete", "complete"]
    assert all(turn.counted > 0 for turn in turns)


def test_a_prompt_that_was_scored_is_held_with_its_answer():
    held, endpoint = HeldByServers(), Endpoint("http://127.0.0.1:1/v1", "m")
    facts = {"kind": "llamacpp", "identity": "x", "places": 1}
    server = counting_server(facts, endpoint, ServerQueries(endpoint), lambda request: {}, held)
    assert server is not None
    tokens = [Token(number, b"x") for number in range(6)]
    server.meter.read(chat(("user", "a")), tokens)
    (pool,) = held.pools.values()
    assert not pool.answering
    assert pool.held([*tokens, Token(9, b"y")]).tokens == 6
