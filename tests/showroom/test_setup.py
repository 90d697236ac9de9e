"""What the scripted conversation needs is there, and gone afterwards."""

from __future__ import annotations

import json

import pytest

from tests.architecture.source_tree import ROOT
from tests.fakes.answers import keep, question
from tests.fakes.loop import in_loop
from workbench.domain.answer import Accepted
from workbench.domain.request import ModelRequest
from workbench.ports.models import ChatModel
from workbench.providers.builtin.model import WINDOW_TOKENS
from workbench.providers.catalogue import load_catalogue
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.showroom.model_server import (
    HARMONY,
    OPENAI,
    LlamaCache,
    OpenAiCache,
    Pace,
    Reading,
    ScriptedAnswer,
    ScriptedServer,
)
from workbench.showroom.setup import (
    ADDRESS,
    ScriptedClock,
    ScriptedLlama,
    ScriptedModels,
    ScriptedOpenAi,
    recorded,
    set_up,
    utc_at,
)


@in_loop
async def test_the_folder_is_a_copy_and_gone_afterwards():
    async with set_up() as setup:
        held = setup.folder
        shipped = setup.script.folder / setup.script.changed.path
        copied = held / setup.script.changed.path
        assert copied.read_bytes() == shipped.read_bytes()
        assert {part.name for part in setup.script.models.values()} == set(setup.servers)
        await setup.world.store.close()
    assert not held.exists()


# The recorded program: its requests are there with the sizes they had, and without any key.


def test_two_conversations_are_recorded_and_no_key_is_in_them():
    played = [exchange for _, exchange in recorded("2026-11-12")]
    sessions = [exchange.header("x-claude-code-session-id") for exchange in played]
    assert (len(played), len(set(sessions))) == (6, 2)
    names = {name for exchange in played for name, _ in exchange.headers}
    assert not names & {"authorization", "x-api-key", "cookie"}
    last = json.loads(played[-1].request)
    assert (len(played[-1].request), len(last["tools"])) == (115_508, 24)
    assert ADDRESS.startswith("http://127.0.0.1:")


# Scripted models: what is shown is what their server gets, and what is foretold is what it reports.


TOKENIZER = TiktokenTokenizer("o200k_base", ROOT / "resources" / "encodings")
STILL = Pace(100, 100, lambda _: None, lambda: 0.0)
LLAMA, HOSTED = "gguf:gpt-oss-20b.gguf", "openai:gpt-4.1-mini"


def llama(*answers: ScriptedAnswer) -> ScriptedLlama:
    server = ScriptedServer(Reading(HARMONY, TOKENIZER), LlamaCache(), STILL)
    server.coming += answers
    return ScriptedLlama(LLAMA, server)


def hosted(*answers: ScriptedAnswer) -> ScriptedOpenAi:
    server = ScriptedServer(Reading(OPENAI, TOKENIZER), OpenAiCache(), STILL)
    server.coming += answers
    return ScriptedOpenAi(HOSTED, server)


async def usage_of(model: ChatModel, request: ModelRequest) -> tuple[int | None, int | None]:
    kept = await keep(model.stream(request))
    accepted = [part.digest for part in kept.parts if isinstance(part, Accepted)]
    assert accepted == [model.wire(request).digest]
    [reported] = kept.usage
    return reported.usage.prompt_tokens, reported.usage.cached_tokens


@in_loop
async def test_the_meter_foretells_what_the_local_server_reports():
    model = llama(ScriptedAnswer("One."), ScriptedAnswer("Two.", "Hm."))
    meter = await model.meter()
    assert meter is not None
    for _ in range(2):
        measured = await meter.measure(question())
        assert await usage_of(model, question()) == (measured.prompt_tokens, measured.cached_tokens)
    assert await meter.framing() is not None


@in_loop
async def test_the_local_card_is_that_of_a_file_and_the_hosted_one_the_catalogues():
    catalogue = load_catalogue(ROOT / "resources" / "models.toml")
    card = await llama().card(catalogue.find(LLAMA))
    assert (card.context_window_tokens, card.window_assumed) == (WINDOW_TOKENS, False)
    assert await hosted().card(catalogue.find(HOSTED)) == catalogue.find(HOSTED)


@in_loop
async def test_a_hosted_model_is_asked_in_its_adapters_bytes_and_has_no_meter():
    model = hosted(ScriptedAnswer("One."))
    read, cached = await usage_of(model, question())
    assert (read, cached) == (
        len(Reading(OPENAI, TOKENIZER).tokens(OPENAI.prompt(model.wire(question()).body))),
        0,
    )
    assert await model.meter() is None


@pytest.mark.parametrize("model", [llama(ScriptedAnswer(refused=503)), hosted(ScriptedAnswer(refused=503))])
@in_loop
async def test_a_refusal_is_told_as_any_other(model: ChatModel):
    assert (await keep(model.stream(question()))).kind == "server"


@in_loop
async def test_scripted_models_are_listed_and_others_are_made_elsewhere():
    catalogue, other = load_catalogue(ROOT / "resources" / "models.toml"), hosted()
    models = ScriptedModels(catalogue, {LLAMA: llama()}, lambda _: other)
    assert [listing.name for listing in await models.available()] == [LLAMA]
    assert models.open("builtin") is other
    await models.close()


# The clock of the scripted conversation moves only when something takes time.


def test_time_moves_only_when_something_takes_it_and_never_back():
    clock = ScriptedClock("2026-11-12T13:00:00+00:00")
    clock.go_on(1.5)
    assert (clock.monotonic_ms(), clock.utc_now()) == (1500, "2026-11-12T13:00:01.500Z")
    clock.wait_until("2026-11-12T12:00:00+00:00")
    assert clock.utc_now() == "2026-11-12T13:00:01.500Z"
    clock.wait_until(utc_at("2026-11-13", "09:30", 1))
    assert clock.utc_now() == "2026-11-12T13:00:01.500Z"
    clock.wait_until(utc_at("2026-11-13", "09:30"))
    assert clock.utc_now() == "2026-11-13T09:30:00.000Z"
