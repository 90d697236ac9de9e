"""Conversations that were watched before: a client that goes on in another run goes on in the same conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from workbench.domain.errors import WorkbenchError
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.watch.kept_turn import watched_exchange, watched_turn
from workbench.ports.history import HistoryStore

Remember = Callable[[WatchedTurn, Exchange], None]
MOST = 8
DAYS = 2
"""Older conversations begin anew: reading them all would keep a command waiting."""


async def remember_kept(store: HistoryStore, remember: Remember, now_utc: str) -> None:
    """Have the last request of each of the newest conversations known, the oldest first; what fails is left out."""
    since = datetime.fromisoformat(now_utc) - timedelta(days=DAYS)
    since_utc = since.isoformat(timespec="seconds").replace("+00:00", "Z")
    try:
        chats = [chat for chat in await store.chats() if chat.filed.watched is not None]
        for chat in reversed([chat for chat in chats if chat.used_utc >= since_utc][:MOST]):
            turn = await store.last_turn(chat.id)
            if turn is not None:
                kept = watched_turn(chat, turn, await store.tail(chat.id, 2)), watched_exchange(turn)
                await asyncio.to_thread(remember, *kept)
    except WorkbenchError:
        return  # requests are watched all the same
