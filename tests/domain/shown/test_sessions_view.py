"""Sessions on disk as they are listed."""

from __future__ import annotations

from workbench.domain.shown.sessions_view import SessionLine, SessionsView


def test_nothing_is_listed_before_somebody_asks():
    assert SessionsView() == SessionsView(lines=(), more=0, reading=False)
    assert SessionLine("codex", "a.jsonl", "", 1).asked == ""
