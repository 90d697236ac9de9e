"""Comparison of requests: the same question under different settings, in figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workbench.domain.envelope import WireLayout
from workbench.domain.experiment import Experiment, Plan
from workbench.domain.segment import LayerName
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import Variant


@dataclass(frozen=True, slots=True)
class ComparisonColumn:
    """One request of a comparison.

    Attributes:
        patch: what its variant changes, by name; nothing for a request as it was sent.
        limit_tokens: what the request may have; over_tokens: how far it is over that.
        layers: tokens a layer, in wire order.
        dropped, shortened, left_out: ids of what is not sent, sent in part, or left out by hand.
        cached_tokens: what the provider's cache would serve, had the chat been held this way from its first turn; None
            where unknown. usd: the price of that request without its answer.
        switch_cached_tokens, switch_usd: the same, were the chat switched to it with this very request.
        parts: tokens in wire order, neighbours of one layer as one. reserve_tokens: kept for the reply.
        threshold_tokens: from where old messages are trimmed; None where they are not.
    """

    name: str
    patch: tuple[tuple[str, str], ...]
    model: str
    layout: WireLayout
    exact: bool
    tokens: int
    limit_tokens: int
    over_tokens: int
    layers: tuple[tuple[LayerName, int], ...]
    dropped: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    cached_tokens: int | None = None
    usd: float | None = None
    switch_cached_tokens: int | None = None
    switch_usd: float | None = None
    parts: tuple[tuple[LayerName, int], ...] = ()
    reserve_tokens: int = 0
    threshold_tokens: int | None = None

    @property
    def fits(self) -> bool:
        return self.over_tokens == 0

    @property
    def free_tokens(self) -> int:
        return max(0, self.limit_tokens - self.tokens)

    def tokens_of(self, layer: LayerName) -> int:
        return dict(self.layers).get(layer, 0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Columns for one question; the others are compared with the first.

    Attributes:
        chat, turn: whose request it is; the turn is None for the next one.
        problems: variants that could not be built, by name, and why.
        variants: all that are wanted, in their order. played, turns: how many requests of all were built.
        asked: what the first one started from, which variants change.
    """

    chat: str
    turn: int | None
    columns: tuple[ComparisonColumn, ...]
    problems: tuple[tuple[str, str], ...] = ()
    variants: tuple[Variant, ...] = ()
    played: int = 0
    turns: int = 0
    asked: TurnInputs | None = field(default=None, compare=False, repr=False)

    @property
    def first(self) -> ComparisonColumn | None:
        """The column that the others are compared with; None while it is being loaded."""
        return self.columns[0] if self.columns else None

    @property
    def is_done(self) -> bool:
        """Whether every variant was built or has failed."""
        return len(self.columns) + len(self.problems) > len(self.variants) and self.played == self.turns

    def column(self, name: str) -> ComparisonColumn | None:
        """The column of a variant; None where it does not exist, or not yet."""
        return next((one for one in self.columns[1:] if one.name == name), None)

    def problem(self, name: str) -> str:
        """Why a variant could not be built; empty where it could, or was not tried yet."""
        return dict(self.problems).get(name, "")


# An experiment while it is asked: what it will cost, how far it is, and the grid so far.


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
        """The question that is not sent yet."""
        return "" if self.unsent is None or self.unsent.question is None else self.unsent.question.text
