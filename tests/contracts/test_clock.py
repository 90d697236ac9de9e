"""What every clock does."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.fakes.clock import SteppingClock
from workbench.ports.clock import Clock
from workbench.sources.clock import MachineClock

every_clock = pytest.mark.parametrize(
    "clock", [MachineClock(), SteppingClock()], ids=lambda one: type(one).__name__
)


@every_clock
def test_time_never_goes_back(clock: Clock):
    readings = [clock.monotonic_ms() for _ in range(1000)]
    assert all(earlier <= later for earlier, later in pairwise(readings))


@every_clock
def test_time_passes(clock: Clock):
    started = clock.monotonic_ms()
    for _ in range(1_000_000):
        if clock.monotonic_ms() > started:
            return
    pytest.fail("the clock stands still")
