"""How long each phase of a build took."""

from __future__ import annotations

from workbench.ports.clock import Clock


class Laps:
    """A stopwatch: each phase is the time since the one before it ended.

    Attributes:
        milliseconds: time by phase, in the order the phases ended.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock.monotonic_ms()
        self.milliseconds: dict[str, float] = {}

    def lap(self, phase: str) -> None:
        now = self._clock.monotonic_ms()
        self.milliseconds[phase] = self.milliseconds.get(phase, 0.0) + now - self._last
        self._last = now
