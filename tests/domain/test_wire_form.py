"""A request as its provider gets it."""

from __future__ import annotations

from workbench.domain.request import WireBody


def test_a_place_is_told_only_where_a_text_stands_in_one():
    """Anthropic wants a text in blocks; half of it, selected, would pass for the whole."""
    one, other = ("messages", 0, "content"), ("system", 0, "text")
    written = WireBody({}, stretches=((one,), (), (other, ("system", 1, "text"))))
    assert written.places == (one, None, None)
