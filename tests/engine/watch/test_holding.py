"""Held requests: each waits for a person, for its program, or for the end of the watch."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from tests.fakes.loop import in_loop
from tests.fakes.raw_server import RawServer
from tests.fakes.watch_stage import Watched
from tests.net.watch.test_changed import RAW, WITHOUT_CRON, once, ruled
from workbench.domain.shown.sessions_view import HeldView
from workbench.domain.watch.exchange import refused_by_person
from workbench.engine.watch.ruling import CLOSED, NOT_SENT, HeldRequests


class Stage:
    """A watch that holds, between a server that records and a client."""

    def __init__(self, watched: Watched) -> None:
        self.seen: list[tuple[HeldView, ...]] = []
        self._some, self._watched = asyncio.Event(), watched
        self.held = HeldRequests(lambda _on, held: self._show(held), lambda: "2026-11-18T14:10:00Z")
        watched.proxy.holding, watched.proxy.decide = self.held.is_on, self.held.decide
        self.held.switch(True)

    def _show(self, held: tuple[HeldView, ...]) -> None:
        self.seen.append(held)
        (self._some.set if held else self._some.clear)()

    async def waiting(self) -> HeldView:
        await self._some.wait()
        return self.seen[-1][0]

    async def asked(self, decide: Callable[[HeldView], None], *headers: str) -> bytes:
        """The answer to a request about which this is decided once it waits."""
        async with asyncio.TaskGroup() as both:
            asking = both.create_task(self._watched.talk(self._watched.post(RAW, *headers)))
            decide(await self.waiting())
        return asking.result()


@in_loop
async def test_it_is_sent_as_it_is_edited_or_refused_and_only_that_one():
    got: list[tuple[bytes, bytes]] = []
    async with RawServer(once(got)) as server, Watched(server.url) as watched:
        stage = Stage(watched)
        ruled(watched, "tools.without=Cron")
        answers = []
        for send, body in ((True, None), (True, '{"model":"n"}'), (False, None)):
            asked: list[HeldView] = []

            def decide(held: HeldView, send: bool = send, body: str | None = body) -> None:
                asked.append(held)  # noqa: B023  (decided within this round)
                stage.held.answer(held.n, send, body)

            answers.append(await stage.asked(decide, "X-Stainless-Timeout: 600"))
            assert (asked[0].gives_up_s, json.loads(asked[0].body)) == (600.0, json.loads(WITHOUT_CRON))
        exchanges = await watched.exchanges(3)
    assert [json.loads(body) for _, body in got] == [json.loads(WITHOUT_CRON), {"model": "n"}]
    error = refused_by_person("anthropic", f"workbench watch: {NOT_SENT}")
    assert answers[2].startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert json.loads(answers[2].partition(b"\r\n\r\n")[2]) == error.body
    assert [one.status for one in exchanges] == [200, 200, 403]
    assert exchanges[1].request == b'{"model":"n"}'


@in_loop
async def test_closing_answers_with_the_vendor_s_error_and_switching_off_sends():
    got: list[tuple[bytes, bytes]] = []
    async with RawServer(once(got)) as server, Watched(server.url) as watched:
        stage = Stage(watched)
        assert (await stage.asked(lambda _: stage.held.switch(False))).startswith(b"HTTP/1.1 200")
        stage.held.switch(True)
        assert CLOSED.encode() in await stage.asked(lambda _: stage.held.close())
        assert not stage.held.is_on()
    assert len(got) == 1


@in_loop
async def test_a_program_that_gives_up_leaves_the_list():
    got: list[tuple[bytes, bytes]] = []
    async with RawServer(once(got)) as server, Watched(server.url) as watched:
        stage = Stage(watched)
        _, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(watched.post(RAW))
        await stage.waiting()
        writer.transport.abort()
        (exchange,) = await watched.exchanges(1)
        assert stage.seen[-1] == ()
    assert (got, exchange.status) == ([], 403)
