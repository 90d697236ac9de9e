"""A turn as it is listed."""

from __future__ import annotations

from workbench.domain.shown.turn_view import LayoutShares, ShareLine, TurnRow


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


# The lines of the chart over a chat's turns.


def test_something_is_known_as_soon_as_one_line_knows_a_turn():
    nothing = ShareLine("sent", (None, None))
    assert not LayoutShares().known
    assert not LayoutShares((1, 2), (nothing,)).known
    assert LayoutShares((1, 2), (nothing, ShareLine("layered", (None, 0.0), 0.0, 9))).known
