"""What an OpenAI-compatible server says about its models, in the fields that different servers use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.domain.model import ModelCard
from workbench.providers.wire.loose_values import count_in, table_in, tables_in, text_in

# vLLM; OpenRouter and others; Groq; LM Studio.
_WINDOW_FIELDS = (
    "max_model_len",
    "context_length",
    "context_window",
    "loaded_context_length",
    "max_context_length",
)
_SMALLEST_WINDOW_TOKENS = 256
_LARGEST_WINDOW_TOKENS = 100_000_000


def names_in(listing: Mapping[str, Any]) -> tuple[str, ...]:
    """The models that are served."""
    return tuple(name for name in (text_in(entry, "id") for entry in tables_in(listing, "data")) if name)


def refined(known: ModelCard, listing: Mapping[str, Any], model: str) -> ModelCard:
    """The card with the window the server has; as it is where the server does not say."""
    entries = tables_in(listing, "data")
    mine = [entry for entry in entries if text_in(entry, "id") == model]
    # A server with one model serves it under any name.
    entry = mine[0] if mine else entries[0] if len(entries) == 1 else {}
    window_tokens = _window_tokens(entry)
    return known if window_tokens is None else replace(known, context_window_tokens=window_tokens)


def _window_tokens(entry: Mapping[str, Any]) -> int | None:
    top = table_in(entry, "top_provider")
    counts = [
        # OpenRouter: the window of the provider that answers first may be smaller than the model's.
        count_in(top, "context_length"),
        *(count_in(entry, name) for name in _WINDOW_FIELDS),
        count_in(table_in(entry, "meta"), "n_ctx"),
    ]
    usable = (n for n in counts if n is not None and _SMALLEST_WINDOW_TOKENS <= n <= _LARGEST_WINDOW_TOKENS)
    return next(usable, None)
