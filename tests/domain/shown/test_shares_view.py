"""The lines of the chart over a chat's turns."""

from __future__ import annotations

from workbench.domain.shown.turn_view import LayoutShares, ShareLine


def test_something_is_known_as_soon_as_one_line_knows_a_turn():
    nothing = ShareLine("sent", (None, None))
    assert not LayoutShares().known
    assert not LayoutShares((1, 2), (nothing,)).known
    assert LayoutShares((1, 2), (nothing, ShareLine("layered", (None, 0.0), 0.0, 9))).known
