"""A prompt in seed 003's shape: system text, context, what the user says now, and the time it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.domain.message import Entry


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything a model is asked with, before it is rendered for a provider."""

    system: str
    context: tuple[Entry, ...]
    user_input: str
    now_utc: str
    hints: Mapping[str, str] = field(default_factory=dict)
