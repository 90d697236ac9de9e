"""The event loop of the window: asyncio on Qt's, loaded after the first paint."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any

import qasync

SWITCH_S = 0.0005
"""How long a thread that computes may keep the window waiting: ten times shorter than Python's own, as in the watch."""


class WindowLoop(qasync.QEventLoop):  # type: ignore[misc]  # it has no types
    """Runs all that is to be called soon in one event of Qt; qasync makes a timer of Qt for each of them."""

    def __init__(self, app: object) -> None:
        self._soon: deque[asyncio.Handle] = deque()
        self._waits = False
        super().__init__(app)
        self._usual_switch_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)

    def close(self) -> None:
        """Close it; threads take turns as before."""
        sys.setswitchinterval(self._usual_switch_s)
        super().close()

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._soon.append(handle)
        if not self._waits:
            self._waits = True
            super().call_soon(self._run_soon)
        return handle

    def _run_soon(self) -> None:
        """Run what waits by now; what that calls comes after other events. A loop within begins with the rest."""
        self._waits = False
        for _ in range(len(self._soon)):
            if self._soon:
                handle = self._soon.popleft()
                if not handle.cancelled():
                    handle._run()
