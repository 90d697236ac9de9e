"""A side question: asked with everything of a chat, and no part of it."""

from __future__ import annotations

from dataclasses import dataclass

KEPT_DAYS = 30
"""So long a side question is kept in its chat's list."""


@dataclass(frozen=True, slots=True)
class SideQuestion:
    """A side question with its answer, as it is kept beside its chat.

    Attributes:
        after: the last message of the chat when it was asked; empty where there was none.
        asked_utc: when. model: who answered.
        prompt_tokens, cached_tokens, completion_tokens: as the provider reported them.
        predicted_tokens: how many were forecast as cached.
        problem: why the answer broke off, or why there is none; empty where it is complete.
    """

    id: str
    question: str
    answer: str
    asked_utc: str
    model: str
    after: str = ""
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    predicted_tokens: int | None = None
    cost_usd: float | None = None
    total_ms: float = 0.0
    problem: str = ""
