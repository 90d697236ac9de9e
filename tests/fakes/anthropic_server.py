"""A server that speaks Anthropic's server-sent events, rightly or wrongly, on the sockets of the fault server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.fakes.fault_server import Act, Connection, FaultServer
from tests.fakes.wires import MODEL, QUICK
from workbench.domain.message import ToolCall
from workbench.domain.secrets import Secret
from workbench.domain.usage import Usage
from workbench.providers.anthropic.model import AnthropicModel
from workbench.providers.harness.harness import Waits
from workbench.providers.wire.endpoint import endpoint_of

_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


class AnthropicWire:
    """Events with a name and a type; every answer begins with `message_start` and ends with `message_stop`."""

    name = "anthropic"
    content_type = "text/event-stream"

    def model(self, url: str, key: Secret | None = None, waits: Waits = QUICK) -> AnthropicModel:
        """The real adapter, asking at this address."""
        return AnthropicModel(endpoint_of(f"anthropic:{MODEL}", lambda _: key, url), waits=waits)

    def start(self, **usage: int) -> bytes:
        """How an answer begins."""
        return self.raw(
            {"type": "message_start", "message": {"id": "m", "role": "assistant", "usage": usage}}
        )

    def text(self, text: str) -> bytes:
        """A piece of the answer, in a block of its own."""
        return self.block({"type": "text", "text": ""}, {"type": "text_delta", "text": text})

    def thinking(self, text: str) -> bytes:
        """A piece of a thought, unsigned."""
        return self.block({"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": text})

    def calls(self, *calls: ToolCall) -> bytes:
        """Whole calls of tools, their arguments in two pieces."""
        blocks = []
        for call in calls:
            half = len(call.arguments) // 2
            pieces = (call.arguments[:half], call.arguments[half:])
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
            blocks.append(
                self.block({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, *deltas)
            )
        return b"".join(blocks)

    def block(self, begun: Mapping[str, Any], *deltas: Mapping[str, Any]) -> bytes:
        """A content block from its start to its stop."""
        opening: list[dict[str, Any]] = [{"type": "content_block_start", "index": 0, "content_block": begun}]
        opening += [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
        return b"".join(map(self.raw, [*opening, {"type": "content_block_stop", "index": 0}]))

    def delta(self, reason: str | None, **usage: int | None) -> bytes:
        """The reason and the counts, which come before the end."""
        return self.raw({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage})

    def finish(self, reason: str | None = "stop", usage: Usage | None = None) -> bytes:
        """The end of the answer, with everything that belongs to it."""
        counts = {} if usage is None else _counts(usage)
        delta = self.delta(_REASONS.get(reason or "", reason), **counts)
        return delta + self.raw({"type": "message_stop"})

    def raw(self, value: object) -> bytes:
        """Any value, as an event that is named by its type."""
        kind = value.get("type", "x") if isinstance(value, dict) else "x"
        return f"event: {kind}\n".encode() + self.framed(json.dumps(value).encode())

    def framed(self, encoded: bytes) -> bytes:
        """Any bytes, as an event."""
        return b"data: " + encoded + b"\n\n"

    def keep_alive(self) -> bytes:
        """Something that says nothing."""
        return b'event: ping\ndata: {"type": "ping"}\n\n'


def _counts(usage: Usage) -> dict[str, int | None]:
    whole, read, written = usage.prompt_tokens, usage.cached_tokens, usage.cache_write_tokens
    return {
        "input_tokens": None if whole is None else whole - (read or 0) - (written or 0),
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": usage.completion_tokens,
    }


WIRE = AnthropicWire()


def saying(*pieces: bytes) -> Act:
    """An act that sends these pieces as an answer, and then closes."""

    async def act(connection: Connection) -> None:
        await connection.head()
        await connection.send(*pieces)

    return act


def refusing(status: str, error: Mapping[str, Any], **headers: str) -> Act:
    """An act that refuses as the interface does."""

    async def act(connection: Connection) -> None:
        body = json.dumps({"type": "error", "error": error}).encode()
        await connection.whole(body, "application/json", status, **headers)

    return act


def server(**acts: Act) -> FaultServer:
    """A server with these acts."""
    return FaultServer(acts)
