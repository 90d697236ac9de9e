"""Gemini's own interface; what holds for every model is told in the contract."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.answers import Kept, keep, question
from tests.fakes.fault_server import Asked, Connection, FaultServer
from tests.fakes.gemini_wire import GeminiWire
from tests.fakes.loop import in_loop
from workbench.domain.answer import CallMade, Finished, ThinkingGrew
from workbench.domain.model import ModelCard
from workbench.domain.secrets import Secret
from workbench.domain.usage import Usage, gemini_usage
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.gemini.messages import sign_for_storage
from workbench.providers.gemini.model import ChunkReader, is_google
from workbench.providers.prices import load_prices
from workbench.providers.wire.endpoint import endpoint_of
from workbench.providers.wire.faults import SaidError
from workbench.sources.resources import resource_path

KEY = Secret.of_text("AIza-real-key-0123456789")
WIRE = GeminiWire()
CARD = ModelCard("m", "gemini", 1000, None, "o200k_base", False, 3, 3, "gemini", "2026-01-01")


async def asked(*pieces: bytes) -> tuple[Kept, Asked, bytes]:
    """What is kept, what was asked, and what was shown to be asked."""

    async def act(connection: Connection) -> None:
        await connection.head(WIRE.content_type)
        await connection.send(*pieces)

    async with FaultServer({"play": act}) as server:
        model = WIRE.model(server.url("play"), KEY)
        shown = model.wire(question())
        kept = await keep(model.stream(question()))
        await model.close()
    (one,) = server.asked
    return kept, one, json.dumps(shown.body, ensure_ascii=False, separators=(",", ":")).encode()


@in_loop
async def test_the_cache_is_reported_and_the_key_stands_in_its_own_header():
    kept, one, shown = await asked(
        WIRE.text("Some "), WIRE.text("words"), WIRE.finish(usage=Usage(5000, 4096, None, 9, 4))
    )
    assert (kept.state, kept.text) == ("complete", "Some words")
    assert kept.usage[-1].usage == Usage(5000, 4096, None, 9, 4)
    assert one.path.endswith("/v1beta/models/fake-model:streamGenerateContent?alt=sse")
    assert one.headers["x-goog-api-key"] == KEY.reveal_text()
    assert "authorization" not in one.headers
    assert one.body == shown


@in_loop
async def test_what_a_filter_held_back_is_told_as_such():
    kept, _, _ = await asked(WIRE.text("Half"), WIRE.raw({"candidates": [{"finishReason": "SAFETY"}]}))
    assert kept.parts[-1] == Finished("content_filter")
    blocked, _, _ = await asked(WIRE.raw({"promptFeedback": {"blockReason": "SAFETY"}}))
    assert (blocked.state, blocked.kind) == ("failed", "empty")
    assert blocked.failure is not None
    assert "content rules" in blocked.failure.message


@in_loop
async def test_what_was_used_before_a_cut_is_known():
    kept, _, _ = await asked(WIRE.parts({"text": "a"}, usageMetadata={"promptTokenCount": 7}))
    assert (kept.state, kept.kind) == ("interrupted", "protocol")
    assert kept.usage[-1].usage == Usage(7)


@in_loop
async def test_an_answer_that_was_not_streamed_is_one():
    async def act(connection: Connection) -> None:
        content = {"parts": [{"text": "Yes."}]}
        whole = {
            "candidates": [{"content": content, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 3},
        }
        await connection.whole(json.dumps(whole).encode(), "application/json")

    async with FaultServer({"play": act}) as server:
        model = WIRE.model(server.url("play"), KEY)
        kept = await keep(model.stream(question()))
        await model.close()
    assert (kept.text, kept.usage[-1].usage, kept.parts[-1]) == ("Yes.", Usage(3), Finished("stop"))


@in_loop
async def test_the_card_and_the_list_are_the_servers():
    async def act(connection: Connection) -> None:
        one = {"name": "models/fake-model", "inputTokenLimit": 4096, "outputTokenLimit": 512}
        path = connection.asked.path
        body = one if path.endswith("/fake-model") else {"models": [one]}
        await connection.whole(json.dumps(body).encode(), "application/json")

    async with FaultServer({"play": act}) as server:
        model = WIRE.model(server.url("play"), KEY)
        card = await model.card(replace(CARD, window_assumed=True))
        listed = await model.served_now()
        await model.close()
    assert (card.context_window_tokens, card.max_output_tokens, card.window_assumed) == (4096, 512, False)
    assert listed == {"data": [{"id": "fake-model", "max_input_tokens": 4096}]}


def test_its_models_have_rules_and_prices():
    card = load_catalogue(resource_path("models.toml")).find("gemini:gemini-2.5-flash")
    rules = load_rules(resource_path("cache-rules.toml")).rules(card)
    price = load_prices(resource_path("prices.toml")).price(card)
    assert rules is not None
    assert price is not None
    assert (card.provider, rules.minimum_tokens, price.cached) == ("gemini", 2048, 0.03)


def test_google_itself_leaves_zeros_out():
    assert is_google(endpoint_of("gemini:m", lambda _: None))
    assert not is_google(endpoint_of("gemini:m", lambda _: None, "https://gw.example/v1beta"))


# Chunks of Gemini's stream, read one by one.


def test_what_is_left_out_of_a_report_is_zero_where_zeros_are_not_written():
    assert gemini_usage({}, zeros_unsaid=True) is None
    assert gemini_usage({"usageMetadata": {"promptTokenCount": 5}}) == Usage(5)
    assert gemini_usage({"usageMetadata": {"promptTokenCount": 5}}, zeros_unsaid=True) == Usage(5, 0)


def test_a_signature_remembers_the_call_it_came_with():
    reader = ChunkReader(question(), "m")
    part = {"functionCall": {"name": "ls", "args": {}}, "thoughtSignature": "sig"}
    parts = list(reader.read({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}))
    assert ThinkingGrew("", sign_for_storage("sig", "m", 0)) in parts
    assert [one.call.name for one in parts if isinstance(one, CallMade)] == ["ls"]
    assert parts[-1] == Finished("tool_calls")


def test_an_error_in_the_stream_is_one():
    with pytest.raises(SaidError):
        list(ChunkReader(question(), "m").read({"error": {"code": 503, "status": "UNAVAILABLE"}}))
