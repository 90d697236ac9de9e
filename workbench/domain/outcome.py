"""The outcome of a turn: exactly one of complete, stopped, interrupted and failed, with its cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workbench.domain.answer import Failure, FinishReason
from workbench.domain.caching import CacheForecast, ProviderSays, Verdict
from workbench.domain.model import Truncation, TurnReport
from workbench.domain.usage import Cost, Usage

EndState = Literal["complete", "stopped", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class Timings:
    """Durations of a turn in milliseconds; `first_token_ms` is None where no token came."""

    build_ms: float = 0.0
    first_token_ms: float | None = None
    total_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class CacheResult:
    """The cache forecast for the last request of a turn, and what the provider reported.

    `says` is the provider's account of a cache miss, where it gives one.
    """

    forecast: CacheForecast
    reported_read_tokens: int | None
    verdict: Verdict
    says: ProviderSays | None = None


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """The end of a turn.

    Attributes:
        answer: the text that arrived, perhaps empty; it is kept in every state.
        failure: why it was interrupted or failed; None otherwise.
        removed_marks: marks of the model's template that had leaked into the end of its answers, and were taken off.
        asked: how many requests were sent.
        report: its last request as it was counted and as it was reported; None where none was sent.
        truncated: a server read far less than it was sent; None where it did not.
        answer_id: what the provider calls its last answer; empty where it cannot be compared with.
        requests: what each request of the turn used, where tools made it more than one; `usage` is their sum.
    """

    state: EndState
    answer: str = ""
    finish_reason: FinishReason | None = None
    failure: Failure | None = None
    usage: Usage = field(default_factory=Usage)
    requests: tuple[Usage, ...] = ()
    cache: CacheResult | None = None
    cost: Cost | None = None
    timings: Timings = field(default_factory=Timings)
    removed_marks: tuple[str, ...] = ()
    asked: int = 0
    answer_id: str = ""
    report: TurnReport | None = None
    truncated: Truncation | None = None
