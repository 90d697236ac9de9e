"""A program to watch: Claude Code's own requests as they were recorded, foreign words replaced by others as long."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from datetime import datetime
from typing import Any

from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.watch.understanding import Knowledge, Understanding
from workbench.ports.watching import CopiedRequest, Ears, Listening
from workbench.showroom.clock import ScriptedClock, utc_at
from workbench.sources.resources import resource_path

ADDRESS = "http://127.0.0.1:4040"
_RECORDING = ("sample", "watch", "claude-code.json.xz")
_FIRST_BYTE_MS, _MS_A_BYTE = 620.0, 1.1
"""When a recorded answer began and how fast it came, on a clock that stands still."""


class Recorded:
    """A request that was recorded → CopiedRequest."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    @property
    def n(self) -> int:
        return self._exchange.n

    def begun(self) -> Exchange:
        """The request; nobody asks, since all of it passes at once."""
        return self._exchange

    def more(self) -> bytes:
        """Nothing comes bit by bit."""
        return b""

    def exchange(self) -> Exchange:
        """What passed."""
        return self._exchange


def recorded(day: str) -> list[tuple[str, Exchange]]:
    """All recorded requests with the moment each was sent, as if that had been on a day."""
    written = json.loads(lzma.decompress(resource_path(*_RECORDING).read_bytes()))
    return [_exchange(number, one, utc_at(day, one["at"])) for number, one in enumerate(written, 1)]


def _exchange(number: int, one: dict[str, Any], at_utc: str) -> tuple[str, Exchange]:
    body, answer = one["request"].encode(), one["answer"].encode()
    return at_utc, Exchange(
        number,
        "anthropic",
        one["method"],
        one["path"],
        datetime.fromisoformat(at_utc).timestamp() + number,
        tuple((name, value) for name, value in one["headers"]),
        body,
        len(body),
        one["status"],
        answer,
        len(answer),
        _FIRST_BYTE_MS,
        _FIRST_BYTE_MS + _MS_A_BYTE * len(answer),
    )


class ScriptedWatch:
    """Says where it listens, and tells of what was recorded → ProgramWatch."""

    def __init__(self, knowledge: Knowledge, clock: ScriptedClock) -> None:
        self._clock, self._understanding = clock, Understanding(knowledge)
        self._heard: Callable[[CopiedRequest], None] = lambda copied: None

    async def start(self, ears: Ears) -> Listening:
        """Listen to nobody."""
        self._heard = ears.ended
        return Listening(ADDRESS, (("ANTHROPIC_BASE_URL", ADDRESS),))

    def play(self, day: str) -> int:
        """Let everything that was recorded pass; how many requests that are."""
        played = recorded(day)
        for at_utc, exchange in played:
            self._clock.wait_until(at_utc)
            self._heard(Recorded(exchange))
        return len(played)

    def remember(self, turn: WatchedTurn, exchange: Exchange) -> None:
        """Nothing was watched before."""

    def begin(self, exchange: Exchange) -> WatchedTurn | None:
        """What a request is before its answer."""
        return self._understanding.begin(exchange)

    def understand(self, exchange: Exchange) -> WatchedTurn | None:
        """What a request was."""
        return self._understanding.take(exchange)

    async def close(self) -> None:
        """Listen no longer."""
