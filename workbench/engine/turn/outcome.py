"""The outcome of a turn, and its record in the store: created with its question, completed with its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import reduce
from typing import Any

from workbench.context.cache.forecast import Served, verdict
from workbench.context.outgoing import parameters_report
from workbench.context.request_cost import runs_here
from workbench.domain.answer import Failure
from workbench.domain.change import Built
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.message import Message
from workbench.domain.model import ModelCard, not_continued_words
from workbench.domain.outcome import CacheResult, EndState, Timings, TurnOutcome
from workbench.domain.recall import found_of, quoted_message
from workbench.domain.record import PREFILL, Record, Standing, TurnLine, TurnRecord
from workbench.domain.translation import tr, with_values_noted
from workbench.domain.usage import Price, Usage, added, cost_of
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import after_turn
from workbench.engine.learning import counted_note
from workbench.engine.turn.answering import Answering
from workbench.engine.turn.planning import TurnPlan
from workbench.engine.world import World
from workbench.ports.clock import Clock


class TurnStopwatch:
    """Times of the phases of a turn."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started = clock.monotonic_ms()
        self._build_ms = 0.0

    def built(self) -> None:
        self._build_ms = self._clock.monotonic_ms() - self._started

    def timings(self, first_content_ms: float | None) -> Timings:
        first = None if first_content_ms is None else first_content_ms - self._started
        return Timings(self._build_ms, first, self._clock.monotonic_ms() - self._started)


def outcome_of(
    answering: Answering,
    prepared: Prepared,
    watch: TurnStopwatch,
    price: Price | None,
    shown: int | None = None,
) -> TurnOutcome:
    """Outcome of a turn that was sent; `shown` is the forecast of cached tokens its sender saw, if any."""
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
        cache=_cache_result(*judged, answering),
        cost=None if price is None else cost_of(usage, price),
        timings=watch.timings(answering.first_content_ms),
        asked=len(answering.requests),
        answer_id=answering.answer_id,
        removed_marks=tuple(dict.fromkeys(answering.removed_marks)),
    )


def refused(prepared: Prepared, watch: TurnStopwatch) -> TurnOutcome:
    """Outcome of a request that does not fit: it is not sent, and the question goes back to its writer."""
    envelope = prepared.built.envelope
    failure = Failure(
        "context",
        tr(
            "The request is {over_by_tokens} tokens over the {window_tokens} it "
            "may have, after all permitted cuts. Nothing was sent or kept. Detach "
            "something, lower its priority, allow more trimming, or use a model "
            "with a larger window.",
            over_by_tokens=envelope.over_by_tokens,
            window_tokens=envelope.budget.window_tokens,
        ),
        limit_tokens=envelope.budget.context_window_tokens,
        asked_tokens=envelope.total_tokens,
    )
    return TurnOutcome("failed", failure=failure, timings=watch.timings(None))


def not_continued(card: ModelCard, watch: TurnStopwatch) -> TurnOutcome:
    """Outcome of a question whose answer is begun, for a model that would not go on with it: it is not sent."""
    failure = Failure(
        "request",
        tr(
            "{not_continued_words}. Nothing was sent. Take the beginning away, or "
            "choose a model that continues one.",
            not_continued_words=not_continued_words(card),
        ),
    )
    return TurnOutcome("failed", failure=failure, timings=watch.timings(None))


def more_left_out(plan: TurnPlan, prepared: Prepared, watch: TurnStopwatch) -> TurnOutcome | None:
    """Outcome if exact counts would leave out more than was shown: it is not sent until that is seen."""
    attached = {artifact.key for artifact in plan.conversation.attached}
    out = {pruned.id for pruned in prepared.built.envelope.cuts.pruned} & attached
    short = {key for key, _, _ in shortened_files(prepared.built)}
    more = 0 if plan.left_out is None else len(out - plan.left_out)
    cut = 0 if plan.shortened is None else len(short - plan.shortened)
    if not more and not cut:
        return None
    files = tr("1 more file stays out") if more == 1 else tr("{more} more files stay out", more=more)
    if not more:
        files = tr("1 more file is cut") if cut == 1 else tr("{cut} more files are cut", cut=cut)
    failure = Failure(
        "request",
        tr(
            "Of what is attached {files} than was shown. Nothing was sent, and "
            "your words are back: look at the request, then send it as it is, or "
            "choose what stays.",
            files=files,
        ),
    )
    return TurnOutcome("failed", failure=failure, timings=watch.timings(None))


def usage_notes(outcome: TurnOutcome) -> dict[str, Any]:
    """Notes on an outcome, stored with its turn; figures that nobody reported are missing."""
    notes: dict[str, Any] = {k: v for k, v in asdict(outcome.usage).items() if v is not None}
    notes["finish_reason"] = outcome.finish_reason
    notes["timings_ms"] = timings_ms(outcome.timings)
    if outcome.failure is not None:
        notes["error"] = with_values_noted(error_note(outcome.failure))
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
    """Milliseconds under the names of the headless contract."""
    first = timings.first_token_ms
    return {
        "build": round(timings.build_ms, 1),
        "first_token": None if first is None else round(first, 1),
        "total": round(timings.total_ms, 1),
    }


def error_note(failure: Failure) -> dict[str, Any]:
    """A failure under the names of the headless contract, without unknown fields."""
    return {name: value for name, value in asdict(failure).items() if value is not None}


def cache_note(cache: CacheResult) -> dict[str, Any]:
    """A forecast and its verdict, under the names of the headless contract."""
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


def _cache_result(prepared: Prepared, shown: int | None, answering: Answering) -> CacheResult | None:
    """The forecast with its verdict; the forecast that the sender saw is the one judged."""
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


# What is noted with a turn about its request, so that a list of turns need not read every request again.


def request_note(prepared: Prepared, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Notes on a request for lists, with the parameters sent: free ones, and those from the settings."""
    envelope, change = prepared.built.envelope, prepared.change
    note: dict[str, Any] = {
        "model": envelope.model,
        "local": runs_here(prepared.built.inputs.model),
        "total_tokens": envelope.total_tokens,
        "layout": envelope.layout,
        "rebuilt": envelope.rebuilt,
        "layers": {layer.name: layer.total_tokens for layer in envelope.layers},
        "change": change.change,
        "causes": [[cause.cause, cause.subject] for cause in change.causes],
        "trimmed_up_to": envelope.cuts.trim.boundary,
        "threshold_tokens": envelope.budget.threshold_tokens,
    }
    chosen = parameters_report(prepared.built)
    beside = {
        "shortened": [list(one) for one in shortened_files(prepared.built)],
        "quoted": [list(one) for one in folder_quotes(prepared.built)],
        "parameters": dict(parameters),
        "chosen": chosen.get("parameters"),
        "not_sent": chosen.get("parameters_not_sent"),
    }
    return note | {name: value for name, value in beside.items() if value} | counted_note(prepared)


def shortened_files(built: Built) -> list[tuple[str, int, int]]:
    """Attached files that were sent in part: key, tokens sent, and tokens in all."""
    attached = {artifact.key for artifact in built.inputs.attached}
    return [
        (one.id, one.to_tokens, one.from_tokens)
        for one in built.envelope.cuts.compacted
        if one.id in attached
    ]


def folder_quotes(built: Built) -> list[tuple[str, str, str]]:
    """What a request quotes from followed folders for its question: key, file and section, as it stands there."""
    found = {one.id: one for one in built.inputs.found if one.folder and not one.reserved}
    sent = (
        one for layer in built.envelope.layers for one in layer.segments if one.kind == "quoted" and one.sent
    )
    quotes = (found_of(found, quoted_message(one.id)) for one in sent)
    return [(one.id, one.title, one.place) for one in quotes if one is not None]


def last_answer_id(lines: Sequence[TurnLine]) -> str:
    """What a provider calls the newest answer that the next request can be compared with; empty where there is none.

    Asked of the last turns only: what is older, no cache holds.
    """
    ids = ((line.usage or {}).get("answer_id") for line in reversed(lines))
    return next((one for one in ids if isinstance(one, str) and one), "")


def last_request_note(turn: TurnRecord, answering: Answering) -> dict[str, Any]:
    """The note of the last request sent, with the digests of its bytes; the initial note if none was sent."""
    begun: dict[str, Any] = dict((turn.usage or {}).get("request", {}))
    if answering.sent is None:
        return begun
    note = request_note(answering.sent, begun.get("parameters", {}))
    beside = {
        "shown_digest": answering.shown_digest,
        "sent_digest": answering.sent_digest,
        "compared_with": answering.sent.compare_with,
        "asked_utc": answering.asked_utc,
    }
    return note | {name: value for name, value in beside.items() if value}


async def begin_turn(
    plan: TurnPlan, prepared: Prepared, world: World, draft: str | None = None
) -> TurnRecord:
    """Store the question (unless it is stored), its request, and the rest of the draft."""
    conversation, when = plan.conversation, world.utc.utc_now()
    parent = conversation.history[-1].id if conversation.history else None
    after = after_turn(conversation, prepared.built, ())
    turn = TurnRecord(
        plan.chat, plan.number, parent, plan.question.id, prepared.built,
        Standing(after.attached, after.library, after.trim), when,
        usage={"request": request_note(prepared, {**world.parameters, **plan.parameters})},
    )  # fmt: skip
    keys = tuple(artifact.key for artifact in conversation.attached)
    asked = Record(
        plan.chat,
        as_sent(plan.question, prepared.built),
        when,
        parent,
        attached=keys,
        commands=plan.tool_results,
        hints=world.search_hints(plan.chat, keys)
        | ({} if plan.begun is None else {PREFILL: plan.begun.text}),
    )
    async with world.locks.of(plan.chat):
        await world.store.begin_turn(turn, None if plan.kept else asked, draft)
    return turn


def as_sent(question: Message, built: Built) -> Message:
    """The question with those of its pictures that went along: one that was left out is not part of what was said.

    What a model cannot see stays: the next one may.
    """
    if not built.inputs.model.images:
        return question
    sent = {image for one in built.envelope.layer("L5_USER").segments for image in one.images}
    images = tuple(image for image in question.images if image in sent)
    return question if len(images) == len(question.images) else replace(question, images=images)


def turn_notes(outcome: TurnOutcome) -> dict[str, Any]:
    """Notes on how a turn ended."""
    cut = {} if outcome.truncated is None else {"truncated": asdict(outcome.truncated)}
    return usage_notes(outcome) | cut


async def finish_turn(turn: TurnRecord, answering: Answering, outcome: TurnOutcome, world: World) -> None:
    """Store how the turn ended and the rest of its answer; if the store refuses, it is retried later."""
    last = answering.last_reply(outcome.state)
    last_ones = [] if last is None else [last]
    replies = [*answering.replies, *last_ones]
    built = turn.built if answering.sent is None else answering.sent.built
    ended = replace(
        turn,
        built=built,
        after=replace(turn.after, trim=built.envelope.cuts.trim),
        state=outcome.state,
        usage={**turn_notes(outcome), "request": last_request_note(turn, answering)},
        finished_utc=world.utc.utc_now(),
        reply=replies[0].id if replies else None,
    )
    missing = [*answering.unkept, *last_ones]
    try:
        async with world.locks.of(turn.chat):
            await world.store.finish_turn(ended, missing)
    except NotKept:
        raise
    except WorkbenchError:
        world.owed.note(ended, missing)
        raise
