"""The two ways in which answers are written: server-sent events as OpenAI does, and JSON lines as Ollama does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from workbench.domain.message import ToolCall
from workbench.domain.secrets import Secret
from workbench.domain.usage import Usage
from workbench.ports.models import ChatModel
from workbench.providers.harness.harness import Waits
from workbench.providers.ollama.model import OllamaModel
from workbench.providers.openai.model import OpenAiModel
from workbench.providers.wire.endpoint import endpoint_of

MODEL = "fake-model"


async def no_wait(seconds: float) -> None:
    """Retries without their waits."""


QUICK = Waits(sleep=no_wait)


class Wire(Protocol):
    """How one kind of server writes."""

    name: str
    content_type: str

    def model(self, url: str, key: Secret | None = None, waits: Waits = QUICK) -> ChatModel:
        """The real adapter, asking at this address."""

    def text(self, text: str) -> bytes:
        """A piece of the answer."""

    def thinking(self, text: str) -> bytes:
        """A piece of a thought."""

    def calls(self, *calls: ToolCall) -> bytes:
        """Whole calls of tools."""

    def raw(self, value: object) -> bytes:
        """Any value, in the wire's own frame."""

    def framed(self, encoded: bytes) -> bytes:
        """Any bytes, in the wire's own frame."""

    def finish(self, reason: str | None = "stop", usage: Usage | None = None) -> bytes:
        """The end of the answer, with everything that belongs to it."""

    def keep_alive(self) -> bytes:
        """Something that says nothing."""


class OpenAiWire:
    """Server-sent events."""

    name = "openai"
    content_type = "text/event-stream"

    def model(self, url: str, key: Secret | None = None, waits: Waits = QUICK) -> ChatModel:
        return OpenAiModel(endpoint_of(f"server:{url}/v1#{MODEL}", lambda _: key), waits=waits)

    def text(self, text: str) -> bytes:
        return self.delta({"content": text})

    def thinking(self, text: str) -> bytes:
        return self.delta({"reasoning_content": text})

    def calls(self, *calls: ToolCall) -> bytes:
        pieces = []
        for index, call in enumerate(calls):
            function = {"name": call.name, "arguments": ""}
            pieces.append({"index": index, "id": call.id, "type": "function", "function": function})
            half = len(call.arguments) // 2
            for part in (call.arguments[:half], call.arguments[half:]):
                pieces.append({"index": index, "function": {"arguments": part}})
        return b"".join(self.delta({"tool_calls": [piece]}) for piece in pieces)

    def raw(self, value: object) -> bytes:
        return self.framed(json.dumps(value).encode())

    def framed(self, encoded: bytes) -> bytes:
        return b"data: " + encoded + b"\n\n"

    def finish(self, reason: str | None = "stop", usage: Usage | None = None) -> bytes:
        ending = [self.raw({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})]
        if usage is not None:
            ending.append(self.raw({"choices": [], "usage": _openai_usage(usage)}))
        return b"".join([*ending, b"data: [DONE]\n\n"])

    def keep_alive(self) -> bytes:
        return b": keep-alive\n\n"

    def delta(self, delta: Mapping[str, Any]) -> bytes:
        """A chunk with this delta."""
        return self.raw({"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


class OllamaWire:
    """JSON lines."""

    name = "ollama"
    content_type = "application/x-ndjson"

    def model(self, url: str, key: Secret | None = None, waits: Waits = QUICK) -> ChatModel:
        return OllamaModel(endpoint_of(f"ollama:{MODEL}@{url}", lambda _: key), waits=waits)

    def text(self, text: str) -> bytes:
        return self.message({"content": text})

    def thinking(self, text: str) -> bytes:
        return self.message({"content": "", "thinking": text})

    def calls(self, *calls: ToolCall) -> bytes:
        rows = [
            {"id": call.id, "function": {"name": call.name, "arguments": json.loads(call.arguments)}}
            for call in calls
        ]
        return self.message({"content": "", "tool_calls": rows})

    def raw(self, value: object) -> bytes:
        return self.framed(json.dumps(value).encode())

    def framed(self, encoded: bytes) -> bytes:
        return encoded + b"\n"

    def finish(self, reason: str | None = "stop", usage: Usage | None = None) -> bytes:
        line: dict[str, Any] = {"message": {"role": "assistant", "content": ""}, "done": True}
        line |= {"done_reason": {"tool_calls": "stop"}.get(reason, reason)} if reason else {}
        if usage is not None:
            counts = (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
            names = ("prompt_eval_count", "prompt_eval_cached_count", "eval_count")
            line |= {name: n for name, n in zip(names, counts, strict=True) if n is not None}
        return self.raw(line)

    def keep_alive(self) -> bytes:
        return b"\n"

    def message(self, message: Mapping[str, Any]) -> bytes:
        """A line with this message."""
        return self.raw({"model": "m", "message": {"role": "assistant", **message}, "done": False})


def _openai_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }


class OfficialWire(OpenAiWire):
    """The same by OpenAI's own client, as for its own models."""

    name = "openai-official"

    def model(self, url: str, key: Secret | None = None, waits: Waits = QUICK) -> ChatModel:
        endpoint = replace(endpoint_of(f"server:{url}/v1#{MODEL}", lambda _: key), provider="openai")
        return OpenAiModel(endpoint, waits=waits)


WIRES: tuple[Wire, ...] = (OpenAiWire(), OllamaWire(), OfficialWire())
