"""The difference of two requests as a value."""

from __future__ import annotations

from workbench.domain.shown.diff_view import DiffCause


def test_two_looks_at_one_difference_are_equal():
    """The texts are made when someone looks: who made them is no difference, or every state would be a new one."""
    one, other = (DiffCause("trimmed", "L4_STRIP", "q1", texts=lambda: ("a", "b")) for _ in range(2))
    assert one == other
    assert DiffCause(None, "L5_USER", "q1").texts() == ("", "")
