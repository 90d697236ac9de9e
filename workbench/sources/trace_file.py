"""Writes a trace in the format of Chrome's trace viewer, one event per line, readable while it is written."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

AT_ONCE = 200


class ChromeTrace:
    """Writes each step with its start, its duration and its processor time → Trace.

    The array is closed with the trace; viewers also read one without its end, so a killed program leaves a usable
    trace.
    """

    def __init__(self, place: Path) -> None:
        place.touch(mode=0o600)
        self._file = place.open("w", encoding="utf-8")
        self._file.write("[")
        self._lines: list[str] = []
        self._first = True
        self._lock = threading.Lock()

    @contextmanager
    def span(self, name: str, about: str = "") -> Iterator[None]:
        """Records a step that lasts as long as the block."""
        began, worked = time.perf_counter_ns(), time.thread_time_ns()
        try:
            yield
        finally:
            took, work = time.perf_counter_ns() - began, time.thread_time_ns() - worked
            event = {
                "name": name,
                "ph": "X",
                "ts": began / 1000,
                "dur": took / 1000,
                "tts": worked / 1000,
                "tdur": work / 1000,
                "pid": os.getpid(),
                "tid": threading.get_native_id(),
            }
            if about:
                event["args"] = {"about": about}
            self._note(json.dumps(event))

    def close(self) -> None:
        """Writes what is left, and closes the array."""
        with self._lock:
            if not self._file.closed:
                self._write()
                self._file.write("\n]\n")
                self._file.close()

    def _note(self, line: str) -> None:
        with self._lock:
            self._lines.append(line)
            # By hand and rarely: a write for every step would be what the trace shows.
            if len(self._lines) >= AT_ONCE and not self._file.closed:
                self._write()

    def _write(self) -> None:
        for line in self._lines:
            self._file.write("\n" if self._first else ",\n")
            self._file.write(line)
            self._first = False
        self._file.flush()
        self._lines.clear()
