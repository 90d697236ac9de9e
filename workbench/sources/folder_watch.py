"""Waits for changes in folders: by the system's notifications through watchfiles, or by polling."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

POLL_S = 5.0
_STEP_MS, _TOGETHER_MS = 100, 400


class SystemFolderWatch:
    """Notifications of the system → FolderWatch; where it gives none (a full table, a network disk), polls."""

    def __init__(self, poll_s: float = POLL_S) -> None:
        self._poll_s = poll_s

    async def changed(self, folders: Sequence[str], *, below: bool = True) -> None:
        """Returns as soon as something may have changed in one of the folders, or below."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[bool] = loop.create_future()
        stop = threading.Event()

        def tell(noticed: bool) -> None:
            if not told.done():
                told.set_result(noticed)

        def watch() -> None:
            noticed = _wait_for_change(folders, stop, below)
            if not stop.is_set():
                loop.call_soon_threadsafe(tell, noticed)

        # A thread of its own: it waits for hours, and the shared ones are few.
        threading.Thread(target=watch, name="watch folders", daemon=True).start()
        try:
            if not await told:
                await asyncio.sleep(self._poll_s)
        finally:
            stop.set()


def _wait_for_change(folders: Sequence[str], stop: threading.Event, below: bool) -> bool:
    """Waits until something changed; returns False where the system cannot notify."""
    try:
        from watchfiles import watch

        together = watch(
            *folders, stop_event=stop, step=_STEP_MS, debounce=_TOGETHER_MS, raise_interrupt=False,
            recursive=below,
        )  # fmt: skip
        return next(together, None) is not None
    except (ImportError, OSError, RuntimeError):
        return False
