"""A turn as it is listed."""

from __future__ import annotations

from workbench.domain.shown.turn_view import TurnRow


def test_what_nobody_reported_is_not_zero():
    row = TurnRow(1, "q", None, "Why?", "2026-01-01T00:00:00Z", "m", "running", 10)
    reported = (
        row.prompt_tokens,
        row.cached_tokens,
        row.completion_tokens,
        row.predicted_tokens,
        row.cost_usd,
    )
    assert reported == (None,) * 5
    assert (row.broke, row.digest, row.shown_digest, row.change) == (None, "", "", None)
