"""Controls Python's garbage collector; nothing else may switch it.

The collector runs in whichever thread creates the next object; a widget that is collected, and so destroyed, in any
thread but its own crashes the program.
"""

from __future__ import annotations

import gc
import sys
import time
from contextlib import suppress
from itertools import count
from typing import Protocol

from PySide6.QtCore import QObject, QTimer

EVERY_MS, LOOKS = 100, 10
"""How often it is looked whether very much has piled up, and at which of these looks whether anything has."""
SOON_MS = 40
"""The next look after one that found very much: a thread that reads a file makes in it what fills a frame."""
SETTLED_MS = 10_000
"""After this time everything that a window always needs is loaded."""
# As Python has them by itself: new objects, then collections of the younger ones.
YOUNG, MIDDLE = 700, 10
MANY = 20_000
"""So many new objects are looked through within a frame; those that an import makes in a second take five."""
FULL_EVERY_S, FULL_SHARE, FREED_S = 10.0, 1_000, 2e-6
"""A full collection at most so often, and for at most one part in so many of the time: it may be a visible pause.

What an object takes that is freed does not count: to wait for it made the next pause longer, the wait after it too, and
the memory grow by a quarter of a megabyte a question.
Closed pages and rows leave rings of widgets behind: 3,000 to 7,600 objects in ten questions sent. By Python's count, a
look a second, they would be collected only after some 120 of these.
"""


class Collector(QObject):
    """Collects garbage by a timer in the main thread, since Python would do so in whichever thread allocates."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_on = gc.isenabled()
        gc.disable()
        self._settled = self._frozen = False
        self._looks = count()
        self._much_made = False
        self._full_at, self._looking_took_s = time.monotonic(), 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(lambda: self._timer.setInterval(until_next_look_ms(self.collect())))
        self._timer.start(EVERY_MS)
        QTimer.singleShot(SETTLED_MS, self, self.settle)

    def settle(self) -> None:
        """Exclude everything that exists now from later collections, and return unused memory to the system.

        Looking through a hundred thousand permanent objects made every full collection a visible pause.
        """
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._settled = self._frozen = True
        # What it took to look through all of it says nothing about the next time.
        self._full_at, self._looking_took_s = time.monotonic(), 0.0
        give_memory_back()

    def collect(self) -> int:
        """Collect garbage if enough has piled up; returns the generation collected, or -1.

        After a full collection, and once very much has been made, memory that nothing needs any more is returned to
        the system: opening a long chat leaves 17 MB of it, and the next full collection may be minutes away.
        """
        look, now = next(self._looks), time.monotonic()
        young, middle, old = gc.get_count()
        due = now - self._full_at >= max(FULL_EVERY_S, FULL_SHARE * self._looking_took_s)
        if look % LOOKS or not due or young > MANY or not (young > YOUNG or middle or old):
            if self._much_made and young <= MANY and not look % LOOKS:
                self._much_made = False
                give_memory_back()
            self._much_made |= young > MANY
            return collect_piled_up(look) if self._settled or young <= MANY else self._put_aside()
        began, freed = time.thread_time(), gc.collect()
        self._full_at, self._looking_took_s = now, time.thread_time() - began - freed * FREED_S
        give_memory_back()
        return 2

    def _put_aside(self) -> int:
        """Leave what loading has made for `settle`: of 150,000 objects 1,100 were free, after 50 ms of looking."""
        gc.freeze()
        self._frozen = True
        return -1

    def close(self) -> None:
        """Hand collection back to Python, after a last one: other threads would otherwise destroy widgets."""
        self._timer.stop()
        if self._frozen:
            gc.unfreeze()
        gc.collect()
        if self._was_on:
            gc.enable()


def collect_piled_up(look: int) -> int:
    """Collect garbage in this thread at one of many looks; returns the generation collected, or -1.

    While very much is made, only the younger objects are looked through: most of the others are gone without the
    collector when the work is done, and until then looking through them would be a visible pause.
    """
    if gc.get_count()[0] > MANY:
        gc.collect(
            1
        )  # they grow old at once: eleven times as many, looked through together, were seven frames
        return 1
    return -1 if look % LOOKS else collect_by_count()


def until_next_look_ms(collected: int) -> int:
    """How long to wait after a look that collected a generation, or -1."""
    return SOON_MS if collected == 1 else EVERY_MS


def collect_by_count() -> int:
    """Collect garbage in this thread if enough has piled up; returns the generation collected, or -1."""
    young, middle, _ = gc.get_count()
    generation = 1 if middle > MIDDLE else 0 if young > YOUNG else -1
    if generation >= 0:
        gc.collect(generation)
    return generation


def give_memory_back() -> None:
    """Return memory that was needed only while loading to the system; glibc would keep it."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library has no such call
            ctypes.CDLL(None).malloc_trim(0)


class Worker(Protocol):
    """A thread in which the collector must not run."""

    def is_over(self) -> bool:
        """Whether its thread has ended without `CollectionPause.end` being called."""


class CollectionPause:
    """Stops the collector while workers run, for programs without a `Collector`: pictures and tests."""

    def __init__(self) -> None:
        self._workers: set[Worker] = set()
        self._was_on = False

    def begin(self, worker: Worker) -> None:
        """Stop the collector until this worker is done."""
        if not self._workers:
            self._was_on = gc.isenabled()
            gc.disable()
        self._workers.add(worker)

    def end(self, worker: Worker) -> None:
        """Mark a worker as done, and those whose thread has ended; without any left, collection resumes."""
        held = bool(self._workers)
        self._workers = {one for one in self._workers if one is not worker and not one.is_over()}
        if held and not self._workers and self._was_on:
            gc.enable()


COLLECTION_PAUSE = CollectionPause()
