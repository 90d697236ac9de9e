"""Python's garbage collector, switched on and off here alone.

It runs in whichever thread makes the next object; a widget that is collected, and so destroyed, in any thread but its
own takes the program with it.
"""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from typing import Protocol

from PySide6.QtCore import QObject, QTimer

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


class Worker(Protocol):
    """A thread that the collector must not run in."""

    def is_over(self) -> bool:
        """Whether it has ended though nobody said so."""


class CollectionPause:
    """Stops the collector while a worker runs, where there is no `Collector`: in pictures, and in tests."""

    def __init__(self) -> None:
        self._workers: set[Worker] = set()
        self._was_on = False

    def begin(self, worker: Worker) -> None:
        """Collect nothing until this worker is done."""
        if not self._workers:
            self._was_on = gc.isenabled()
            gc.disable()
        self._workers.add(worker)

    def end(self, worker: Worker) -> None:
        """This worker is done; so are those whose owner is gone and whose thread has ended."""
        held = bool(self._workers)
        self._workers = {one for one in self._workers if one is not worker and not one.is_over()}
        if held and not self._workers and self._was_on:
            gc.enable()


COLLECTION_PAUSE = CollectionPause()
