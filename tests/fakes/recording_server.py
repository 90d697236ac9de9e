"""A server of each kind that answers every question and keeps the whole body of every request."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from tests.fakes.anthropic_server import AnthropicWire
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.gemini_wire import GeminiWire
from tests.fakes.wires import OllamaWire, OpenAiWire
from workbench.domain.message import ToolCall
from workbench.ports.models import ChatModel

AnyWire = OpenAiWire | OllamaWire | AnthropicWire | GeminiWire
RECORDED_WIRES: tuple[AnyWire, ...] = (OpenAiWire(), AnthropicWire(), OllamaWire(), GeminiWire())
_ASKED = ("/chat/completions", "/messages", "/api/chat", ":streamGenerateContent?alt=sse")
_SHOWN = {
    "model_info": {"general.architecture": "x", "x.context_length": 50_000},
    "capabilities": ["vision", "tools"],
    "parameters": "num_ctx 50000",
}


@dataclass
class RecordingServer:
    """Keeps what was asked, byte for byte.

    Attributes:
        bodies: of the requests for an answer, in order; what is asked about models is not among them.
        calls: what the next answers want of tools, before one in words is given.
    """

    wire: AnyWire
    answer: str = "Yes."
    bodies: list[bytes] = field(default_factory=list)
    calls: list[tuple[ToolCall, ...]] = field(default_factory=list)

    async def __aenter__(self) -> RecordingServer:
        self._server = FaultServer({"play": self._act})
        await self._server.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._server.__aexit__(None, None, None)

    def model(self) -> ChatModel:
        """The real adapter, asking here."""
        return self.wire.model(self._server.url("play"))

    async def _act(self, connection: Connection) -> None:
        asked = connection.asked
        if not asked.path.endswith(_ASKED):
            await connection.whole(json.dumps(_SHOWN).encode(), "application/json")
            return
        self.bodies.append(asked.body)
        await connection.head(self.wire.content_type)
        opening = self.wire.start() if isinstance(self.wire, AnthropicWire) else b""
        if self.calls:
            wanted = self.wire.calls(*self.calls.pop(0))
            await connection.send(opening + wanted, self.wire.finish("tool_calls"))
        else:
            await connection.send(opening + self.wire.text(self.answer), self.wire.finish())
