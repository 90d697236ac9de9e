"""The event loop of the window, asyncio on Qt's, and the signals that end it; loaded after the first paint."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable
from contextvars import Context
from types import FrameType
from typing import Any

import qasync
from PySide6.QtCore import QObject, QSocketNotifier, Signal

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


class EndSignals(QObject):
    """Turns SIGINT and SIGTERM into a Qt signal; in Qt's event loop Python's own handlers would not run.

    Signals:
        received: the program is to end.
    """

    received = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._here, self._there = socket.socketpair()
        for end in (self._here, self._there):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._here.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_wakeup)
        self._wakeup = signal.set_wakeup_fd(self._there.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _ignore) for number in (signal.SIGINT, signal.SIGTERM)}

    def close(self) -> None:
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._here.close()
        self._there.close()

    def _on_wakeup(self) -> None:
        numbers = self._here.recv(64)
        if any(number in (signal.SIGINT, signal.SIGTERM) for number in numbers):
            self.received.emit()


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Handler that does nothing; without one, the signal would end the program at once."""
