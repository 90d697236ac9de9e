"""How long the provider's cache still holds the last request: a chip that counts down, and says when it is cold."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QDateTime, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHideEvent, QShowEvent

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui.look.tones import Tone
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.plain import tip

SECOND_MS = 1_000
SHORT_S = 60


class WarmClock(QObject):
    """One timer for everything that counts down; it runs only while somebody listens.

    Signals:
        ticked: a second has passed.
    """

    ticked = Signal()

    def __init__(self, parent: QObject | None = None, now_ms: Callable[[], int] | None = None) -> None:
        super().__init__(parent)
        self._now_ms = now_ms or QDateTime.currentMSecsSinceEpoch
        self._listening: set[int] = set()
        self._timer = QTimer(self)
        self._timer.setInterval(SECOND_MS)
        self._timer.timeout.connect(self.ticked)

    def listen(self, who: QObject, listening: bool) -> None:
        """Somebody counts down, or no longer does."""
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
        return max(0, -((self._now_ms() - until.toMSecsSinceEpoch()) // SECOND_MS))


class WarmChip(Badge):
    """Warm for so long, or cold; hidden where nobody can say.

    Signals:
        turned_cold: the time has just run out.
    """

    turned_cold = Signal()

    def __init__(self, clock: WarmClock | None = None) -> None:
        super().__init__()
        self.clock = clock or WarmClock(self)
        self._until: str | None = None
        self._cold = self._short = False
        self.clock.ticked.connect(self._count)
        self.setVisible(False)

    def show_view(self, view: EnvelopeView) -> None:
        """Count for the next request; one that was sent is beyond it."""
        ahead = view.standing == "next"
        self._until = view.warm_until_utc if ahead else None
        # A server that was asked, and still serves some of it, is not cold, whatever the time says.
        self._cold = ahead and view.cold and not view.cached_tokens
        there = self._until is not None or self._cold
        if there:
            self._write(spoken=False)
        self.setVisible(there)
        self._listen()

    def is_cold(self) -> bool:
        """Whether it says that nothing is served from a cache now."""
        return self._cold

    def set_short(self, short: bool) -> None:
        """Say only the time, where there is little room."""
        if short != self._short:
            self._short = short
            if self.isVisible():
                self._write(spoken=False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._write(spoken=False)
        self._listen()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody sees it: nothing is counted."""
        super().hideEvent(event)
        self._listen()

    def _count(self) -> None:
        if self._until is not None:
            self._write(spoken=True)

    def _listen(self) -> None:
        self.clock.listen(self, self.isVisible() and self._until is not None)

    def _write(self, spoken: bool) -> None:
        left = 0 if self._until is None else self.clock.left_s(self._until)
        cold = self._cold or left == 0
        if cold and self._until is not None:
            self._until, self._cold = None, True
            self._listen()
            self.turned_cold.emit()
            if spoken:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self._told()))
        if cold:
            self.show_words("neutral", "snow", self.tr("cold"))
        else:
            tone: Tone = "warn" if left < SHORT_S else "ok"
            words = "{time}" if self._short else self.tr("warm for {time}")
            self.show_words(tone, "clock", words.format(time=time_left(left)))
        told = self._told()
        self.setAccessibleDescription(told)
        self.setToolTip(tip(told))

    def _told(self) -> str:
        if self._cold:
            return self.tr(
                "The provider's cache is cold: whatever changes in the request costs nothing more now."
            )
        return self.tr(
            "So long the provider's cache holds the last request at least. What changes before that is read again."
        )


def time_left(seconds: int) -> str:
    """Minutes and seconds, with hours where there are any: `3:40`, `1:02:00`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
