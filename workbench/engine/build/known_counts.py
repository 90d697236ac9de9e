"""Token counts that outlive the program: what was counted once is known when a chat is opened again."""

from __future__ import annotations

from workbench.engine.build.counters import Counters
from workbench.ports.history import HistoryStore


async def recall_counts(store: HistoryStore, counters: Counters, encoding: str) -> None:
    """Give the counter of an encoding everything the store knows."""
    counters.learn(encoding, await store.counts(encoding))


async def keep_counts(store: HistoryStore, counters: Counters) -> None:
    """Keep what was counted since the last time."""
    for encoding, counts in counters.take_new().items():
        await store.save_counts(encoding, counts)
