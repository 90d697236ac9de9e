"""A summary in progress: what it would replace and cost, its progress, and the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.summary import Summary, SummaryWish

SummaryStage = Literal["offered", "working", "ready", "refused", "failed"]
"""`refused`: it was made and lost or added a fact, or is no shorter; `failed`: it could not be made."""


@dataclass(frozen=True, slots=True)
class SummaryView:
    """A proposed summary; nothing changes until the user applies it.

    Attributes:
        what: what it replaces, in words; first_turn, last_turn: which turns, most_turn: the last one that could be.
        original, original_tokens: that as it is now, and what it costs.
        model: who writes it; empty where no model does. ask_tokens, cost_usd: what asking costs the first time.
        part, parts: how far it is.
        text, text_tokens: what was made of it, also where it was refused.
        problem: why it was refused, or could not be made, in words.
        summary: what is applied; None where there is nothing to apply.
    """

    chat: str
    wish: SummaryWish
    stage: SummaryStage
    what: str = ""
    first_turn: int = 0
    last_turn: int = 0
    most_turn: int = 0
    original: str = ""
    original_tokens: int = 0
    model: str = ""
    ask_tokens: int = 0
    cost_usd: float | None = None
    part: int = 0
    parts: int = 0
    text: str = ""
    text_tokens: int = 0
    problem: str = ""
    summary: Summary | None = None
