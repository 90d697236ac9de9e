"""Timers that fire once after each start."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, SignalInstance


def single_shot(
    parent: QObject, do: Callable[[], object] | SignalInstance | None = None, after_ms: int = 0
) -> QTimer:
    """A single-shot timer that is not running yet; starting it again restarts it (debounce)."""
    made = QTimer(parent)
    made.setSingleShot(True)
    made.setInterval(after_ms)
    if do is not None:
        made.timeout.connect(do)
    return made
