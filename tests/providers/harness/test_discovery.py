"""Asking a server about its models: briefly, rarely, and without ever failing a turn."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.fakes.loop import in_loop
from workbench.providers.harness.harness import Discovery


class Server:
    """Answers, fails or keeps silent."""

    def __init__(self, answer: dict[str, Any] | Exception | None) -> None:
        self.answer = answer
        self.asked = 0

    async def __call__(self) -> dict[str, Any]:
        self.asked += 1
        if self.answer is None:
            await asyncio.sleep(60)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer or {}


@in_loop
async def test_what_was_said_is_remembered():
    server = Server({"a": 1})
    discovery = Discovery(server)
    assert [await discovery.known(), await discovery.known()] == [{"a": 1}, {"a": 1}]
    assert server.asked == 1


@in_loop
async def test_an_error_is_nothing_and_the_server_is_left_alone_for_a_while():
    server = Server(ValueError())
    discovery = Discovery(server)
    assert [await discovery.known(), await discovery.known()] == [{}, {}]
    assert server.asked == 1


@in_loop
async def test_a_silent_server_is_not_waited_for():
    server = Server(None)
    discovery = Discovery(server, patience_s=0.05)
    async with asyncio.timeout(250):
        assert await discovery.known() == {}


@in_loop
async def test_it_asks_anew_when_told_to():
    server = Server(OSError())
    discovery = Discovery(server)
    await discovery.known()
    server.answer = {"a": 1}
    discovery.forget()
    assert await discovery.known() == {"a": 1}


@in_loop
async def test_loading_the_client_does_not_use_up_the_time_to_ask():
    """Two seconds of importing were two of the three seconds; on a busy machine the server was never asked."""
    server = Server({"a": 1})

    async def load() -> None:
        await asyncio.sleep(0.3)

    assert await Discovery(server, load, patience_s=0.1).known() == {"a": 1}


@in_loop
async def test_what_a_server_said_stands_in_while_it_is_silent():
    learnt: dict[str, dict[str, Any]] = {}
    await Discovery(Server({"window": 8192}), learnt=learnt, about="here").known()
    silent = Discovery(Server(OSError()), learnt=learnt, about="here")
    assert await silent.known() == {"window": 8192}
    assert await Discovery(Server(OSError()), learnt=learnt, about="elsewhere").known() == {}
