"""What a request will cost is its own tokens at a published price; what runs here costs nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.views import PRICE
from workbench.context.request_cost import request_cost, rereading_cost, runs_here, uncached_forecast
from workbench.domain.caching import CacheForecast


def test_cached_tokens_cost_the_cached_price():
    assert request_cost(WORD_MODEL, PRICE, uncached_forecast(WORD_MODEL, 10)) == 10.0
    assert request_cost(WORD_MODEL, PRICE, CacheForecast("fake", 4, 3, 3)) == 6 + 4 * 0.25
    dear = replace(PRICE, cache_write=1.25e6)
    assert request_cost(WORD_MODEL, dear, CacheForecast("fake", 4, 4, 2)) == 2 + 4 * 1.25 + 4 * 0.25


def test_without_a_price_nobody_knows():
    assert request_cost(WORD_MODEL, None, uncached_forecast(WORD_MODEL, 10)) is None
    assert rereading_cost(WORD_MODEL, None, 10) is None


def test_reading_anew_costs_the_difference():
    assert rereading_cost(WORD_MODEL, PRICE, 8) == 8 - 2


@pytest.mark.parametrize("provider", ["builtin", "gguf", "ollama", "scripted"])
def test_a_model_on_this_computer_is_free(provider: str):
    card = replace(WORD_MODEL, provider=provider)
    assert runs_here(card)
    assert request_cost(card, None, uncached_forecast(card, 10)) == 0.0
    assert rereading_cost(card, None, 10) == 0.0


def test_a_model_elsewhere_is_not():
    assert not runs_here(replace(WORD_MODEL, provider="openai"))
