"""Answers as Gemini's own interface streams them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.fakes.wires import MODEL, QUICK
from workbench.domain.message import ToolCall
from workbench.domain.secrets import Secret
from workbench.domain.usage import Usage
from workbench.providers.gemini.model import GeminiModel
from workbench.providers.harness.harness import Waits
from workbench.providers.wire.endpoint import endpoint_of

_REASONS = {"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP", "content_filter": "SAFETY"}


class GeminiWire:
    """Server-sent events, each of them a whole piece of an answer in parts."""

    name = "gemini"
    content_type = "text/event-stream"

    def model(self, url: str, key: Secret | None = None, waits: Waits = QUICK) -> GeminiModel:
        """The real adapter, asking at this address."""
        return GeminiModel(endpoint_of(f"gemini:{MODEL}", lambda _: key, url), waits=waits)

    def text(self, text: str) -> bytes:
        """A piece of the answer."""
        return self.parts({"text": text})

    def thinking(self, text: str) -> bytes:
        """A piece of a thought."""
        return self.parts({"text": text, "thought": True})

    def calls(self, *calls: ToolCall) -> bytes:
        """Whole calls of tools."""
        return self.parts(
            *(
                {"functionCall": {"id": call.id, "name": call.name, "args": json.loads(call.arguments)}}
                for call in calls
            )
        )

    def parts(self, *parts: Mapping[str, Any], **beside: Any) -> bytes:
        """A chunk with these parts."""
        return self.raw(
            {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], **beside}
        )

    def finish(self, reason: str | None = "stop", usage: Usage | None = None) -> bytes:
        """The end of the answer, with everything that belongs to it."""
        counts = {} if usage is None else {"usageMetadata": _counts(usage)}
        return self.raw({"candidates": [{"finishReason": _REASONS.get(reason or "stop", reason)}], **counts})

    def raw(self, value: object) -> bytes:
        """Any value, as an event."""
        return self.framed(json.dumps(value).encode())

    def framed(self, encoded: bytes) -> bytes:
        """Any bytes, as an event."""
        return b"data: " + encoded + b"\n\n"

    def keep_alive(self) -> bytes:
        """Something that says nothing."""
        return b": keep-alive\n\n"


def _counts(usage: Usage) -> dict[str, int]:
    thought = usage.reasoning_tokens or 0
    found = {
        "promptTokenCount": usage.prompt_tokens,
        "cachedContentTokenCount": usage.cached_tokens,
        "candidatesTokenCount": None
        if usage.completion_tokens is None
        else usage.completion_tokens - thought,
        "thoughtsTokenCount": usage.reasoning_tokens,
    }
    # Zeros are not written.
    return {name: count for name, count in found.items() if count}
