"""One window for a data folder: a second start brings the first window to the front and ends."""

from __future__ import annotations

from hashlib import sha256

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

WAIT_MS = 500
RAISE = b"raise\n"


class SingleInstance(QObject):
    """Listens for later starts; only the same user can reach it.

    Signals:
        called: somebody started the program again.
    """

    called = Signal()

    def __init__(self, folder: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = f"context-workbench-{sha256(folder.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)

    def raise_other(self) -> bool:
        """Ask a window that is open already to come to the front; return whether there is one."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(WAIT_MS):
            return False
        socket.write(RAISE)
        socket.waitForBytesWritten(WAIT_MS)
        socket.disconnectFromServer()
        return True

    def listen(self) -> bool:
        """Be the one that later starts find; what a killed program left behind is put away."""
        if self._server.listen(self._name):
            return True
        QLocalServer.removeServer(self._name)
        return self._server.listen(self._name)

    def close(self) -> None:
        self._server.close()

    def _answer(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            # Whoever connects wants this; nothing that is sent is read.
            socket.disconnected.connect(socket.deleteLater)
            self.called.emit()
