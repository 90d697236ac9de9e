"""A ledger in memory, and records of requests for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.domain.spending import Limit, Spent, check_limits
from workbench.domain.usage import Price

WHEN = "2026-11-18T12:00:00.000Z"
MODEL = "openai:gpt-4o"
PRICE = Price("gpt-4o", input=2.5, output=10.0, as_of="2026-11-15", cached=1.25)


class MemoryLedger:
    """Keeps what was spent as long as the test runs → SpendLedger."""

    def __init__(self, *spent: Spent) -> None:
        self.kept = dict(enumerate(spent, 1))
        self._next = len(spent) + 1

    async def reserve(self, spent: Spent, limits: Sequence[Limit]) -> int:
        """Keep a request, unless it could pass a limit."""

        def counted(limit: Limit) -> float:
            return sum(one.usd or 0.0 for one in self.kept.values() if limit.covers(one))

        check_limits(limits, counted, spent)
        return self._keep(spent)

    async def settle(self, number: int, spent: Spent | None) -> None:
        """Replace a reserved request."""
        if spent is None:
            del self.kept[number]
        else:
            self.kept[number] = spent

    async def add(self, spent: Spent) -> None:
        """Keep a request that has ended."""
        self._keep(spent)

    async def spent(self, since_utc: str = "", chat: str = "") -> tuple[Spent, ...]:
        """All requests since then that have ended."""
        ended = (one for one in self.kept.values() if one.state != "reserved" and one.at_utc >= since_utc)
        ended = (one for one in ended if chat in ("", one.chat))
        return tuple(sorted(ended, key=lambda one: one.at_utc))

    def _keep(self, spent: Spent) -> int:
        number, self._next = self._next, self._next + 1
        self.kept[number] = spent
        return number


def spent(usd: float | None = 0.0, at_utc: str = WHEN, model: str = MODEL, **more: object) -> Spent:
    """A request that cost this much."""
    return replace(Spent(at_utc, model, usd=usd), **more)  # type: ignore[arg-type]


def reserved(usd: float | None, chat: str = "c", model: str = MODEL) -> Spent:
    """A request that can cost this much, and is predicted to cost a tenth of it."""
    predicted = None if usd is None else usd / 10
    return spent(usd, state="reserved", model=model, chat=chat, predicted_usd=predicted)
