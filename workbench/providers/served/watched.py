"""Counts what other programs send to a server of one's own: the server itself is asked, after it has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

from workbench.domain.models.model import ModelCard
from workbench.domain.reading.loose_json import count_in, text_in
from workbench.domain.watch.exchange import Exchange
from workbench.net.connections import Connections
from workbench.providers.served.asking import LlamaAsking, ServerAsking
from workbench.providers.served.servers import LLAMA_CPP, VLLM, recognised
from workbench.providers.served.vllm import VllmQuestions
from workbench.providers.wire.endpoint import Endpoint, is_loopback
from workbench.providers.wire.strict_json import parse_object

T = TypeVar("T")
_LONGEST_S = 20.0
_MOST_FAILURES = 3
"""After so many in a row the server is not asked again: it may want a key, which nobody keeps."""


@dataclass(slots=True)
class _Known:
    """What a server said of itself, and who asks it."""

    facts: Mapping[str, Any]
    asking: ServerAsking


class WatchedServer:
    """One server on this computer → ServerCounts; its methods are called in a thread, one at a time."""

    def __init__(self, address: str, net: Connections | None = None) -> None:
        self._endpoint = Endpoint(
            address.rstrip("/"), "", local=is_loopback(address), net=net or Connections()
        )
        self._runner: asyncio.Runner | None = None
        self._lock = Lock()
        self._known: _Known | None = None
        self._failures = 0

    def card(self, known: ModelCard) -> ModelCard:
        """The card with the window and the cache rules of the server."""
        server = self._asked(self._look)
        kind = "" if server is None else text_in(server.facts, "kind")
        if server is None or kind not in (VLLM, LLAMA_CPP):
            return known
        window = count_in(server.facts, "window")
        if not window:
            return replace(known, cache_rules=kind)
        return replace(known, cache_rules=kind, context_window_tokens=window, window_assumed=False)

    def count(self, exchange: Exchange) -> int | None:
        """How many tokens the server makes of a request; None where it cannot say."""
        if exchange.format != "openai" or not exchange.request:
            return None
        return self._asked(lambda: self._count(exchange.request))

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            runner, self._runner, known, self._known = self._runner, None, self._known, None
            if runner is not None:
                if known is not None:
                    runner.run(known.asking.close())
                runner.close()

    def _asked(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
        """What comes of a question; nothing where the server is elsewhere, silent or none that counts."""
        if not self._endpoint.local or self._failures >= _MOST_FAILURES:
            return None
        with self._lock:
            self._runner = self._runner or asyncio.Runner()
            with suppress(Exception):  # whatever is wrong with it, its requests have passed
                found = self._runner.run(asyncio.wait_for(ask(), _LONGEST_S))
                self._failures = 0
                return found
            self._failures += 1
        return None

    async def _look(self) -> _Known:
        if self._known is None:
            asking = ServerAsking(self._endpoint)
            listing = await asking.table("GET", "/v1/models")
            self._known = _Known(await recognised(asking, listing), asking)
        return self._known

    async def _count(self, request: bytes) -> int | None:
        known, body = await self._look(), parse_object(request)
        match text_in(known.facts, "kind"):
            case "vllm":
                asked = VllmQuestions(known.asking, text_in(body, "model"))
                return len((await asked.prompt(body))[1])
            case "llamacpp":
                return len((await LlamaAsking(known.asking).prompt(body))[1])
        return None
