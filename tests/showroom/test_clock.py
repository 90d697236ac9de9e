"""The clock of the scripted conversation moves only when something takes time."""

from __future__ import annotations

from workbench.showroom.setup import ScriptedClock, utc_at


def test_time_moves_only_when_something_takes_it_and_never_back():
    clock = ScriptedClock("2026-11-12T13:00:00+00:00")
    clock.go_on(1.5)
    assert (clock.monotonic_ms(), clock.utc_now()) == (1500, "2026-11-12T13:00:01.500Z")
    clock.wait_until("2026-11-12T12:00:00+00:00")
    assert clock.utc_now() == "2026-11-12T13:00:01.500Z"
    clock.wait_until(utc_at("2026-11-13", "09:30", 1))
    assert clock.utc_now() == "2026-11-12T13:00:01.500Z"
    clock.wait_until(utc_at("2026-11-13", "09:30"))
    assert clock.utc_now() == "2026-11-13T09:30:00.000Z"
