"""Garbage is collected in the window's own thread only: elsewhere it could end a widget, and with it the program."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 1_000
# As Python has them by itself: new objects, then collections of the younger ones.
YOUNG, MIDDLE, OLD = 700, 10, 10


class Collector(QObject):
    """Takes over from Python, which collects in whatever thread happens to allocate: the database's, a model's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_on = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        self._timer.start(EVERY_MS)

    def collect(self) -> int:
        """Collect what has piled up; which generation was looked at, -1 for none."""
        young, middle, old = gc.get_count()
        generation = 2 if old > OLD else 1 if middle > MIDDLE else 0 if young > YOUNG else -1
        if generation >= 0:
            gc.collect(generation)
        return generation

    def close(self) -> None:
        """Give it back to Python."""
        self._timer.stop()
        if self._was_on:
            gc.enable()
