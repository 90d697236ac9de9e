"""A model card is a value: it compares by content and cannot be changed in place."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from workbench.domain.model import ModelCard

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
