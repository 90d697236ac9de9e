"""Signals from the system end the program as closing the window does, so that everything is kept."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    QTimer,
    QtMsgType,
    Signal,
    qFormatLogMessage,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from workbench.ports.tracing import KEY, REPAINT, Trace

# Garbage is collected in the window's own thread only: elsewhere it could end a widget, and with it the
# program.

EVERY_MS = 1_000
SETTLED_MS = 10_000
"""By then everything that a window always needs is loaded."""
# As Python has them by itself: new objects, then collections of the younger ones.
YOUNG, MIDDLE, OLD = 700, 10, 10


class Collector(QObject):
    """Takes over from Python, which collects in whatever thread happens to allocate: the database's, a model's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_on = gc.isenabled()
        gc.disable()
        self._settled = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(EVERY_MS)
        QTimer.singleShot(SETTLED_MS, self, self.settle)

    def settle(self) -> None:
        """What is there now stays until the end: it is looked through no more, and what was left over is given back.

        Looking through a hundred thousand things that never go made every thorough collection a pause one could see.
        """
        gc.collect()
        gc.freeze()
        self._settled = True
        give_memory_back()

    def collect(self) -> int:
        """Collect what has piled up; which generation was looked at, -1 for none."""
        return collect_by_count()

    def close(self) -> None:
        """Give it back to Python, with nothing left: whichever thread allocates next would end the widgets."""
        self._timer.stop()
        if self._settled:
            gc.unfreeze()
        gc.collect()
        if self._was_on:
            gc.enable()


def collect_by_count() -> int:
    """Collect what has piled up, in this thread; which generation was looked at, -1 for none."""
    young, middle, old = gc.get_count()
    generation = 2 if old > OLD else 1 if middle > MIDDLE else 0 if young > YOUNG else -1
    if generation >= 0:
        gc.collect(generation)
    return generation


def give_memory_back() -> None:
    """Let the system have what was only needed while things were loaded; glibc would keep it for later."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library has no such call
            ctypes.CDLL(None).malloc_trim(0)


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
