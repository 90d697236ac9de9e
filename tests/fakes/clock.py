"""A clock that a test winds: every look at it takes the same time."""

from __future__ import annotations


class SteppingClock:
    """Advances by a fixed step at every reading."""

    def __init__(self, step_ms: float = 1.0) -> None:
        self._step_ms = step_ms
        self._now_ms = 0.0

    def monotonic_ms(self) -> float:
        """Milliseconds since the clock was made."""
        self._now_ms += self._step_ms
        return self._now_ms
