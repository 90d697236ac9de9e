"""The price of a step, as a value."""

from __future__ import annotations

from workbench.domain.shown.envelope_view import PriceTag, StepPrice


def test_a_step_is_free_where_nothing_is_cached_that_it_could_cost():
    assert PriceTag(cached_tokens=0).free
    assert not PriceTag(cached_tokens=1).free
    assert not PriceTag().free, "nobody can say"


def test_a_price_belongs_to_the_step_it_was_asked_for():
    assert StepPrice("pin", PriceTag()) != StepPrice("drop", PriceTag())
