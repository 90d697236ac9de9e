"""A catalogue of one model, whose framing is easy to add up: four tokens a message, two for the answer."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.model import ModelCard

WORD_MODEL = ModelCard(
    name="word-1",
    provider="fake",
    context_window_tokens=1000,
    max_output_tokens=None,
    tokenizer="words",
    exact=True,
    message_tokens=3,
    reply_tokens=2,
    cache_rules=None,
    as_of="2026-01-01",
)
CACHED_MODEL = replace(WORD_MODEL, name="word-cached", cache_rules="some")
"""One whose provider has a cache, so that a stable prefix is spared."""


class FakeCatalogue:
    """Knows the models it was given, by their exact names."""

    def __init__(self, *cards: ModelCard) -> None:
        self._cards = {card.name: card for card in cards or (WORD_MODEL, CACHED_MODEL)}

    def find(self, name: str) -> ModelCard:
        """The model's card; an unknown name gets the first one's, as an estimate."""
        return self._cards.get(name) or replace(next(iter(self._cards.values())), name=name, exact=False)

    def names_of(self, provider: str) -> tuple[str, ...]:
        """Those of the provider."""
        return tuple(name for name, card in self._cards.items() if card.provider == provider)
