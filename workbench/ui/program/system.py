"""The program's link to the system: Qt's messages, tracing, and a single instance."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCryptographicHash,
    QDir,
    QEvent,
    QLockFile,
    QMessageLogContext,
    QObject,
    QtMsgType,
    Signal,
    qFormatLogMessage,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from workbench.domain.reading.loose_json import parsed
from workbench.ports.tracing import KEY, REPAINT, Trace

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class QtMessages:
    """Writes Qt's messages to the log as well as to standard error."""

    def __init__(self) -> None:
        qInstallMessageHandler(self._write)

    def close(self) -> None:
        qInstallMessageHandler(None)

    def _write(self, kind: QtMsgType, context: QMessageLogContext, words: str) -> None:
        logging.getLogger("workbench.qt").log(_LEVELS.get(kind, logging.WARNING), "%s", words)
        if sys.stderr is not None:
            sys.stderr.write(f"{qFormatLogMessage(kind, context, words)}\n")


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
    """Traces how long Qt's events take; used only with a trace, since every event goes through Python."""

    def __init__(self, arguments: Sequence[str], trace: Trace) -> None:
        super().__init__(list(arguments))
        self._trace = trace

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Deliver an event, and trace its duration if it is one that users wait for."""
        name = NAMES.get(event.type())
        if name is None:
            return bool(super().notify(receiver, event))
        with self._trace.span(name, type(receiver).__name__):
            return bool(super().notify(receiver, event))


# One window for a data folder: a second start brings the first window to the front, hands over its files and ends.


WAIT_MS, ANSWER_MS = 500, 5000
"""How long to wait for a connection, and for the answer of a window that may still be loading."""
_TAKEN = b"taken\n"
_MOST_BYTES = 1 << 20


class SingleInstance(QObject):
    """Lets one window serve a data folder: listens for later starts by the same user.

    Qt's network is loaded when it listens, after the first paint, or asks another window: it takes 7 ms.

    Attributes:
        files: the files that this start and later ones are to open, until `take_files`.

    Signals:
        called: the program was started again.
    """

    called = Signal()

    def __init__(self, folder: str, files: Sequence[str] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.files = list(files)
        self._calling: list[QLocalSocket] = []
        # By Qt: `hashlib` would load OpenSSL, 4 ms before the first paint.
        digest = QCryptographicHash.hash(
            folder.encode("utf-8", "surrogatepass"), QCryptographicHash.Algorithm.Sha256
        )
        self._name = f"context-workbench-{bytes(digest.toHex().data()).decode('ascii')[:16]}"
        self._server: QLocalServer | None = None

    def raise_other(self) -> bool:
        """Ask an open window to come to the front and open our files; return whether one answered that it does.

        A connection alone says little: the system makes it also for a program that is ending.
        """
        if not self._is_ours():
            return False
        from PySide6.QtNetwork import QLocalSocket

        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(WAIT_MS):
            return False
        socket.write(json.dumps(self.files).encode("ascii") + b"\n")
        socket.waitForBytesWritten(WAIT_MS)
        answered = socket.bytesAvailable() > 0 or socket.waitForReadyRead(ANSWER_MS)
        socket.abort()
        return answered

    def _is_ours(self) -> bool:
        """Whether the socket is this user's: it is in a folder that all users share, and the name can be guessed."""
        if sys.platform == "win32":  # a pipe, which Windows keeps others from
            return True
        try:
            return os.lstat(os.path.join(QDir.tempPath(), self._name)).st_uid == os.getuid()
        except OSError:
            return False

    def take_files(self) -> list[str]:
        """Return the files to open, and forget them."""
        taken, self.files = self.files, []
        return taken

    def listen(self) -> bool:
        """Listen for later starts; return False if another window took our files, so that this one is to leave.

        One start at a time asks and listens: of two at the same moment, both would find nobody. Nor does Qt refuse a
        name that is taken: it would be taken away from an open window.
        """
        one_at_a_time = QLockFile(f"{QDir.tempPath()}/{self._name}.lock")
        locked = one_at_a_time.tryLock(WAIT_MS + ANSWER_MS)
        try:
            if self.raise_other():
                return False
            self._take_name()
        finally:
            if locked:
                one_at_a_time.unlock()
        return True

    def _take_name(self) -> None:
        """Listen, removing what a killed program left behind; where that fails, later starts open by themselves."""
        from PySide6.QtNetwork import QLocalServer

        server = self._server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(lambda: self._accept(server))
        if not server.listen(self._name):
            QLocalServer.removeServer(self._name)
            server.listen(self._name)

    def close(self) -> None:
        """Take no more calls: who calls gets no answer, and opens a window of its own."""
        if self._server is not None:
            self._server.close()
        calling, self._calling = self._calling, []
        for caller in calling:
            caller.abort()

    def _accept(self, server: QLocalServer) -> None:
        while server.hasPendingConnections():
            socket = server.nextPendingConnection()
            socket.setReadBufferSize(_MOST_BYTES)
            socket.disconnected.connect(self._remove_closed)
            socket.readyRead.connect(self._read_calls)
            self._calling.append(socket)
        self._read_calls()  # what came before anybody listened

    def _read_calls(self) -> None:
        """Read one line per start: it calls the window, and names files to open if it is a list of them."""
        for caller in tuple(self._calling):
            if caller.canReadLine():
                self.files += _file_names(bytes(caller.readLine().data()))
                caller.write(_TAKEN)
                caller.flush()
                self.called.emit()

    def _remove_closed(self) -> None:
        """Read the rest from closed connections, and remove them."""
        from PySide6.QtNetwork import QLocalSocket

        self._read_calls()
        gone = [one for one in self._calling if one.state() != QLocalSocket.LocalSocketState.ConnectedState]
        self._calling = [one for one in self._calling if one not in gone]
        for caller in gone:
            caller.deleteLater()


def _file_names(sent: bytes) -> list[str]:
    names = parsed(sent)
    return [one for one in names if isinstance(one, str)] if isinstance(names, list) else []
