"""OpenAI's Responses interface, against a server that keeps every byte it was sent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.fakes.answers import Kept, keep, question
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.wires import QUICK
from workbench.domain.answer import Finished, ThinkingGrew
from workbench.domain.message import Image, Thought, ToolCall
from workbench.domain.parameters import Parameters
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.secrets import Secret
from workbench.domain.tool import ToolDefinition
from workbench.domain.usage import Usage, responses_usage
from workbench.providers.catalogue import load_catalogue
from workbench.providers.named_models import model_at
from workbench.providers.openai.model import OpenAiModel
from workbench.providers.openai.responses import (
    ResponseReader,
    ResponsesModel,
    is_response,
    thought_for_storage,
    written,
)
from workbench.providers.served.servers import HeldByServers
from workbench.providers.wire.endpoint import endpoint_of
from workbench.sources.resources import resource_path

KEY = Secret.of_text("sk-real-key-0123456789")
CALL = ToolCall("call_1", "ls", '{"path": "."}')
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
USAGE = {
    "input_tokens": 2000,
    "input_tokens_details": {"cached_tokens": 1920},
    "output_tokens": 50,
    "output_tokens_details": {"reasoning_tokens": 40},
}
CALLED = {"type": "function_call", "call_id": "call_1", "name": "ls", "arguments": CALL.arguments}


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def end(status: str = "completed", **fields: Any) -> bytes:
    return event(f"response.{status}", response={"status": status, "usage": USAGE, **fields})


async def asked(*pieces: bytes, request: ModelRequest | None = None) -> tuple[Kept, Any, bytes]:
    """What is kept of an answer, what was shown before it was asked for, and the bytes that arrived."""

    async def act(connection: Connection) -> None:
        await connection.head("text/event-stream")
        await connection.send(event("response.created", response={}), *pieces)

    async with FaultServer({"play": act}) as server:
        model = ResponsesModel(
            endpoint_of("openai:gpt-5-pro", lambda _: KEY, server.url("play", "/v1")), waits=QUICK
        )
        shown = model.wire(request or question())
        kept = await keep(model.stream(request or question()))
        await model.close()
    (one,) = server.asked
    assert one.path.endswith("/v1/responses")
    return kept, shown, one.body


@in_loop
async def test_an_answer_with_thoughts_calls_and_usage():
    kept, shown, body = await asked(
        event("response.reasoning_summary_text.delta", delta="Hm."),
        event("response.output_item.done", item=REASONING),
        event("response.output_text.delta", delta="Some "),
        event("response.output_text.delta", delta="words"),
        event("response.function_call_arguments.delta", delta=CALL.arguments),
        event("response.output_item.done", item=CALLED),
        end(),
    )
    assert (kept.state, kept.text, kept.thinking) == ("complete", "Some words", "Hm.")
    assert [made.call for made in kept.calls] == [CALL]
    assert kept.usage[-1].usage == Usage(2000, 1920, None, 50, 40)
    assert kept.parts[-1] == Finished("tool_calls")
    assert json.loads(body) == shown.body
    assert body == json.dumps(shown.body, ensure_ascii=False, separators=(",", ":")).encode()
    assert shown.body["store"] is False
    assert shown.body["include"] == ["reasoning.encrypted_content"]
    assert shown.stretches == ((("input", 0, "content"),),)


@in_loop
async def test_a_thought_goes_back_before_what_it_led_to_and_only_to_its_model():
    kept, _, _ = await asked(
        event("response.output_item.done", item=REASONING),
        event("response.output_item.done", item=CALLED),
        end(),
    )
    (signature,) = [part.signature for part in kept.parts if isinstance(part, ThinkingGrew)]
    said = RequestMessage(
        "a", "assistant", "", tool_calls=(CALL,), thinking=(Thought("", signature), Thought("x", "sig"))
    )
    request = replace(
        question(),
        messages=(*question().messages, said, RequestMessage("t", "tool", "a.md", tool_call_id="call_1")),
    )
    _, shown, _ = await asked(event("response.output_text.delta", delta="a"), end(), request=request)
    assert shown.body["input"][1:] == [
        REASONING,
        CALLED,
        {"type": "function_call_output", "call_id": "call_1", "output": "a.md"},
    ]
    other = ResponsesModel(endpoint_of("openai:gpt-5.5-pro", lambda _: KEY))
    assert REASONING not in other.wire(request).body["input"]
    assert other.wire(request).body["prompt_cache_key"] == "chat-1"


@in_loop
async def test_every_end_has_its_name():
    text = event("response.output_text.delta", delta="a")
    for pieces, state, reason in (
        ([text, end("incomplete", incomplete_details={"reason": "max_output_tokens"})], "complete", "length"),
        (
            [text, end("incomplete", incomplete_details={"reason": "content_filter"})],
            "complete",
            "content_filter",
        ),
        ([event("response.refusal.delta", delta="No."), end()], "complete", "refusal"),
        ([text], "interrupted", None),
        ([text, event("response.failed", response={"error": {"code": "server_error"}})], "interrupted", None),
        ([text, event("error", code="server_error", message="m")], "interrupted", None),
    ):
        kept, _, _ = await asked(*pieces)
        last = kept.parts[-1]
        assert (kept.state, last.reason if isinstance(last, Finished) else None) == (state, reason)


@in_loop
async def test_a_model_that_does_not_stream_is_asked_for_the_whole():
    async def act(connection: Connection) -> None:
        if b'"stream":true' in connection.asked.body:
            refused = {"error": {"message": "no", "param": "stream", "code": "unsupported_value"}}
            await connection.whole(json.dumps(refused).encode(), "application/json", "400 Bad Request")
            return
        said = {"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}
        whole = {"object": "response", "status": "completed", "output": [REASONING, said], "usage": USAGE}
        await connection.whole(json.dumps(whole).encode(), "application/json")

    async with FaultServer({"play": act}) as server:
        model = ResponsesModel(
            endpoint_of("openai:o3-pro", lambda _: KEY, server.url("play", "/v1")), waits=QUICK
        )
        kept = await keep(model.stream(question()))
        await model.close()
    assert (kept.state, kept.text, kept.usage[-1].usage.cached_tokens) == ("complete", "Yes.", 1920)


def test_the_catalogue_says_which_models_are_asked_there():
    catalogue = load_catalogue(resource_path("models.toml"))
    made = {}
    for name in ("openai:gpt-5-pro", "openai:gpt-5", "server:https://h.example/v1#gpt-5-pro"):
        card = catalogue.find(name)
        made[name] = type(model_at(endpoint_of(name, lambda _: None), {}, HeldByServers(), card.api))
    assert list(made.values()) == [ResponsesModel, OpenAiModel, OpenAiModel]
    assert "no seed" in catalogue.find("openai:gpt-5-pro").refusal("seed")


# Events of the Responses interface, read one by one.


def test_what_is_not_reported_is_not_zero():
    assert responses_usage({}) is None
    assert responses_usage({"usage": {"input_tokens": 3}}) == Usage(3)


def test_parts_of_a_summary_stand_apart():
    reader = ResponseReader(question(), "m")
    added = {"type": "response.reasoning_summary_part.added"}
    assert list(reader.read({**added, "summary_index": 0})) == []
    assert list(reader.read({**added, "summary_index": 1})) == [ThinkingGrew("\n\n")]


def test_what_is_not_known_says_nothing():
    reader = ResponseReader(question(), "m")
    unknown: list[dict[str, Any]] = [
        {},
        {"type": "response.new"},
        {"type": "response.output_item.done", "item": None},
    ]
    assert [part for event in unknown for part in reader.read(event)] == []
    ended = list(reader.read({"type": "response.incomplete", "response": {"status": "incomplete"}}))
    assert ended == [Finished("other")]


def test_only_a_response_is_one():
    assert is_response({"object": "response", "output": []})
    assert not is_response({"object": "list", "output": []})


# Parameters, tools and pictures in the words of OpenAI's Responses interface.


def test_parameters_have_other_names_there():
    chosen = Parameters(
        temperature=0.5, seed=3, reasoning_effort="high", response_format="json", extra='{"store": true}'
    )
    request = replace(question(), chosen=chosen, max_output_tokens=5, parameters={"truncation": "auto"})
    body, _ = written(request, "m", keyed=False, streamed=True)
    assert {name: value for name, value in body.items() if name not in ("model", "input", "include")} == {
        "store": False,
        "stream": True,
        "max_output_tokens": 16,
        "truncation": "auto",
        "temperature": 0.5,
        "reasoning": {"effort": "high"},
        "text": {"format": {"type": "json_object"}},
    }


def test_a_schema_of_the_answer_stands_flat():
    chosen = Parameters(response_format='{"type": "string"}')
    body, _ = written(replace(question(), chosen=chosen), "m", keyed=False, streamed=True)
    assert body["text"]["format"] == {
        "type": "json_schema",
        "name": "answer",
        "schema": {"type": "string"},
        "strict": True,
    }


def test_tools_say_that_their_schema_is_not_strict():
    request = replace(question(), tools=(ToolDefinition("ls", "lists", '{"type": "object"}'),))
    (tool,) = written(request, "m", keyed=False, streamed=True)[0]["tools"]
    assert tool == {
        "type": "function",
        "name": "ls",
        "description": "lists",
        "strict": False,
        "parameters": {"type": "object"},
    }


def test_pictures_stand_where_they_were():
    message = RequestMessage("q", "user", "Look.", images=(Image("d", 1, 1),))
    request = replace(question(), messages=(message,), pictures={"d": Picture("image/png", b"x")})
    body, stretches = written(request, "m", keyed=False, streamed=True)
    assert body["input"][0]["content"] == [
        {"type": "input_text", "text": "Look."},
        {"type": "input_image", "image_url": "data:image/png;base64,eA=="},
    ]
    assert stretches == ((("input", 0, "content", 0, "text"),),)


def test_a_thought_that_cannot_be_handed_back_is_not_kept_for_it():
    assert thought_for_storage({"id": "rs_1", "summary": []}, "m") is None
