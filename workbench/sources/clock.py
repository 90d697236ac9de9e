"""The machine's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class MachineClock:
    """The clock of this computer → Clock."""

    def monotonic_ms(self) -> float:
        """Returns milliseconds since some fixed moment; never goes back."""
        return time.perf_counter() * 1000

    def utc_now(self) -> str:
        """Returns the current time in UTC, to the millisecond."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
