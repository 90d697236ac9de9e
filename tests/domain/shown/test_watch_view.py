"""A watch is on where it has an address."""

from __future__ import annotations

from workbench.domain.shown.sessions_view import WatchView


def test_a_watch_without_an_address_is_off():
    assert not WatchView(problem="no port").on
    assert WatchView("http://127.0.0.1:4040").on
