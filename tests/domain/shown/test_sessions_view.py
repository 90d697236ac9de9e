"""Sessions on disk as they are listed."""

from __future__ import annotations

from workbench.domain.shown.sessions_view import SessionLine, SessionsView, WatchView


def test_nothing_is_listed_before_somebody_asks():
    assert SessionsView() == SessionsView(lines=(), more=0, reading=False)
    assert SessionLine("codex", "a.jsonl", "", 1).asked == ""


# A watch is on where it has an address.


def test_a_watch_without_an_address_is_off():
    assert not WatchView(problem="no port").on
    assert WatchView("http://127.0.0.1:4040").on
