"""What a turn came to: its state, what it used, what the cache did, how long it took."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import reduce
from typing import Any

from workbench.context.cache.verdict import Served, verdict
from workbench.domain.answer import Failure
from workbench.domain.outcome import CacheResult, EndState, Timings, TurnOutcome
from workbench.domain.usage import Price, Usage, added, cost_of
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.turn.answering import Answering
from workbench.engine.turn.plan import TurnPlan
from workbench.ports.clock import Clock


class Watch:
    """When the parts of a turn happened."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started = clock.monotonic_ms()
        self._build_ms = 0.0

    def built(self) -> None:
        """The request is ready."""
        self._build_ms = self._clock.monotonic_ms() - self._started

    def timings(self, first_content_ms: float | None) -> Timings:
        """How long it all took, up to now."""
        first = None if first_content_ms is None else first_content_ms - self._started
        return Timings(self._build_ms, first, self._clock.monotonic_ms() - self._started)


def outcome_of(
    answering: Answering, prepared: Prepared, watch: Watch, price: Price | None, shown: int | None = None
) -> TurnOutcome:
    """The outcome of a turn that was sent; `shown` is how much of it was said to be cached, where anybody saw it."""
    arriving = answering.arriving
    usage = reduce(added, answering.requests, Usage())
    # Of several requests the last is the one that is kept and looked at; only the first was shown before.
    several = len(answering.requests) > 1
    judged = (answering.sent or prepared, None) if several else (prepared, shown)
    return TurnOutcome(
        state=_state(answering),
        answer=arriving.text,
        finish_reason=arriving.finish_reason,
        failure=answering.failure,
        usage=usage,
        requests=tuple(answering.requests) if len(answering.requests) > 1 else (),
        cache=_cache(*judged, answering),
        cost=None if price is None else cost_of(usage, price),
        timings=watch.timings(answering.first_content_ms),
        asked=len(answering.requests),
        answer_id=answering.answer_id,
        removed_marks=tuple(dict.fromkeys(answering.removed_marks)),
    )


def refused(prepared: Prepared, watch: Watch) -> TurnOutcome:
    """The outcome of a request that does not fit: it is not sent, and the question stays with its writer."""
    envelope = prepared.built.envelope
    failure = Failure(
        "context",
        f"The request is {envelope.over_by_tokens} tokens over the {envelope.budget.window_tokens} it may have, "
        "after all permitted cuts. Nothing was sent or kept. Detach something, lower its priority, allow more "
        "trimming, or use a model with a larger window.",
        limit_tokens=envelope.budget.context_window_tokens,
        asked_tokens=envelope.total_tokens,
    )
    return TurnOutcome("failed", failure=failure, timings=watch.timings(None))


def more_left_out(plan: TurnPlan, prepared: Prepared, watch: Watch) -> TurnOutcome | None:
    """The outcome where an exact count leaves out more than was shown: it is not sent, so that it is seen first."""
    attached = {artifact.key for artifact in plan.conversation.attached}
    out = {pruned.id for pruned in prepared.built.envelope.cuts.pruned} & attached
    if plan.left_out is None or out <= plan.left_out:
        return None
    more = len(out - plan.left_out)
    files = "1 more attachment stays" if more == 1 else f"{more} more attachments stay"
    failure = Failure(
        "request",
        f"Counted exactly, {files} out of the request than was shown. Nothing was sent, and your words are back: "
        "look at the request, then send it as it is, or choose what stays.",
    )
    return TurnOutcome("failed", failure=failure, timings=watch.timings(None))


def usage_notes(outcome: TurnOutcome) -> dict[str, Any]:
    """What is kept of an outcome with its turn; what nobody reported is not there."""
    notes: dict[str, Any] = {k: v for k, v in asdict(outcome.usage).items() if v is not None}
    notes["finish_reason"] = outcome.finish_reason
    notes["timings_ms"] = timings_ms(outcome.timings)
    if outcome.failure is not None:
        notes["error"] = error_note(outcome.failure)
    if outcome.cache is not None:
        notes["cache"] = cache_note(outcome.cache)
    if outcome.cost is not None:
        notes["cost"] = asdict(outcome.cost)
    if outcome.answer_id:
        notes["answer_id"] = outcome.answer_id
    if outcome.requests:
        notes["requests"] = [asdict(usage) for usage in outcome.requests]
    if outcome.removed_marks:
        notes["removed_marks"] = list(outcome.removed_marks)
    return notes


def timings_ms(timings: Timings) -> dict[str, float | None]:
    """Milliseconds in the names of the headless contract."""
    first = timings.first_token_ms
    return {
        "build": round(timings.build_ms, 1),
        "first_token": None if first is None else round(first, 1),
        "total": round(timings.total_ms, 1),
    }


def error_note(failure: Failure) -> dict[str, Any]:
    """A failure in the names of the headless contract; what is unknown is left out."""
    return {name: value for name, value in asdict(failure).items() if value is not None}


def cache_note(cache: CacheResult) -> dict[str, Any]:
    """A forecast and what became of it, in the names of the headless contract."""
    apart = ("provider", "step_tokens")
    foretold = {name: value for name, value in asdict(cache.forecast).items() if name not in apart}
    note = {
        **{name: value for name, value in foretold.items() if value is not None and value is not False},
        "reported_read_tokens": cache.reported_read_tokens,
        "verdict": cache.verdict,
    }
    return note if cache.says is None else note | {"provider_says": asdict(cache.says)}


def _state(answering: Answering) -> EndState:
    if answering.failure is not None:
        return "interrupted" if answering.anything_arrived else "failed"
    # Pressed too late, Stop has stopped nothing; but calls that were never made are not an answer.
    return "complete" if answering.arriving.finished and not answering.arriving.calls else "stopped"


def _cache(prepared: Prepared, shown: int | None, answering: Answering) -> CacheResult | None:
    """The forecast that its sender saw is the one to be judged."""
    foretold = prepared.forecast
    if foretold is None:
        return None
    sent_tokens = foretold.predicted_read_tokens
    if shown is not None and shown != sent_tokens:
        rest = max(0, sent_tokens + foretold.predicted_write_tokens - shown)
        foretold = replace(foretold, predicted_read_tokens=shown, predicted_write_tokens=rest)
    reported = answering.requests[-1].cached_tokens if answering.requests else None
    served = Served(prepared.built.envelope.total_tokens, reported, prepared.aged_out, sent_tokens)
    if sent_tokens == foretold.predicted_read_tokens:
        served = replace(served, sent_tokens=None)
    distrusted = bool(answering.requests) and answering.requests[-1].distrusted_tokens is not None
    found = "distrusted" if distrusted else verdict(foretold, served)
    return CacheResult(foretold, reported, found, answering.says)
