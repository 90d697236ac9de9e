"""The time of day, handed in so that tests can set it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """What time it is; `behind` is how far this machine's clock was found to be off."""

    def __init__(self, behind: timedelta = timedelta()) -> None:
        self.behind = behind

    def now(self) -> datetime:
        """The server's time, as far as it is known."""
        return datetime.now(UTC) + self.behind

    def learn(self, server: datetime) -> None:
        """Go by the server's clock from now on."""
        self.behind = server - datetime.now(UTC)
