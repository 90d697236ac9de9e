"""Whole windows are made and painted for the first time within a test, which takes as long as it takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from tests.ui.conftest import Stopwatch
from workbench.ui.look.appearance import Appearance

LONGEST_STALL_MS = 3_000


@pytest.fixture(autouse=True)
def loop_guard(qapp: QApplication, _appearance: Appearance) -> Iterator[Stopwatch]:
    """A guard against hanging; the figures are a benchmark's (bench_window)."""
    watch = Stopwatch()
    yield watch
    longest_ms = watch.longest_ms
    watch.stop()
    assert longest_ms <= LONGEST_STALL_MS, f"the loop stood still for {longest_ms} ms"
