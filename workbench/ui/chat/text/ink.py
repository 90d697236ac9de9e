"""Slow drawing, formulas and syntax highlighting, done in one background thread."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple, Protocol
from weakref import WeakMethod, finalize

from PySide6.QtCore import QObject, QTimer
from shiboken6 import isValid

from workbench.ui.chat.text.highlight import Run, colour_runs
from workbench.ui.garbage import COLLECTION_PAUSE

LONGEST_COLOURING_S = 1.0
KEPT = 600
POLL_MS = 15

_log = logging.getLogger(__name__)


class Job(Hashable, Protocol):
    """A piece of work; hashable, so that the same work is done once."""

    def run(self) -> Any:
        """Do the work; called in another thread."""


class ColourJob(NamedTuple):
    """Code to be highlighted."""

    code: str
    language: str

    def run(self) -> tuple[Run, ...] | None:
        """The coloured parts of the code; None if it stays plain."""
        until = monotonic() + LONGEST_COLOURING_S
        return colour_runs(self.code, self.language, lambda: monotonic() > until)


class Ink(QObject):
    """Runs jobs one after the other in a thread, and caches their results."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: OrderedDict[Job, Any] = OrderedDict()
        self._waiting: dict[Job, list[WeakMethod[Callable[[], None]]]] = {}
        self._queue = _JobQueue()
        # The thread touches nothing of Qt's, which may be gone while it still works: so it is asked, it does not tell.
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._collect_results)
        # Not by the signal of its end, at which PySide 6.8 falls over where Python itself ends the object.
        finalize(self, self._queue.close)

    def get(self, job: Job, tell: Callable[[], None]) -> Any:
        """The result of a job if it is known; else None, and `tell`, a widget's method, is called when it is."""
        if job in self._known:
            self._known.move_to_end(job)
            return self._known[job]
        if job not in self._waiting:
            self._waiting[job] = []
            self._queue.put(job)
            self._timer.start()
        self._waiting[job].append(WeakMethod(tell))
        return None

    def knows(self, job: Job) -> bool:
        return job in self._known

    def finish(self) -> None:
        """Wait until all jobs are done; for pictures, which must not be half drawn."""
        while self._waiting:
            self._store(*self._queue.done.get())
        self._stop_polling()

    def _collect_results(self) -> None:
        while not self._queue.done.empty():
            self._store(*self._queue.done.get())
        if not self._waiting:
            self._stop_polling()

    def _stop_polling(self) -> None:
        self._timer.stop()
        self._queue.rest()

    def _store(self, job: Job, result: Any) -> None:
        self._known[job] = result
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        for reference in self._waiting.pop(job, []):
            tell = reference()
            if tell is not None and isValid(tell.__self__):  # type: ignore[attr-defined]
                tell()


class _JobQueue:
    """The queue of jobs and its thread, which starts with the first job and ends with its owner."""

    def __init__(self) -> None:
        self.done: SimpleQueue[tuple[Job, Any]] = SimpleQueue()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._closed = False

    def put(self, job: Job) -> None:
        COLLECTION_PAUSE.begin(self)
        if self._thread is None:
            self._thread = Thread(target=self._work, name="ink", daemon=True)
            self._thread.start()
        self._jobs.put(job)

    def rest(self) -> None:
        """All jobs are done: let garbage be collected again."""
        COLLECTION_PAUSE.end(self)

    def close(self) -> None:
        self._closed = True
        self._jobs.put(None)

    def is_over(self) -> bool:
        return self._closed and (self._thread is None or not self._thread.is_alive())

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None and not self._closed:
            self.done.put((job, _run_safely(job)))


def _run_safely(job: Job) -> Any:
    try:
        return job.run()
    except Exception:  # noqa: BLE001  (a library may raise anything at a hostile text, which is then shown as it is)
        _log.warning("something could not be drawn", exc_info=True)
        return None
