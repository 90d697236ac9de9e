"""Durations of animations: zero if the user asked for less motion, and in scripted pictures."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QTimer, QVariantAnimation, Signal, SignalInstance
from PySide6.QtWidgets import QApplication, QStyle, QWidget

PROPERTY = "workbench_still"


def duration(widget: QWidget, ms: int) -> int:
    """The duration of an animation in a widget; 0 if animations are off."""
    app = QApplication.instance()
    if app is None or app.property(PROPERTY) or not widget.isVisible():
        return 0
    told = widget.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, widget)
    return ms if told else 0


def reduce_motion(still: bool) -> None:
    """Switch all animations off, or on again."""
    app = QApplication.instance()
    if app is not None:
        app.setProperty(PROPERTY, still)


def is_still(widget: QWidget) -> bool:
    """Whether animations are off in a widget."""
    return duration(widget, 1) == 0


class Glide(QObject):
    """Animates a number: `moved` has each step, `settled` is emitted at the end; a new animation replaces the old."""

    moved = Signal(float)
    settled = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._animation = QVariantAnimation(self)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._on_step)
        self._animation.finished.connect(self.settled)

    def go(self, start: float, end: float, ms: int) -> None:
        """Animate from one number to another; at once if `ms` is 0."""
        self._animation.stop()
        if ms <= 0:
            # Qt tells no step of an animation that is over at once and ends where the last one did.
            self.moved.emit(end)
            self.settled.emit()
            return
        self._animation.setDuration(ms)
        self._animation.setStartValue(float(start))
        self._animation.setEndValue(float(end))
        self._animation.start()

    def _on_step(self, number: float) -> None:
        self.moved.emit(number)


# Timers that fire once after each start.


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
