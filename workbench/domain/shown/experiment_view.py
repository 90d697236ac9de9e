"""An experiment while it is asked: what it will cost, how far it is, and the grid so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.experiment import Experiment, Plan
from workbench.domain.turn import TurnInputs

ExperimentStage = Literal["offered", "working", "done", "failed"]


@dataclass(frozen=True, slots=True)
class ExperimentView:
    """One experiment; only the newest is shown.

    Attributes:
        question, reply: which turn of the chat it is about; without them the next request.
        requests, judgements, tokens: answers that are asked for, requests that judge them, and tokens in.
        expected_usd, most_usd: what it costs with what is cached, and at most; None where no price is known.
        done: how many answers there are; left_s: how long the others take, once that can be told.
        found: what there is of the grid; kept with the question where it is done, also when it was stopped.
        problem: why there is none, in words, or which requests are not asked.
        unsent: what the next request was built from, where that is asked.
    """

    chat: str
    question: str
    reply: str
    plan: Plan
    stage: ExperimentStage = "working"
    requests: int = 0
    judgements: int = 0
    tokens: int = 0
    expected_usd: float | None = None
    most_usd: float | None = None
    done: int = 0
    left_s: float | None = None
    found: Experiment | None = None
    problem: str = ""
    unsent: TurnInputs | None = None

    @property
    def words(self) -> str:
        """What was asked that is not sent yet."""
        return "" if self.unsent is None or self.unsent.question is None else self.unsent.question.text
