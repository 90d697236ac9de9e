"""Signals from the system end the program as closing the window does, so that everything is kept."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Sequence
from types import FrameType

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    QtMsgType,
    Signal,
    qFormatLogMessage,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from workbench.ports.tracing import KEY, REPAINT, Trace

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class QtMessages:
    """Writes what Qt says into the log, too; on standard error it stays as it was."""

    def __init__(self) -> None:
        qInstallMessageHandler(self._write)

    def close(self) -> None:
        qInstallMessageHandler(None)

    def _write(self, kind: QtMsgType, context: QMessageLogContext, words: str) -> None:
        logging.getLogger("workbench.qt").log(_LEVELS.get(kind, logging.WARNING), "%s", words)
        if sys.stderr is not None:
            sys.stderr.write(f"{qFormatLogMessage(kind, context, words)}\n")


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


# What a person waits for, by the names it has in a trace.

NAMES = {
    QEvent.Type.KeyPress: KEY,
    QEvent.Type.UpdateRequest: REPAINT,
    QEvent.Type.Paint: "paint",
    QEvent.Type.MouseButtonPress: "press",
    QEvent.Type.MouseButtonRelease: "release",
    QEvent.Type.Wheel: "wheel",
    QEvent.Type.Resize: "resize",
    QEvent.Type.LayoutRequest: "layout",
    QEvent.Type.Polish: "polish",
    QEvent.Type.StyleChange: "style",
    QEvent.Type.PaletteChange: "palette",
}


class TracedApplication(QApplication):
    """Notes what Qt does; only made where there is a trace, since every event goes through Python here."""

    def __init__(self, arguments: Sequence[str], trace: Trace) -> None:
        super().__init__(list(arguments))
        self._trace = trace

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Deliver an event, and note how long that took if it is one of those a person waits for."""
        name = NAMES.get(event.type())
        if name is None:
            return bool(super().notify(receiver, event))
        with self._trace.span(name, type(receiver).__name__):
            return bool(super().notify(receiver, event))
