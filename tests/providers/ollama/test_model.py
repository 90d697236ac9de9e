"""The Ollama adapter; what holds for every model is told in the contract, and faults in faults/."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.fakes.answers import keep, question
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.wires import QUICK, OllamaWire
from workbench.domain.answer import CallMade, Finished, FinishReason, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.message import ToolCall
from workbench.domain.model import ModelCard
from workbench.domain.secrets import Secret
from workbench.domain.usage import Usage
from workbench.providers.harness.harness import RawPart
from workbench.providers.ollama.client import RawOllama, open_client
from workbench.providers.ollama.model import LineAnswer, OllamaModel
from workbench.providers.wire.endpoint import Endpoint, endpoint_of
from workbench.providers.wire.faults import Overflowed, SaidError
from workbench.providers.wire.guarded_transport import GuardedTransport
from workbench.providers.wire.transport import Caps

CARD = ModelCard("m", "ollama", 4096, None, "o200k_base", False, 3, 3, None, "2026-01-01")
WIRE = OllamaWire()


async def play(connection: Connection) -> None:
    if connection.asked.path.endswith("/api/show"):
        facts = {"general.architecture": "llama", "llama.context_length": 12345}
        body: object = {"model_info": facts, "capabilities": ["completion"]}
        await connection.whole(json.dumps(body).encode(), "application/json")
    elif connection.asked.path.endswith("/api/tags"):
        body = {"models": [{"model": "m:latest"}, {"model": "n"}]}
        await connection.whole(json.dumps(body).encode(), "application/json")
    else:
        await connection.head(WIRE.content_type)
        await connection.send(WIRE.text("a"), WIRE.finish())


def at(server: FaultServer) -> OllamaModel:
    return OllamaModel(endpoint_of(f"ollama:m@{server.url('play')}", lambda _: None), waits=QUICK)


@in_loop
async def test_the_card_gets_the_models_real_window_and_abilities():
    async with FaultServer({"play": play}) as server:
        model = at(server)
        card = await model.card(CARD)
        assert await model.served() == ("m:latest", "n")
        await model.close()
    assert (card.context_window_tokens, card.largest_window_tokens, card.tools) == (8192, 12345, False)
    assert json.loads(server.asked[0].body)["model"] == "m"


NOBODY = """
import asyncio, socket, sys
from workbench.providers.ollama.model import OllamaModel
from workbench.providers.wire.endpoint import endpoint_of
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{free.getsockname()[1]}"
async def ask():
    model = OllamaModel(endpoint_of(f"ollama:any@{url}", lambda _: None))
    print(await model.served(), "ollama" in sys.modules)
    await model.close()
asyncio.run(ask())
"""


def test_where_nobody_listens_the_library_is_not_even_loaded():
    """Every window loaded it to hear that there is no Ollama: 15 MB, and half a second."""
    done = subprocess.run([sys.executable, "-c", NOBODY], capture_output=True, text=True, check=True)
    assert done.stdout == "() False\n"


async def broken(connection: Connection) -> None:
    await connection.whole(b'{"models": 5}', "application/json")


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
    async def run() -> tuple[ModelCard, tuple[str, ...]]:
        async with FaultServer({"play": act}) as server:
            model = at(server)
            found = await model.card(CARD), await model.served()
            await model.close()
            return found

    assert asyncio.run(run()) == (CARD, ())


@in_loop
async def test_a_model_that_is_not_there_is_told_how_to_fetch_it():
    async def missing(connection: Connection) -> None:
        await connection.whole(b'{"error": "model \\"m\\" not found"}', "application/json", "404 Not Found")

    async with FaultServer({"play": missing}) as server:
        kept = await keep(at(server).stream(question()))
    assert kept.failure is not None
    assert "ollama pull" in kept.failure.message


@in_loop
async def test_a_server_that_is_not_there_is_told_how_to_start_it():
    async with FaultServer({}) as server:
        pass
    kept = await keep(at(server).stream(question()))
    assert kept.failure is not None
    assert "ollama serve" in kept.failure.message


@in_loop
async def test_an_answer_to_half_a_request_is_kept_and_marked():
    """Ollama drops the beginning of a long request silently; the answer then misses what it was asked about."""

    async def forgetful(connection: Connection) -> None:
        await connection.head(WIRE.content_type)
        await connection.send(
            WIRE.text("a"), WIRE.raw({"done": True, "prompt_eval_count": 52, "eval_count": 1})
        )

    async with FaultServer({"play": forgetful}) as server:
        model = at(server)
        kept = await keep(model.stream(question("some words " * 60, window_tokens=100)))
        await model.close()
    assert (kept.state, kept.kind, kept.text) == ("interrupted", "context", "a")
    assert kept.failure is not None
    assert (kept.failure.limit_tokens, kept.failure.asked_tokens) == (100, 120)


@in_loop
async def test_it_has_no_meter_and_can_be_asked_again_after_it_was_closed():
    async with FaultServer({"play": play}) as server:
        model = at(server)
        assert await model.meter() is None
        await keep(model.stream(question()))
        await model.close()
        assert (await keep(model.stream(question()))).text == "a"
        await model.close()


# The official Ollama client on our transport.


PLACE = Endpoint("https://host.example/below", "m", Secret.of_text("sk-canary-0123456789"))


def test_it_is_the_official_client_on_our_transport():
    client = open_client(PLACE, Caps())
    assert isinstance(client, RawOllama)
    assert str(client._http.base_url) == "https://host.example/below/"
    assert isinstance(getattr(client._http._transport, "_inner", None), GuardedTransport)
    assert (client._http.follow_redirects, client._http.trust_env) == (False, False)


def test_it_does_not_hold_the_key():
    assert "canary" not in repr(open_client(PLACE, Caps())._http.headers)


def test_the_environment_says_nothing_about_where_to_ask(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://planted.example")
    assert str(open_client(PLACE, Caps())._http.base_url) == "https://host.example/below/"


# Lines of Ollama's stream, read into parts of an answer.


LOOK = {"function": {"name": "look", "arguments": {"a": "ü"}}}


def read(*lines: dict[str, Any]) -> list[RawPart]:
    answer = LineAnswer(question())
    return [part for line in lines for part in answer.read(line)]


def test_a_message_brings_thoughts_and_text():
    assert read({"message": {"thinking": "t", "content": "a"}, "done": False}) == [
        ThinkingGrew("t"),
        TextGrew("a"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"message": None},
        {"message": {"content": None}},
        {"message": "x"},
        {"done": None},
        {"done": "true"},
    ],
)
def test_a_line_without_content_says_nothing(line: dict[str, Any]):
    assert read(line) == []


@pytest.mark.parametrize(
    ("said", "meant"), [("stop", "stop"), ("length", "length"), ("load", "other"), (None, None), (7, None)]
)
def test_a_reason_is_mapped(said: object, meant: FinishReason | None):
    assert read({"done": True, "done_reason": said}) == [Finished(meant)]


def test_the_last_line_may_bring_text_and_usage():
    last = {"message": {"content": "a"}, "done": True, "prompt_eval_count": 5, "eval_count": 1}
    assert read(last) == [TextGrew("a"), UsageReported(Usage(5, None, None, 1)), Finished(None)]


def test_calls_are_whole_and_keep_their_ids_or_get_one():
    lines: list[dict[str, Any]] = [
        {"message": {"tool_calls": [{"id": "x", **LOOK}]}},
        {"message": {"tool_calls": [LOOK, LOOK]}},
    ]
    *calls, end = read(*lines, {"done": True, "done_reason": "stop"})
    made = [part.call for part in calls if isinstance(part, CallMade)]
    assert made[0] == ToolCall("x", "look", '{"a": "ü"}')
    assert len({call.id for call in made}) == 3
    assert end == Finished("tool_calls")


@pytest.mark.parametrize(
    ("arguments", "text"), [(None, "{}"), ("", "{}"), ('{"a": 1}', '{"a": 1}'), ({}, "{}")]
)
def test_arguments_of_any_form_become_text(arguments: object, text: str):
    (part,) = read(
        {"message": {"tool_calls": [{"id": "x", "function": {"name": "f", "arguments": arguments}}]}}
    )
    assert part == CallMade(ToolCall("x", "f", text))


def test_a_call_without_a_name_is_none():
    assert read({"message": {"tool_calls": [{}, None, {"function": None}]}}) == []


@pytest.mark.parametrize("error", ["it broke", {"message": "it broke"}])
def test_an_error_is_raised(error: object):
    with pytest.raises(SaidError):
        read({"error": error})


def test_an_answer_to_half_a_request_is_not_complete():
    last = {"message": {"content": "a"}, "done": True, "prompt_eval_count": 4096}
    answer = LineAnswer(question())
    parts = answer.read(last)
    assert [next(parts), next(parts)] == [TextGrew("a"), UsageReported(Usage(4096))]
    with pytest.raises(Overflowed):
        next(parts)
