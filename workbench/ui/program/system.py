"""Signals from the system end the program as closing the window does, so that everything is kept."""

from __future__ import annotations

import json
import logging
import signal
import socket
import sys
from collections.abc import Sequence
from hashlib import sha256
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
from PySide6.QtNetwork import QLocalServer, QLocalSocket
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


# One window for a data folder: a second start brings the first window to the front, hands over its files and ends.


WAIT_MS = 500
_MOST_BYTES = 1 << 20


class SingleInstance(QObject):
    """Listens for later starts; only the same user can reach it.

    Attributes:
        files: what is to be opened, by this start and by later ones, until it is taken.

    Signals:
        called: somebody started the program again.
    """

    called = Signal()

    def __init__(self, folder: str, files: Sequence[str] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.files = list(files)
        self._calling: list[QLocalSocket] = []
        self._name = f"context-workbench-{sha256(folder.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)

    def raise_other(self) -> bool:
        """Ask a window that is open already to come to the front and open our files; return whether there is one."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(WAIT_MS):
            return False
        socket.write(json.dumps(self.files).encode("ascii") + b"\n")
        socket.waitForBytesWritten(WAIT_MS)
        socket.disconnectFromServer()
        return True

    def take_files(self) -> list[str]:
        """What is to be opened and was not taken yet."""
        taken, self.files = self.files, []
        return taken

    def listen(self) -> bool:
        """Be the one that later starts find; what a killed program left behind is put away."""
        if self._server.listen(self._name):
            return True
        QLocalServer.removeServer(self._name)
        return self._server.listen(self._name)

    def close(self) -> None:
        self._server.close()

    def _answer(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            socket.setReadBufferSize(_MOST_BYTES)
            socket.disconnected.connect(self._forget)
            socket.readyRead.connect(self._hear)
            self._calling.append(socket)
        self._hear()  # what came before anybody listened

    def _hear(self) -> None:
        """One line is one start: whoever sends it wants the window, and the files in it where it is a list of them."""
        for caller in tuple(self._calling):
            if caller.canReadLine():
                self.files += _names(bytes(caller.readLine().data()))
                self.called.emit()

    def _forget(self) -> None:
        """Whoever said what it had to say is gone."""
        self._hear()
        gone = [one for one in self._calling if one.state() != QLocalSocket.LocalSocketState.ConnectedState]
        self._calling = [one for one in self._calling if one not in gone]
        for caller in gone:
            caller.deleteLater()


def _names(sent: bytes) -> list[str]:
    try:
        names = json.loads(sent)
    except ValueError:
        return []
    return [one for one in names if isinstance(one, str)] if isinstance(names, list) else []
