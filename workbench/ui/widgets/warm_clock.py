"""The countdown to the moment at which a provider's cache forgets a chat."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QDateTime, QObject, Qt, QTimer, Signal

SECOND_MS = 1_000


class WarmClock(QObject):
    """One timer for everything that counts down; it runs only while somebody listens.

    Signals:
        ticked: a second has passed.
    """

    ticked = Signal()

    def __init__(self, parent: QObject | None = None, now_ms: Callable[[], int] | None = None) -> None:
        super().__init__(parent)
        self.now_ms = now_ms or QDateTime.currentMSecsSinceEpoch
        self._listening: set[int] = set()
        self._timer = QTimer(self)
        self._timer.setInterval(SECOND_MS)
        self._timer.timeout.connect(self.ticked)

    def listen(self, who: QObject, listening: bool) -> None:
        (self._listening.add if listening else self._listening.discard)(id(who))
        if bool(self._listening) != self._timer.isActive():
            self._timer.start() if self._listening else self._timer.stop()

    def runs(self) -> bool:
        return self._timer.isActive()

    def left_s(self, until_utc: str) -> int:
        """How many seconds are left until a moment, and never less than none."""
        until = QDateTime.fromString(until_utc, Qt.DateFormat.ISODateWithMs)
        if not until.isValid():
            return 0
        # Up to the next whole second: what says 0:01 is not over yet.
        return max(0, -((self.now_ms() - until.toMSecsSinceEpoch()) // SECOND_MS))


def time_left(seconds: int) -> str:
    """Minutes and seconds, with hours where there are any: `3:40`, `1:02:00`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
