"""The machine's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class MachineClock:
    """Time as this computer measures it."""

    def monotonic_ms(self) -> float:
        """Milliseconds since some fixed moment; never goes back."""
        return time.perf_counter() * 1000

    def utc_now(self) -> str:
        """The moment in UTC, to the millisecond."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
