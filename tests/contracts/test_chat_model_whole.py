"""An answer that was not streamed is an answer: the same text, calls, usage and reason, whoever sent it whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.answers import Kept, keep, question
from tests.fakes.anthropic_server import AnthropicWire
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.recording_server import AnyWire
from tests.fakes.wires import OllamaWire, OpenAiWire
from workbench.domain.answer import Finished
from workbench.domain.message import ToolCall
from workbench.domain.usage import Usage
from workbench.providers.openai.completion import CompletionModel
from workbench.providers.wire.endpoint import endpoint_of

CALLS = (ToolCall("call_1", "ls", '{"path": "."}'), ToolCall("call_2", "ls", '{"path": ".."}'))
OPENAI = {
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "Some words",
                "reasoning_content": "Hm.",
                "tool_calls": [
                    {
                        "id": one.id,
                        "type": "function",
                        "function": {"name": one.name, "arguments": one.arguments},
                    }
                    for one in CALLS
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 30, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 20}},
}
ANTHROPIC = {
    "type": "message",
    "role": "assistant",
    "stop_reason": "tool_use",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
        {"type": "text", "text": "Some words"},
        *(
            {"type": "tool_use", "id": one.id, "name": one.name, "input": json.loads(one.arguments)}
            for one in CALLS
        ),
    ],
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 20, "output_tokens": 7},
}
OLLAMA = {
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 30,
    "prompt_eval_cached_count": 20,
    "eval_count": 7,
    "message": {
        "content": "Some words",
        "thinking": "Hm.",
        "tool_calls": [
            {"id": one.id, "function": {"name": one.name, "arguments": json.loads(one.arguments)}}
            for one in CALLS
        ],
    },
}
DOCUMENTS: tuple[tuple[AnyWire, dict[str, Any]], ...] = (
    (OpenAiWire(), OPENAI),
    (AnthropicWire(), ANTHROPIC),
    (OllamaWire(), OLLAMA),
)


async def asked(wire: AnyWire, document: dict[str, Any]) -> Kept:
    async def act(connection: Connection) -> None:
        await connection.whole(json.dumps(document).encode(), "application/json")

    async with FaultServer({"play": act}) as server:
        model = wire.model(server.url("play"))
        kept = await keep(model.stream(question()))
        await model.close()
    return kept


@pytest.mark.parametrize(("wire", "document"), DOCUMENTS, ids=[wire.name for wire, _ in DOCUMENTS])
def test_a_whole_document_is_read_like_a_stream(wire: AnyWire, document: dict[str, Any]):
    """A gateway that does not stream gave "not a stream", and the answer that was paid for was thrown away."""

    @in_loop
    async def ask() -> None:
        kept = await asked(wire, document)
        assert (kept.state, kept.text, kept.thinking) == ("complete", "Some words", "Hm.")
        assert [made.call for made in kept.calls] == list(CALLS)
        assert kept.usage[-1].usage == Usage(30, 20, completion_tokens=7)
        assert kept.parts[-1] == Finished("tool_calls")

    ask()


@in_loop
async def test_a_completion_of_a_text_is_read_too():
    async def act(connection: Connection) -> None:
        body = {
            "choices": [{"index": 0, "text": "Yes.", "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3},
        }
        await connection.whole(json.dumps(body).encode(), "application/json")

    async with FaultServer({"play": act}) as server:
        model = CompletionModel(endpoint_of(f"completion:{server.url('play')}/v1#m", lambda _: None))
        kept = await keep(model.stream(question()))
        await model.close()
    assert (kept.text, kept.usage[-1].usage, kept.parts[-1]) == ("Yes.", Usage(3), Finished("stop"))


@pytest.mark.parametrize(
    ("wire", "document"),
    [
        (OpenAiWire(), {"choices": [{"message": {"refusal": "No."}, "finish_reason": "stop"}]}),
        (
            AnthropicWire(),
            {"type": "message", "content": [{"type": "text", "text": "No."}], "stop_reason": "refusal"},
        ),
    ],
    ids=["openai", "anthropic"],
)
def test_a_refusal_in_it_is_one(wire: AnyWire, document: dict[str, Any]):
    @in_loop
    async def ask() -> None:
        kept = await asked(wire, document)
        assert (kept.text, kept.parts[-1]) == ("No.", Finished("refusal"))

    ask()
