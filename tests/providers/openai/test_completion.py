"""Models that only continue text."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.fakes.answers import keep, question
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from workbench.providers.catalogue import load_catalogue
from workbench.providers.openai.completion import CompletionModel
from workbench.providers.wire.endpoint import endpoint_of
from workbench.sources.resources import resource_path


def chunk(**choice: object) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, **choice}]}).encode() + b"\n\n"


async def continues(connection: Connection) -> None:
    await connection.head("text/event-stream")
    await connection.send(chunk(text="Hello"), chunk(text=" there", finish_reason=None))
    await connection.send(chunk(text="", finish_reason="stop"), b"data: [DONE]\n\n")


@in_loop
async def test_the_request_is_one_text_and_the_answer_streams():
    async with FaultServer({"s": continues}) as server:
        model = CompletionModel(endpoint_of(f"completion:{server.url('s', '/v1')}#base", lambda _: None))
        kept = await keep(model.stream(question()))
        card = await model.card(WORD_MODEL)
        await model.close()
    asked = next(one for one in server.asked if one.path.endswith("/completions"))
    body = json.loads(asked.body)
    assert (kept.state, kept.text) == ("complete", "Hello there")
    assert body["prompt"].endswith("### Assistant:\n")
    assert "messages" not in body
    assert (body["model"], body["stream"], "\n### User:" in body["stop"]) == ("base", True, True)
    assert (card.tools, card.prefill) == (False, True)


async def breaks_off(connection: Connection) -> None:
    await connection.head("text/event-stream")
    await connection.send(chunk(text="Half"))


@in_loop
async def test_a_text_that_breaks_off_is_not_complete():
    async with FaultServer({"s": breaks_off}) as server:
        model = CompletionModel(endpoint_of(f"completion:{server.url('s', '/v1')}#base", lambda _: None))
        kept = await keep(model.stream(question()))
        await model.close()
    assert (kept.state, kept.text) == ("interrupted", "Half")


@in_loop
async def test_counts_are_estimates_wherever_it_is_asked():
    """38 tokens were called exact where the server read 43: the names of the speakers are counted by nobody."""
    async with FaultServer({"s": continues}) as server:
        for address in (server.url("s", "/v1"), "https://api.openai.com/v1"):
            model = CompletionModel(
                endpoint_of(f"completion:{address}#gpt-3.5-turbo-instruct", lambda _: None)
            )
            for known in (WORD_MODEL, replace(WORD_MODEL, tokenizer="server:any")):
                assert known.exact
                assert not (await model.card(known)).exact
            await model.close()
    catalogue = load_catalogue(resource_path("models.toml"))
    assert catalogue.find("gpt-3.5-turbo-instruct").exact
    assert not catalogue.find("completion:http://127.0.0.1:1/v1#gpt-3.5-turbo-instruct").exact
