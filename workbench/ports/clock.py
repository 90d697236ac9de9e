"""Time, as the program may ask for it."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Time for measuring how long something took."""

    def monotonic_ms(self) -> float:
        """Milliseconds since some fixed moment."""


class UtcClock(Protocol):
    """The time of day, for what is written down and for what the model is told."""

    def utc_now(self) -> str:
        """The moment as `2026-01-01T12:00:00Z`."""
