"""An answer that is left in the middle leaves nothing behind that complains later, in the window's own loop."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import pytest

from tests.fakes.answers import keep, question
from tests.fakes.anthropic_server import AnthropicWire
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.qt_loop import in_qt_loop
from tests.fakes.wires import OllamaWire, OpenAiWire
from workbench.domain.answer import TextGrew
from workbench.providers.wire.transport import OpenBody

every_wire = pytest.mark.parametrize(
    "wire", [OpenAiWire(), OllamaWire(), AnthropicWire()], ids=lambda wire: wire.name
)


@pytest.fixture
def complaints(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What Python had to say and could raise nowhere; nothing is collected unless a test says so."""
    heard: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: heard.append(f"{what.exc_value!r} {what.object}"))
    gc.collect()
    gc.disable()
    yield heard
    gc.enable()


async def collect() -> None:
    """As the window does it: in a callback of the loop, where no task is running."""
    asyncio.get_running_loop().call_soon(gc.collect)
    for _ in range(3):
        await asyncio.sleep(0.01)


@every_wire
@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "read to its end"])
@in_qt_loop
async def test_a_stream_that_is_left_is_closed(wire: Any, stopped: bool, complaints: list[str], qapp: object):
    """The generators that read the body stayed in the middle, and were collected where nothing can be waited for."""

    async def words(connection: Connection) -> None:
        await connection.head(wire.content_type)
        for _ in range(3):
            await connection.send(wire.text("word "))
            await asyncio.sleep(0.01)
        await connection.send(wire.finish())
        await connection.gone()

    async with FaultServer({"words": words}) as server:
        model = wire.model(server.url("words"))
        async with aclosing(model.stream(question())) as parts:
            async for part in parts:
                if stopped and isinstance(part, TextGrew):
                    break
        await collect()
        await model.close()
        await collect()
    assert complaints == []


@every_wire
@in_qt_loop
async def test_a_refusal_of_which_only_the_beginning_is_read_is_closed(
    wire: Any, complaints: list[str], qapp: object
):
    async def refuse(connection: Connection) -> None:
        await connection.whole(b"x" * 300_000, "application/json", "400 Bad Request")

    async with FaultServer({"refuse": refuse}) as server:
        model = wire.model(server.url("refuse"))
        assert (await keep(model.stream(question()))).state == "failed"
        await collect()
        await model.close()
    assert complaints == []


class Stream:
    """A body whose connection can break while it is closed."""

    def __init__(self, breaks: bool) -> None:
        self.breaks = breaks
        self.told: list[str] = []

    async def __aiter__(self) -> Any:
        try:
            yield b"one"
            yield b"two"
        finally:
            self.told.append("read no more")

    async def aclose(self) -> None:
        self.told.append("closed")
        if self.breaks:
            raise OSError("reset")


@pytest.mark.parametrize("breaks", [False, True])
def test_the_reading_ends_after_the_connection_however_that_ended(breaks: bool):
    async def leave() -> list[str]:
        stream = Stream(breaks)
        opened = OpenBody(stream)
        assert await anext(opened.pieces) == b"one"
        try:
            await opened.aclose()
        except OSError as error:
            stream.told.append(str(error))
        return stream.told

    assert asyncio.run(leave()) == ["closed", "read no more"] + ["reset"] * breaks
