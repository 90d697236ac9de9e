"""Signals from the system end the program as closing the window does, so that everything is kept."""

from __future__ import annotations

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal


class EndSignals(QObject):
    """Turns SIGINT and SIGTERM into a Qt signal; Qt itself never lets Python's handlers run.

    Signals:
        received: the system, or a terminal, wants the program to end.
    """

    received = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._here, self._there = socket.socketpair()
        for end in (self._here, self._there):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._here.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        self._wakeup = signal.set_wakeup_fd(self._there.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _noted) for number in (signal.SIGINT, signal.SIGTERM)}

    def close(self) -> None:
        """Leave the signals to whoever had them before."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._here.close()
        self._there.close()

    def _woken(self) -> None:
        numbers = self._here.recv(64)
        if any(number in (signal.SIGINT, signal.SIGTERM) for number in numbers):
            self.received.emit()


def _noted(_number: int, _frame: FrameType | None) -> None:
    """Python must have a handler, or the signal would end the program at once."""
