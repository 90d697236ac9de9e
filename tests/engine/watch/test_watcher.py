"""Requests are looked at one after the other, and nothing that goes wrong with one stops the next."""

from __future__ import annotations

import asyncio
import logging

import pytest

from tests.fakes.loop import in_loop
from workbench.domain.errors import StoreFull
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import AgainstBefore, WatchedAnswer, WatchedRequest, WatchedTurn
from workbench.engine.watch.watcher import Ahead, Watcher
from workbench.ports.watching import CopiedRequest


class Copied:
    def __init__(self, n: int) -> None:
        self.n = n

    def begun(self) -> Exchange:
        return self.exchange()

    def more(self) -> bytes:
        return b""

    def exchange(self) -> Exchange:
        return Exchange(self.n, "anthropic", "POST", "/v1/messages", 0.0)


def turn_of(exchange: Exchange) -> WatchedTurn | None:
    if exchange.n == 2:
        raise ValueError("my secret question")
    request = WatchedRequest("anthropic", "m", ())
    return WatchedTurn(exchange.n, "c", "me", 0.0, 1, request, WatchedAnswer(), AgainstBefore("first"))


@in_loop
async def test_in_order_and_whatever_one_of_them_does():
    told: list[tuple[int, bool]] = []
    kept: list[int] = []

    async def keep(turn: WatchedTurn, exchange: Exchange) -> None:
        if exchange.n == 3:
            raise StoreFull("no room")
        await asyncio.sleep(0)
        kept.append(turn.n)

    watcher = Watcher(turn_of, lambda exchange, turn: told.append((exchange.n, turn is not None)), keep)
    for n in range(1, 5):
        watcher.hear(Copied(n))
    watcher.finish()
    await watcher.run()
    assert told == [(1, True), (2, False), (3, True), (4, True)]
    assert (kept, watcher.lost) == ([1, 4], [str(StoreFull("no room"))])


def test_what_went_wrong_is_logged_without_its_words(caplog: pytest.LogCaptureFixture):
    async def run() -> None:
        watcher = Watcher(turn_of, lambda *_: None)
        watcher.hear(Copied(2))
        watcher.finish()
        await watcher.run()

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    assert "request 2 could not be understood" in caplog.text
    assert "secret" not in caplog.text


@in_loop
async def test_a_request_is_kept_before_its_answer_and_given_up_where_no_end_is_understood():
    said: list[tuple[str, int]] = []

    async def ahead(turn: WatchedTurn, _exchange: Exchange, _copied: CopiedRequest) -> None:
        said.append(("begun", turn.n))

    async def give_up(n: int) -> None:
        said.append(("given up", n))

    async def keep(turn: WatchedTurn, _exchange: Exchange) -> None:
        said.append(("kept", turn.n))

    watcher = Watcher(turn_of, lambda *_: None, keep)
    watcher.ahead = Ahead(lambda exchange: turn_of(Copied(1).exchange()), ahead, give_up)
    for n in (1, 2):
        watcher.begin(Copied(n))
        watcher.hear(Copied(n))
    watcher.finish()
    await watcher.run()
    assert said == [("begun", 1), ("kept", 1), ("begun", 1), ("given up", 2)]
