"""What Ollama says about its models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.domain.model import ModelCard
from workbench.providers.wire.loose_values import count_in, table_in, tables_in, text_in

_SMALLEST_WINDOW_TOKENS = 256


def names_in(tags: Mapping[str, Any]) -> tuple[str, ...]:
    """The models that are installed."""
    named = (text_in(entry, "model") for entry in tables_in(tags, "models"))
    return tuple(filter(None, named))


def refined(known: ModelCard, show: Mapping[str, Any]) -> ModelCard:
    """The card with the model's real window, and whether it can be told of tools."""
    # The client's own name for what is `model_info` on the wire.
    window_tokens = _window_tokens(table_in(show, "modelinfo"))
    capabilities = show.get("capabilities")
    # Older servers do not list them; then what is known stays.
    tools = "tools" in capabilities if isinstance(capabilities, list) and capabilities else known.tools
    return replace(known, context_window_tokens=window_tokens or known.context_window_tokens, tools=tools)


def _window_tokens(facts: Mapping[str, Any]) -> int | None:
    """`llama.context_length` and the like; the architecture tells which, where a model has several parts."""
    own = f"{text_in(facts, 'general.architecture')}.context_length"
    others = [key for key in facts if key.endswith(".context_length")]
    counts = (count_in(facts, key) for key in (own, *others))
    return next((n for n in counts if n is not None and n >= _SMALLEST_WINDOW_TOKENS), None)
