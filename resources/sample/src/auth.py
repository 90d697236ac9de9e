"""Keeps one token fresh for everyone in this process."""

import asyncio
from datetime import UTC, datetime, timedelta

SKEW = timedelta(seconds=30)


class TokenKeeper:
    def __init__(self, client):
        self._client = client
        self._token = None
        self._lock = asyncio.Lock()

    async def token(self):
        if self._fresh():
            return self._token
        async with self._lock:  # one refresh at a time
            if not self._fresh():
                self._token = await self._client.post("/token/refresh")
        return self._token

    def _fresh(self):
        return self._token is not None and self._token.expires_at - SKEW > datetime.now(UTC)
