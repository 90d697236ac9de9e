"""Stages on which a chat model can be made to answer as a script says; a new model joins the contract by adding one.

A stage that cannot be scripted (a real model, which says what it likes) has `obeys` False: then only those facts are
tested that hold for whatever is said.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from tests.fakes.anthropic_server import AnthropicWire
from tests.fakes.builtin_stage import BuiltinStage
from tests.fakes.chat_script import Played, Script
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.gemini_wire import GeminiWire
from tests.fakes.scripted_stage import ScriptedStage
from tests.fakes.wires import OllamaWire, OpenAiWire, Wire


class Stage(Protocol):
    """A way to have a chat model answer."""

    @property
    def name(self) -> str:
        """What the stage is called in a test's name."""

    @property
    def obeys(self) -> bool:
        """Whether the model says what the script says."""

    def play(self, script: Script) -> AbstractAsyncContextManager[Played]:
        """The model, for as long as the block runs; it is closed afterwards."""


@dataclass(frozen=True)
class WireStage:
    """An adapter that speaks HTTP, with a server of ours behind it."""

    wire: Wire
    obeys: bool = True

    @property
    def name(self) -> str:
        return self.wire.name

    @asynccontextmanager
    async def play(self, script: Script) -> AsyncGenerator[Played, None]:
        async def act(connection: Connection) -> None:
            await connection.head(self.wire.content_type)
            await connection.send(*(self.wire.thinking(script.thinking),) if script.thinking else ())
            await connection.send(*map(self.wire.text, script.texts))
            await connection.send(*(self.wire.calls(*script.calls),) if script.calls else ())
            if script.ending == "finish":
                await connection.send(self.wire.finish(script.reason, script.usage))
            elif script.ending == "stall":
                await connection.gone()

        async with FaultServer({"play": act}) as server:
            model = self.wire.model(server.url("play"))
            yield Played(model, server.closed)
            await model.close()


STAGES: list[Stage] = [
    WireStage(OpenAiWire()),
    WireStage(OllamaWire()),
    WireStage(AnthropicWire()),
    WireStage(GeminiWire()),
    ScriptedStage(),
    BuiltinStage(),
]
