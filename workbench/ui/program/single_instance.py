"""One window for a data folder: a second start brings the first window to the front, hands over its files and ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

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
        for socket in tuple(self._calling):
            if socket.canReadLine():
                self.files += _names(bytes(socket.readLine().data()))
                self.called.emit()

    def _forget(self) -> None:
        """Whoever said what it had to say is gone."""
        self._hear()
        gone = [one for one in self._calling if one.state() != QLocalSocket.LocalSocketState.ConnectedState]
        self._calling = [one for one in self._calling if one not in gone]
        for socket in gone:
            socket.deleteLater()


def _names(sent: bytes) -> list[str]:
    try:
        names = json.loads(sent)
    except ValueError:
        return []
    return [one for one in names if isinstance(one, str)] if isinstance(names, list) else []
