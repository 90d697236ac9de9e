"""Typing a priority by its digits: a 1 waits a moment, since a 0 may follow."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.domain.shown.envelope_view import RowKey

WAIT_MS = 600


class PriorityTyping(QObject):
    """Turns digits into priorities from 0 to 10.

    Signals:
        typed: a row is to have this priority.
    """

    typed = Signal(object, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._row: RowKey | None = None
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(WAIT_MS)
        self._wait.timeout.connect(self.finish)

    def type_digit(self, row: RowKey, digit: int) -> None:
        """A digit was typed on a row."""
        if self._row == row and digit == 0:
            self._forget()
            self.typed.emit(row, 10)
            return
        self.finish()
        if digit == 1:
            self._row = row
            self._wait.start()
        else:
            self.typed.emit(row, digit)

    def finish(self) -> None:
        """No further digit comes: a 1 that waits is a 1."""
        row = self._row
        self._forget()
        if row is not None:
            self.typed.emit(row, 1)

    def _forget(self) -> None:
        self._row = None
        self._wait.stop()
