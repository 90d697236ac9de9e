"""Where it is kept what requests cost, so that no two of them pass a cap together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.spending import Limit, Spent


class SpendLedger(Protocol):
    """What a call returned from is kept; programs of the same folder share one ledger."""

    async def reserve(self, spent: Spent, limits: Sequence[Limit]) -> int:
        """Keep a request before it is sent, unless it could pass a limit (`CapReached`); the number of its record.

        What others have reserved counts, too. A record whose program ended without settling it becomes what was
        predicted for it.
        """

    async def settle(self, number: int, spent: Spent | None) -> None:
        """Replace a reserved record by what became of its request; None removes it, because nothing was sent."""

    async def add(self, spent: Spent) -> None:
        """Keep a request that has ended and was not reserved."""

    async def spent(self, since_utc: str = "", chat: str = "") -> tuple[Spent, ...]:
        """All requests since a moment, in the order in which they were sent; without those still reserved.

        With a chat, only its own.
        """
