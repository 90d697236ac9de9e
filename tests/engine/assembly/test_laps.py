"""The stopwatch: each phase is the time since the one before it ended."""

from __future__ import annotations

from tests.fakes.clock import SteppingClock
from workbench.engine.assembly.prepare import Laps


def test_phases_are_timed_one_after_the_other():
    laps = Laps(SteppingClock(step_ms=2.5))
    laps.lap("library")
    laps.lap("render")
    assert laps.milliseconds == {"library": 2.5, "render": 2.5}


def test_a_phase_that_comes_again_adds_up():
    laps = Laps(SteppingClock(step_ms=1.0))
    for phase in ("library", "render", "library"):
        laps.lap(phase)
    assert laps.milliseconds == {"library": 2.0, "render": 1.0}


def test_before_the_first_lap_nothing_was_measured():
    assert Laps(SteppingClock()).milliseconds == {}
