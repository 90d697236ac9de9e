"""The clock of the scripted conversation: controlled, so that every picture shows the same times."""

from __future__ import annotations

from datetime import datetime, timedelta


class ScriptedClock:
    """A controlled clock: it moves when a scripted server takes its time → Clock, UtcClock."""

    def __init__(self, utc: str) -> None:
        self._now = self._begun = datetime.fromisoformat(utc)

    def monotonic_ms(self) -> float:
        """Milliseconds since the conversation began."""
        return (self._now - self._begun).total_seconds() * 1000

    def utc_now(self) -> str:
        """The time of the script."""
        return self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def go_on(self, seconds: float) -> None:
        """Advance by some seconds."""
        self._now += timedelta(seconds=seconds)

    def wait_until(self, utc: str) -> None:
        """Advance to a time; stay where it is past already."""
        self._now = max(self._now, datetime.fromisoformat(utc))


def utc_at(day: str, at: str, days_before: int = 0) -> str:
    """A time of day on a day, or some days before it."""
    moment = datetime.fromisoformat(f"{day}T{at}:00+00:00") - timedelta(days=days_before)
    return moment.isoformat(timespec="seconds")
