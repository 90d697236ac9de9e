"""An Ollama server that reads less than it is sent, and says nothing of it; or one that reports only what is new."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.real_encodings import CL100K
from tests.fakes.wires import MODEL, OllamaWire
from workbench.domain.usage import Usage

_SHOWN = {
    "model_info": {"general.architecture": "x", "x.context_length": 50_000},
    "capabilities": ["completion"],
}


@dataclass
class DroppingOllama:
    """The server.

    Attributes:
        most_tokens: it was started with a window of so many, whatever a request asks for; the front is dropped.
        only_new: it reports only what its cache did not have, as servers before November 2024 did.
        prompts: what it was sent, as its template writes it.
    """

    most_tokens: int = 50_000
    only_new: bool = False
    prompts: list[str] = field(default_factory=list)
    _held: str = ""

    async def __aenter__(self) -> DroppingOllama:
        self._server = FaultServer({"play": self._act})
        await self._server.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._server.__aexit__(None, None, None)

    @property
    def name(self) -> str:
        """The model there."""
        return f"ollama:{MODEL}@{self._server.url('play')}"

    async def _act(self, connection: Connection) -> None:
        wire, asked = OllamaWire(), connection.asked
        if not asked.path.endswith("/api/chat"):
            await connection.whole(json.dumps(_SHOWN).encode(), "application/json")
            return
        prompt = "".join(
            f"<|{one['role']}|>\n{one['content']}<|end|>\n" for one in json.loads(asked.body)["messages"]
        )
        self.prompts.append(prompt)
        answer = "Yes, that is so."
        await connection.head(wire.content_type)
        usage = Usage(self._read(prompt), None, None, CL100K.count(answer))
        await connection.send(wire.text(answer), wire.finish("stop", usage))
        self._held = f"{prompt}<|assistant|>\n{answer}"

    def _read(self, prompt: str) -> int:
        # A log goes on where it ended: what is held is the beginning of the next prompt, or of no use.
        held = len(self._held) if self.only_new and prompt.startswith(self._held) else 0
        new = prompt[held:]
        return min(CL100K.count(new), self.most_tokens)
