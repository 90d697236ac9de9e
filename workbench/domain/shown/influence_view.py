"""Influence while it is measured: how far it is, how long it takes still, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.influence import Influence, InfluenceWish

InfluenceStage = Literal["offered", "working", "done", "failed"]


@dataclass(frozen=True, slots=True)
class InfluenceView:
    """One measurement; only the newest is shown.

    Attributes:
        question, reply: which turn of the chat it is about.
        done, planned: how many requests are through; left_s: how long the others take, once that can be told.
        cost_usd: what it costs at most, told before; 0 where the model runs here, None where no price is known.
        result: what there is so far; kept with the answer where it is done, also when it was stopped.
        problem: why there is none, in words.
    """

    chat: str
    question: str
    reply: str
    wish: InfluenceWish
    stage: InfluenceStage = "working"
    done: int = 0
    planned: int = 0
    left_s: float | None = None
    cost_usd: float | None = None
    result: Influence | None = None
    problem: str = ""
