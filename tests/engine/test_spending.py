from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import build, user
from workbench.domain.change import Built
from workbench.domain.errors import InvalidInput
from workbench.domain.usage import Price, Usage
from workbench.engine.spending import Purse

HOSTED = replace(WORD_MODEL, provider="openai")
PRICE = Price(HOSTED.name, 2.0, 8.0, "2026-01-01", 0.5, 2.5)


def request(exact: bool = True) -> Built:
    built = build(question=user("q", "One two three"))
    return Built(built.inputs, replace(built.envelope, total_tokens=1_000, exact=exact))


def test_a_request_is_reserved_at_the_most_it_can_come_to():
    purse = Purse(HOSTED, PRICE, 1.0)
    assert purse.most(request(), 100) == pytest.approx((1_000 * 2.5 + 100 * 8.0) / 1e6)
    assert purse.most(request(exact=False), 100) == pytest.approx((1_250 * 2.5 + 100 * 8.0) / 1e6)


def test_the_cap_is_never_passed_and_what_was_cached_is_given_back():
    most = (1_000 * 2.5 + 100 * 8.0) / 1e6
    purse = Purse(HOSTED, PRICE, 1.5 * most)
    assert purse.allows(most)
    purse.pay(Usage(1_000, 1_000, 0, 50), most)
    assert purse.spent_usd == pytest.approx((1_000 * 0.5 + 50 * 8.0) / 1e6)
    assert purse.allows(most)
    purse.pay(Usage(), most)  # not reported: the most is taken for it
    assert not purse.allows(most)


def test_a_model_that_runs_here_costs_nothing_under_any_cap():
    purse = Purse(replace(WORD_MODEL, provider="builtin"), None, 0.0)
    assert purse.most(request(), 100) == 0.0
    assert purse.allows(0.0)
    purse.pay(Usage(1_000, 0, 0, 50), 0.0)
    assert purse.spent_usd == 0.0


def test_without_a_price_there_is_no_cap():
    with pytest.raises(InvalidInput, match="no price is known"):
        Purse(HOSTED, None, 1.0)
    purse = Purse(HOSTED, None, None)
    assert purse.most(request(), 100) is None
    assert purse.allows(None)
    purse.pay(Usage(1, 1, 1, 1), None)
    assert purse.spent_usd is None


@pytest.mark.parametrize("cap", [-1.0, float("nan"), float("inf")])
def test_a_cap_below_nothing_or_without_a_number_is_no_cap(cap: float):
    with pytest.raises(InvalidInput, match="expected dollars"):
        Purse(HOSTED, PRICE, cap)
