"""A model card is a value: it compares by content and cannot be changed in place."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from workbench.domain.model import ModelCard, ModelFacts, with_declared

CARD = ModelCard(
    name="gpt-4o",
    provider="openai",
    context_window_tokens=128_000,
    max_output_tokens=16_384,
    tokenizer="o200k_base",
    exact=True,
    message_tokens=3,
    reply_tokens=3,
    cache_rules="openai",
    as_of="2026-11-15",
)


def test_equal_facts_are_equal_cards():
    assert replace(CARD) == CARD
    assert hash(replace(CARD)) == hash(CARD)
    assert replace(CARD, exact=False) != CARD


def test_a_card_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        CARD.context_window_tokens = 1  # type: ignore[misc]


def test_what_a_person_says_stays_whatever_a_server_says_later():
    assumed = replace(CARD, window_assumed=True)
    said = ModelFacts(context_window=8192).on(assumed)
    assert (said.context_window_tokens, said.window_assumed, said.declared) == (
        8192,
        False,
        ("context_window_tokens",),
    )
    refined = with_declared(replace(assumed, context_window_tokens=4096, images=False), said)
    assert (refined.context_window_tokens, refined.images, refined.window_assumed) == (8192, False, False)
    assert ModelFacts().on(assumed) is assumed
    assert ModelFacts(tools=False).on(assumed).window_assumed


def test_a_cache_for_an_hour_has_rules_of_its_own_where_there_is_one():
    hour = ModelFacts(cache_lifetime="1h")
    card = hour.on(replace(CARD, cache_rules="anthropic"))
    assert (card.cache_rules, card.declared) == ("anthropic-1h", ("cache_rules",))
    assert with_declared(replace(CARD, cache_rules="anthropic"), card).cache_rules == "anthropic-1h"
    assert hour.on(replace(CARD, cache_rules="openai")).cache_rules == "openai"
    assert (
        ModelFacts(cache_lifetime="5m").on(replace(CARD, cache_rules="anthropic")).cache_rules == "anthropic"
    )


def test_a_chat_chooses_the_lifetime_of_its_cache_over_what_is_declared():
    short, hour = (replace(CARD, cache_rules=rules) for rules in ("anthropic", "anthropic-1h"))
    assert short.lasting("1h").cache_rules == hour.lasting("1h").cache_rules == "anthropic-1h"
    assert short.lasting("5m").cache_rules == hour.lasting("5m").cache_rules == "anthropic"
    assert (short.lasting(None), hour.lasting(None)) == (short, hour)
    assert replace(CARD, cache_rules="openai").lasting("1h").cache_rules == "openai"
    assert replace(short, declared=("tools",)).lasting("1h").declared == ("tools", "cache_rules")
    assert short.lasting("1h") is short.lasting("1h")
