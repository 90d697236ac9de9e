"""A server of one's own counts what other programs sent to it; one that cannot is left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from tests.fakes.passing import passed
from tests.fakes.vllm_server import VllmDouble, vllm_double
from workbench.domain.watch.exchange import Exchange
from workbench.providers.catalogue import load_catalogue
from workbench.providers.served.watched import WatchedServer
from workbench.sources.resources import resource_path

CARD = load_catalogue(resource_path("models.toml")).find("server:http://127.0.0.1:1#m")
TALK = [{"role": "user", "content": "one two three"}]
ASKED = passed(1, "openai", {"model": "m", "messages": TALK})


@contextmanager
def served() -> Iterator[VllmDouble]:
    """The double in a loop of its own, as a real server is in a process of its own."""
    ready, over = Event(), asyncio.Event()
    doubles: list[VllmDouble] = []
    loop = asyncio.new_event_loop()

    async def run() -> None:
        async with vllm_double() as double:
            doubles.append(double)
            ready.set()
            await over.wait()

    thread = Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    try:
        assert ready.wait(10)
        yield doubles[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()


def test_the_server_counts_and_its_rules_hold():
    with served() as double:
        server = WatchedServer(f"http://127.0.0.1:{double.port}")
        counted, longer = server.count(ASKED), server.count(_longer())
        card = server.card(CARD)
        server.close()

    assert counted is not None
    assert longer == counted + 3
    assert card.cache_rules == "vllm"


def _longer() -> Exchange:
    return passed(
        2, "openai", {"model": "m", "messages": [{"role": "user", "content": "one two three four five six"}]}
    )


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "https://api.example"])
def test_one_that_is_silent_or_elsewhere_is_left_alone(address: str):
    """What somebody sends to a server on the internet is not sent there a second time."""
    server = WatchedServer(address)

    assert [server.count(ASKED) for _ in range(5)] == [None] * 5
    assert server.card(CARD) == CARD
    server.close()


def test_other_formats_and_broken_bodies_are_not_counted():
    with served() as double:
        server = WatchedServer(f"http://127.0.0.1:{double.port}/")
        found = [server.count(passed(1, "anthropic", {})), server.count(passed(1, "openai", b"{cut"))]
        server.close()

    assert found == [None, None]
