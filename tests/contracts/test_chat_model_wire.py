"""What a model shows of a request is, byte for byte, what arrives at its server; and no secret is in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import pytest

from tests.fakes.answers import PATIENT, keep
from tests.fakes.anthropic_server import AnthropicWire
from tests.fakes.fault_server import Asked, Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.wires import QUICK, OllamaWire, OpenAiWire
from workbench.domain.answer import ModelFailed
from workbench.domain.message import Image, Thought, ToolCall
from workbench.domain.parameters import PARAMETER_NAMES, Parameters
from workbench.domain.request import HIDDEN, ModelRequest, Picture, RequestMessage, WireBody
from workbench.domain.secrets import Secret
from workbench.domain.tool import ToolDefinition
from workbench.ports.models import ChatModel
from workbench.providers.harness.harness import Waits
from workbench.providers.openai.completion import STOP, CompletionModel
from workbench.providers.wire.body import text_at
from workbench.providers.wire.endpoint import endpoint_of

KEY = "sk-canary-0123456789"
# Said by every connection, or by the bytes themselves.
UNSHOWN = ("host", "content-length", "connection")
CALL = ToolCall("call_1", "look", '{"where": "über 漢字"}')


class Speaks(Protocol):
    """As much of a wire as is needed here."""

    name: str
    content_type: str

    def model(self, url: str, key: Secret | None = None, waits: Waits = QUICK) -> ChatModel: ...

    def text(self, text: str) -> bytes: ...

    def finish(self) -> bytes: ...


class CompletionWire(OpenAiWire):
    """Servers that only continue text."""

    name = "completion"

    def model(self, url: str, key: Secret | None = None, waits: Waits = QUICK) -> ChatModel:
        return CompletionModel(endpoint_of(f"completion:{url}/v1#base", lambda _: key), waits=waits)

    def text(self, text: str) -> bytes:
        return self.raw({"choices": [{"index": 0, "text": text}]})


WIRES: tuple[Speaks, ...] = (OpenAiWire(), OllamaWire(), AnthropicWire(), CompletionWire())
every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)


def everything() -> ModelRequest:
    """A request with everything that a request can have."""
    messages = (
        RequestMessage("s", "system", "You are kind.\n\nLibrary: a.md", cache_marks=(15, 28)),
        RequestMessage("q1", "user", "Look at “this” 漢字 👩\u200d👧.", images=(Image("d1"),)),
        RequestMessage("a1", "assistant", "", tool_calls=(CALL,), thinking=(Thought("Hm.", "signed"),)),
        RequestMessage("t1", "tool", "Found\u2028it.", tool_call_id="call_1"),
        RequestMessage("a2", "assistant", "It is there.", cache_marks=(12,)),
        RequestMessage("q2", "user", '### User:\nand \\ "now"?\ud800'),
    )
    schema = '{"type": "object", "properties": {"where": {"type": "string"}}}'
    return ModelRequest(
        "fake", "chat-1", messages, 4096,
        tools=(ToolDefinition("look", "Looks.", schema),),
        max_output_tokens=77,
        parameters={"temperature": 0.25, "top_p": None, "stop": ["\n\n"]},
        pictures={"d1": Picture("image/png", b"\x89PNG bytes")},
        timeouts=PATIENT,
    )  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """A request as it was shown and as it arrived."""

    shown: WireBody
    arrived: Asked
    port: int


async def compared(wire: Speaks, request: ModelRequest, key: str | None = KEY) -> Compared:
    async def act(connection: Connection) -> None:
        await connection.head(wire.content_type)
        await connection.send(wire.text("Hello"), wire.finish())

    async with FaultServer({"play": act}) as server:
        model = wire.model(server.url("play"), None if key is None else Secret.of_text(key))
        shown = model.wire(request)
        assert server.connections == 0
        kept = await keep(model.stream(request))
        await model.close()
        assert kept.state == "complete"
    return Compared(shown, server.asked[-1], server.port)


@every_wire
@in_loop
async def test_the_bytes_that_are_shown_are_those_that_arrive(wire: Speaks):
    """Two ways of writing a request would drift apart, and the inspector would show what is never sent."""
    both = await compared(wire, everything())
    assert json.loads(both.arrived.body) == json.loads(
        json.dumps(both.shown.body).replace("\\ud800", "\\ufffd")
    )
    assert hashlib.sha256(both.arrived.body).hexdigest() == both.shown.digest


@every_wire
@in_loop
async def test_the_address_that_is_shown_is_the_one_that_is_asked(wire: Speaks):
    both = await compared(wire, everything())
    assert both.shown.url == f"http://127.0.0.1:{both.port}{both.arrived.path}"
    assert both.arrived.method == "POST"


@every_wire
@pytest.mark.parametrize("key", [KEY, None], ids=["with a key", "without"])
@in_loop
async def test_the_headers_that_are_shown_are_those_that_arrive_but_for_the_key(
    wire: Speaks, key: str | None
):
    both = await compared(wire, everything(), key)
    arrived = {name: value for name, value in both.arrived.headers.items() if name not in UNSHOWN}
    assert _hidden(arrived) == dict(both.shown.headers)
    assert (KEY in str(arrived)) == (key is not None)
    assert KEY not in repr(both.shown)


def _hidden(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value.replace(KEY, HIDDEN) for name, value in headers.items()}


@every_wire
@in_loop
async def test_each_text_is_found_where_the_places_say(wire: Speaks):
    """A lone surrogate is repaired on the way, so the last question is not found, rather than found wrongly."""
    request = everything()
    shown = (await compared(wire, request)).shown
    found = ["".join(text_at(shown.body, place) for place in places) for places in shown.stretches]
    texts = [message.text for message in request.messages]
    assert found == ([""] * 6 if wire.name == "completion" else [*texts[:-1], ""])
    split = [number for number, places in enumerate(shown.stretches) if len(places) > 1]
    assert split == ([0] if wire.name == "anthropic" else [])
    assert len(shown.places) == len(texts)


@pytest.mark.parametrize("wire", WIRES[:3], ids=lambda wire: wire.name)
@in_loop
async def test_a_request_whose_picture_is_missing_is_not_shown(wire: Speaks):
    """It could not be sent either."""
    model = wire.model("http://127.0.0.1:9")
    with pytest.raises(ModelFailed):
        model.wire(replace(everything(), pictures={}))
    await model.close()


SCHEMA = {
    "type": "object",
    "properties": {"kind": {"type": "string"}},
    "required": ["kind"],
    "additionalProperties": False,
}
CHOSEN = Parameters(
    0.0, 0.5, ("END",), 7, "low", json.dumps(SCHEMA), 40, 0.05, 0.5, -0.5, '{"logprobs": true}'
)
FINE = {"top_k": 40, "min_p": 0.05, "frequency_penalty": 0.5, "presence_penalty": -0.5}
OPENAI_FORM = {
    "type": "json_schema",
    "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
}
WRITTEN: dict[str, dict[str, object]] = {
    "openai": {
        "temperature": 0.0, "top_p": 0.5, "stop": ["END"], "seed": 7, "reasoning_effort": "low",
        "response_format": OPENAI_FORM, "logprobs": True, **FINE,
    },
    "completion": {
        "temperature": 0.0, "top_p": 0.5, "stop": [*STOP, "END"], "seed": 7, "reasoning_effort": "low",
        "response_format": OPENAI_FORM, "logprobs": True, **FINE,
    },
    "ollama": {
        "options": {
            "temperature": 0.0, "top_p": 0.5, "stop": ["END"], "seed": 7, "num_ctx": 4096, "num_predict": 77, **FINE,
        },
        "think": "low", "format": SCHEMA, "logprobs": True,
    },
    "anthropic": {
        "temperature": 0.0, "top_p": 0.5, "top_k": 40, "stop_sequences": ["END"], "logprobs": True,
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
    },
}  # fmt: skip


@every_wire
@in_loop
async def test_what_was_chosen_arrives_in_the_provider_s_own_words_over_what_is_free(wire: Speaks):
    """The older, free parameters stay beneath: where both say something, what was chosen holds."""
    free = {"temperature": 0.9, "top_p": None}
    both = await compared(wire, replace(everything(), parameters=free, chosen=CHOSEN))
    arrived = json.loads(both.arrived.body)
    assert {name: arrived.get(name) for name in WRITTEN[wire.name]} == WRITTEN[wire.name]
    assert hashlib.sha256(both.arrived.body).hexdigest() == both.shown.digest
    if wire.name == "anthropic":
        assert not {"seed", "stop", "reasoning_effort", "response_format", *FINE} - {"top_k"} & arrived.keys()


@every_wire
@in_loop
async def test_nothing_that_was_not_chosen_arrives(wire: Speaks):
    both = await compared(wire, replace(everything(), parameters={}, chosen=Parameters()))
    arrived = json.loads(both.arrived.body)
    names = {*PARAMETER_NAMES, "stop_sequences", "output_config", "think", "format"}
    assert names & arrived.keys() == ({"stop"} if wire.name == "completion" else set())
    assert "temperature" not in arrived.get("options", {})


@pytest.mark.parametrize(
    ("wire", "name", "word"),
    [(WIRES[0], "response_format", {"type": "json_object"}), (WIRES[1], "format", "json")],
    ids=["openai", "ollama"],
)
@in_loop
async def test_json_without_a_schema_is_asked_for_in_a_word(wire: Speaks, name: str, word: object):
    asked = replace(everything(), chosen=Parameters(response_format="json", reasoning_effort="none"))
    arrived = json.loads((await compared(wire, asked)).arrived.body)
    assert arrived[name] == word
    assert arrived.get("think", arrived.get("reasoning_effort")) in (False, "none")
