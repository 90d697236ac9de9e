"""Limits of what is kept of watching: so many days, and so many megabytes; the oldest conversations go first."""

from __future__ import annotations

from datetime import datetime, timedelta

from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.watch.kept import WatchedSize
from workbench.ports.history import HistoryStore

_MEGABYTE = 1_000_000


def over_limits(sizes: tuple[WatchedSize, ...], since_utc: str, most_bytes: int) -> tuple[str, ...]:
    """The conversations that go: those last used before a moment, then the oldest until the rest has room."""
    newest_first = sorted(sizes, key=lambda one: one.used_utc, reverse=True)
    gone, total = [], 0
    for one in newest_first:
        total += one.bytes
        if one.used_utc < since_utc or total > most_bytes:
            gone.append(one.chat)
    return tuple(gone)


async def keep_within_limits(store: HistoryStore, preferences: Preferences, now_utc: str) -> str:
    """Delete for good what is over the limits; what was deleted, in a sentence, or nothing."""
    limits = preferences.watch
    since = datetime.fromisoformat(now_utc) - timedelta(days=limits.days)
    since_utc = since.isoformat(timespec="seconds").replace("+00:00", "Z")
    gone = over_limits(await store.watched_sizes(), since_utc, limits.megabytes * _MEGABYTE)
    count = await store.remove_chats(gone) if gone else 0
    if not count:
        return ""
    what = "1 watched conversation was" if count == 1 else f"{count:,} watched conversations were"
    return (
        f"{what} deleted, the oldest first: {limits.days} days and {limits.megabytes:,} MB are kept "
        "(Settings, Privacy)."
    )
