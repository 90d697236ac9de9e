"""Prices are found by the longest entry and the provider that is paid, and a broken list says where it is broken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.catalogue import WORD_MODEL
from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelFacts
from workbench.domain.usage import Price, Usage, cost_of
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.prices import load_prices
from workbench.sources.resources import resource_path

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
SHIPPED = load_prices(RESOURCES / "prices.toml")
MODELS = load_catalogue(RESOURCES / "models.toml")

HEAD = 'format = "workbench-prices/1"\n[[family]]\nprovider = "p"\nas_of = "2026-11-15"\n'


@pytest.mark.parametrize(
    ("asked", "entry"),
    [
        ("gpt-4o", "gpt-4o"),
        ("openai:gpt-4o-2024-08-06", "gpt-4o"),
        ("openai:gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-4.1-nano", "gpt-4.1-nano"),
        ("gpt-5.1-chat-latest", "gpt-5.1"),
        ("o3-mini", "o3-mini"),
        ("anthropic:claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("deepseek-chat", "deepseek-chat"),
    ],
)
def test_a_model_costs_what_its_longest_entry_says(asked: str, entry: str):
    found = SHIPPED.price(MODELS.find(asked))
    assert found is not None
    assert found.model == entry


@pytest.mark.parametrize(
    "asked",
    [
        "builtin",
        "gguf:/models/gpt-4o.gguf",
        "ollama:deepseek-chat",
        "ollama:gpt-4o",
        "server:http://127.0.0.1:8080/v1#gpt-4o",
        "openrouter:anthropic/claude-sonnet-4.5",
        "azure:gpt-4o",
        "nobody-knows",
        "openai:gpt-99",
        "claude-not-yet-known",
        "",
    ],
)
def test_no_price_is_not_the_same_as_a_guess(asked: str):
    """What runs at home, at somebody else's server or under an unknown name must not be shown at another's price."""
    assert SHIPPED.price(MODELS.find(asked)) is None


def test_a_name_matches_at_word_boundaries_only():
    for name in ("gpt-4omni", "o30", "gpt"):
        assert SHIPPED.price(replace(WORD_MODEL, name=name, provider="openai")) is None


def test_every_price_is_dated_and_in_order():
    assert len(SHIPPED.prices) > 50
    for (provider, name), one in SHIPPED.prices.items():
        assert "2025-01-01" < one.as_of <= "2026-11-15", name
        assert 0 < one.input <= one.output, name
        assert one.cached is None or 0 < one.cached < one.input, name
        assert one.cache_write is None or one.cache_write > one.input, name
        assert provider in ("openai", "anthropic", "gemini", "deepseek")


def test_anthropic_s_cache_costs_a_quarter_more_to_write_and_a_tenth_to_read():
    """As published for all of them: an entry that differs is a typing error, or rounded and named here."""
    rounded = {"claude-3-haiku"}
    for (provider, name), one in SHIPPED.prices.items():
        if provider == "anthropic" and one.cached is not None and one.model not in rounded:
            assert one.cache_write == pytest.approx(1.25 * one.input), name
            assert one.cached == pytest.approx(0.1 * one.input), name


def test_a_turn_is_priced_by_its_parts():
    price = SHIPPED.price(MODELS.find("claude-opus-4-5"))
    assert price is not None
    cost = cost_of(Usage(1_000_000, 500_000, 250_000, 100_000), price)
    assert cost is not None
    assert cost.usd == pytest.approx(0.25 * 5 + 0.5 * 0.5 + 0.25 * 6.25 + 0.1 * 25)


def test_what_is_not_said_has_no_price_of_its_own(tmp_path: Path):
    path = tmp_path / "prices.toml"
    path.write_text(HEAD + 'models = [{ name = "M.1", input = 2, output = 3, as_of = "2026-01-31" }]')
    table = load_prices(path)
    card = replace(WORD_MODEL, name="m-1-beta", provider="p")
    assert table.price(card) == Price("M.1", 2.0, 3.0, "2026-01-31")
    assert table.price(replace(card, provider="q")) is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "format: missing"),
        ("x = ", "the price list cannot be read: Invalid value"),
        ('format = "workbench-prices/1"', "family: missing"),
        ('format = "workbench-prices/1"\nfamily = [1]', "family[0]: expected an object, got 1"),
        ('format = "workbench-prices/1"\n[[family]]', "family[0].provider: missing"),
        (HEAD, "family[0].models: missing"),
        (HEAD + "models = [1]", "family[0].models[0]: expected an object, got 1"),
        (HEAD + "models = [{}]", "family[0].models[0].name: missing"),
        (HEAD + 'models = [{ name = "m", input = 1 }]', "family[0].models[0].output: missing"),
        (
            HEAD + 'models = [{ name = "m", input = -1, output = 1 }]',
            "family[0].models[0].input: expected a number 0..100000",
        ),
        (
            HEAD + 'models = [{ name = "m", input = nan, output = 1 }]',
            "family[0].models[0].input: expected a number 0..100000",
        ),
        (
            HEAD + 'models = [{ name = "m", input = true, output = 1 }]',
            "family[0].models[0].input: expected a number 0..100000",
        ),
        (HEAD + 'models = [{ name = "m", currency = "EUR" }]', "family[0].models[0].currency: unknown field"),
        (
            HEAD + 'models = [{ name = "m", input = 1, output = 1, as_of = "lately" }]',
            "family[0].models[0].as_of: expected a date",
        ),
    ],
)
def test_a_broken_list_names_the_field(tmp_path: Path, content: str, complaint: str):
    path = tmp_path / "prices.toml"
    path.write_text(content)
    with pytest.raises(InvalidInput) as caught:
        load_prices(path)
    assert str(caught.value).startswith(f"{path}: {complaint}")


def test_a_missing_list_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"nowhere\.toml: the price list cannot be read"):
        load_prices(tmp_path / "nowhere.toml")


def test_writing_for_an_hour_costs_twice_the_input():
    """Anthropic: five minutes cost a quarter more than the input, an hour twice as much."""
    card = load_catalogue(resource_path("models.toml")).find("anthropic:claude-opus-5")
    prices, rules = load_prices(resource_path("prices.toml")), load_rules(resource_path("cache-rules.toml"))
    hour = ModelFacts(cache_lifetime="1h").on(card)
    found = [(prices.price(one), rules.rules(one)) for one in (card, hour)]
    assert [price.cache_write for price, _ in found if price] == [6.25, 10.0]
    assert [(one.lifetime_s, one.minimum_tokens) for _, one in found if one] == [(300, 512), (3600, 512)]
