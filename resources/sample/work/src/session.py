"""One signed-in person: their token, and who waits for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from token_client.auth import Token, TokenKeeper
from token_client.clock import Clock
from token_client.errors import TooOld


@dataclass(slots=True)
class Session:
    """Asks for the token once, however many want it."""

    keeper: TokenKeeper
    clock: Clock
    waiting: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def token(self) -> Token:
        """The token, renewed where little of its life is left."""
        self.waiting += 1
        try:
            async with self._turn:
                found = await self.keeper.token()
                if found.left(self.clock.now()).total_seconds() < 0:
                    raise TooOld
                return found
        finally:
            self.waiting -= 1

    async def close(self) -> None:
        """Nobody waits any longer."""
        async with self._turn:
            self.waiting = 0
