"""Usage in one meaning, and what it costs."""

from __future__ import annotations

import pytest

from workbench.domain.usage import Cost, Price, Usage, added, believed, cost_of

PRICE = Price("m", input=10.0, output=20.0, as_of="2026-11-01", cached=1.0, cache_write=12.5)


def test_not_reported_is_not_zero():
    assert added(Usage(prompt_tokens=5), Usage(prompt_tokens=7)) == Usage(prompt_tokens=12)
    assert added(Usage(), Usage(cached_tokens=0)) == Usage(cached_tokens=0)


def test_cached_and_written_tokens_have_their_own_price():
    usage = Usage(prompt_tokens=1000, cached_tokens=600, cache_write_tokens=100, completion_tokens=50)
    assert cost_of(usage, PRICE) == Cost((300 * 10 + 600 * 1 + 100 * 12.5 + 50 * 20) / 1e6, "2026-11-01")


def test_without_a_cache_price_the_input_price_holds():
    plain = Price("m", input=10.0, output=20.0, as_of="2026-11-01")
    usage = Usage(prompt_tokens=1000, cached_tokens=600, completion_tokens=0)
    assert cost_of(usage, plain) == Cost(0.01, "2026-11-01")


@pytest.mark.parametrize("usage", [Usage(), Usage(prompt_tokens=5), Usage(completion_tokens=5)])
def test_what_nobody_reported_has_no_price(usage: Usage):
    assert cost_of(usage, PRICE) is None


def test_a_cache_cannot_have_served_more_than_was_asked():
    assert believed(Usage(100, 180)) == Usage(100, None, distrusted_tokens=180)
    for usage in (Usage(100, 100), Usage(None, 180), Usage(100)):
        assert believed(usage) == usage
    both = added(believed(Usage(100, 180)), Usage(50, 20))
    assert (both.prompt_tokens, both.cached_tokens, both.distrusted_tokens) == (150, 20, 180)
