"""A request on its way to a provider."""

from __future__ import annotations

import pytest

from workbench.domain.request import Timeouts, WireBody


@pytest.mark.parametrize(("local", "expected"), [(True, 600.0), (False, 120.0)])
def test_a_model_on_this_computer_may_take_longer_to_begin(local: bool, expected: float):
    assert Timeouts().until_first_token_s(local=local) == expected


def test_what_somebody_chose_holds_everywhere():
    chosen = Timeouts(first_token_s=3.0)
    assert {chosen.until_first_token_s(local=True), chosen.until_first_token_s(local=False)} == {3.0}


# A request as its provider gets it.


def test_a_place_is_told_only_where_a_text_stands_in_one():
    """Anthropic wants a text in blocks; half of it, selected, would pass for the whole."""
    one, other = ("messages", 0, "content"), ("system", 0, "text")
    written = WireBody({}, stretches=((one,), (), (other, ("system", 1, "text"))))
    assert written.places == (one, None, None)
