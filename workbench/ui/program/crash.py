"""Crash reports that can be passed on: without secrets, text or paths of the user."""

from __future__ import annotations

import logging
import platform
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Signal, qVersion

Redact = Callable[[str], str]
MOST_LETTERS = 20_000
_log = logging.getLogger(__name__)


def crash_text(error: BaseException, version: str, redact: Redact) -> str:
    """The report: what failed and where; only the type of an error, since its message may quote a chat."""
    lines = [
        f"Context Workbench {version}",
        f"Python {platform.python_version()}, Qt {qVersion()}, {platform.system()} {platform.machine()}",
        "",
        *error_places(error),
    ]
    return redact("\n".join(lines))[:MOST_LETTERS]


def error_places(error: BaseException) -> list[str]:
    """The chain of errors, innermost last, as the program's files and line numbers."""
    lines: list[str] = []
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        lines.append(f"{type(link).__module__}.{type(link).__qualname__}")
        for frame in traceback.extract_tb(link.__traceback__):
            lines.append(f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}")
        link = link.__cause__ or link.__context__
    return lines


def _place(filename: str) -> str:
    """The last parts of a file's path, so that no folder name of the user is in the report."""
    parts = Path(filename).parts
    for anchor in ("workbench", "site-packages"):
        if anchor in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(anchor) :])
    return parts[-1] if parts else filename


class CrashWatch(QObject):
    """Catches and logs errors that nothing else caught, in slots and background tasks; the program continues.

    Attributes:
        heard: whether reports are shown: not before the window is open, nor while it is closing.

    Signals:
        crashed: the report of an error.
    """

    crashed = Signal(str)

    def __init__(self, version: str, redact: Redact, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._version, self._redact = version, redact
        self.heard = False
        self._before = sys.excepthook
        sys.excepthook = self._hook

    def report(self, name: str, error: BaseException) -> None:
        """Log and report the error that ended a background task."""
        _log.error("%s failed", name, exc_info=error, extra={"shown": self.heard})
        if self.heard:
            self.crashed.emit(self._redact(f"{name}\n") + crash_text(error, self._version, self._redact))

    def stop_showing(self) -> None:
        """Only log from now on, without showing reports."""
        self.heard = False

    def close(self) -> None:
        sys.excepthook = self._before

    def _hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before(kind, error, trace)
            return
        _log.error("something failed", exc_info=(kind, error, trace), extra={"shown": self.heard})
        if self.heard:
            self.crashed.emit(crash_text(error, self._version, self._redact))
