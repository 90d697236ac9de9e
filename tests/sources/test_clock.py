"""The machine's clock measures in milliseconds."""

from __future__ import annotations

import time

from workbench.sources.clock import MachineClock


def test_it_counts_milliseconds():
    before = time.perf_counter_ns()
    measured = MachineClock().monotonic_ms()
    after = time.perf_counter_ns()
    assert before / 1e6 <= measured <= after / 1e6
