"""What is told of a turn besides its answer: its line for machines, what was left out, what helps where it failed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from workbench.cli.envelope_table import KEPT_SHORT
from workbench.cli.terminal import counted, tell, visible_line
from workbench.context.clean.guard import masked
from workbench.context.clean.secrets import find_secrets
from workbench.context.explain.row_facts import secret_places
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.envelope import PICTURE_LEFT_OUT
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import ToolCall
from workbench.domain.models.provider import KEYED
from workbench.domain.outcome import TurnOutcome
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.usage import Usage
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import (
    AnswerGrew,
    Event,
    NoticeGiven,
    RetryScheduled,
    ThoughtGrew,
    ToolAsked,
    ToolRan,
)
from workbench.engine.turn.keeping import cache_note, error_note, timings_ms


def stream_line(event: Event, *, allowed: bool) -> dict[str, Any] | None:
    """What happens in a turn, as a line of `--stream`; None for what is no line of it.

    The result of a tool may be a file with a key in it, and these lines end in logs: what looks like one is masked.
    """
    match event:
        case AnswerGrew(_, text):
            return {"event": "text", "text": text} if text else None
        case ThoughtGrew(_, text):
            return {"event": "thinking", "text": text} if text else None
        case ToolAsked(_, call, preview):
            return {"event": "tool_asked", **_call(call), "allowed": allowed, **asdict(preview)}
        case ToolRan(_, call, outcome):
            text = masked(outcome.text, find_secrets(outcome.text))
            return {"event": "tool_ran", **_call(call), "failed": outcome.failed, "text": text}
        case RetryScheduled(_, attempt, wait_s, failure, tries):
            waits = {"attempt": attempt, "tries": tries or None, "wait_s": wait_s}
            return {"event": "retry", **waits, "error": error_note(failure)}
        case NoticeGiven(_, text):
            return {"event": "notice", "text": text}
        case _:
            return None


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "tool": call.name, "arguments": call.arguments}


def ways_out(sent: Prepared | None) -> str:
    """What makes a request that is too long fit: only what would help this one."""
    ways = []
    if sent is not None:
        inputs, budget = sent.built.inputs, sent.built.envelope.budget
        if inputs.history and inputs.settings.history.when_full != "exchanges":
            ways.append("--set history.when_full=exchanges (the oldest turns leave)")
        if inputs.history:
            ways.append("`workbench history summarise`")
        if inputs.attached:
            ways.append("fewer files, or shorter ones")
        if budget.context_window_tokens < inputs.model.context_window_tokens:
            ways.append(f"--set context_window={inputs.model.context_window_tokens}, which the model has")
        if budget.reserved_output_tokens:
            ways.append(f"--set reserved_output_tokens=N below {budget.reserved_output_tokens}")
    return ", ".join([*ways, "--model NAME with a larger window"])


def key_advice(sent: Prepared | None) -> str:
    """How a key is given here; a provider is known by its name, any other server by its address."""
    provider = "" if sent is None else sent.built.inputs.model.provider
    origin = provider if provider in KEYED else "ADDRESS"
    return f"keep one with `workbench keys provider {origin}`, or name an environment variable with --key-env"


def tell_cold(sent: Prepared | None, view: EnvelopeView) -> None:
    """Before it is paid: that nothing of the request is in the provider's cache any more, and what it costs so."""
    if sent is None or sent.age_s is None or not view.cold or view.cached_tokens:
        return
    minutes = counted(max(1, round(sent.age_s / 60)), "minute")
    price = "" if not view.cost_usd else f", ${view.cost_usd:.4f}"
    tell(f"workbench: {minutes} idle: the cache is gone{price}")


def tell_outside(paths: tuple[str, ...]) -> None:
    """Say which paths outside the workspace a call names."""
    if paths:
        named = ", ".join(visible_line(path) for path in paths)
        tell(f"workbench: the call names paths outside the workspace folder: {named}")


def tell_cuts(prepared: Prepared) -> None:
    """Nothing is left out in silence: what of the attachments was dropped or shortened for this request."""
    cuts = prepared.built.envelope.cuts
    inputs = prepared.built.inputs
    if inputs.model.window_assumed and inputs.settings.context_window is None:
        tokens = f"{inputs.model.context_window_tokens:,}"
        tell(f"workbench: window size unknown; assuming {tokens} tokens (--set context_window=N)")
    for unsent in inputs.model.parameters.unsent(inputs.settings.parameters):
        tell(f"workbench: {unsent.name} is set and not sent: {visible_line(unsent.reason)}")
    for result in prepared.built.inputs.tool_results:
        if isinstance(result, EnvironmentChunk) and not result.success:
            tell(f"workbench: not found for the question: {visible_line(result.body[:160])}")
    reasons = dict.fromkeys(repair.reason for repair in cuts.repairs)
    if PICTURE_LEFT_OUT in reasons:
        del reasons[PICTURE_LEFT_OUT]
        model = visible_line(prepared.built.inputs.settings.model)
        tell(
            f"workbench: picture not sent: {model} cannot see. Ask another one with --model, or leave it out"
        )
    for reason in reasons:
        tell(f"workbench: changed before sending: {visible_line(reason)}")
    _tell_unread(inputs.attached)
    for dropped in cuts.pruned:
        tell(f"workbench: left out: {visible_line(dropped.id)} ({visible_line(dropped.reason)})")
    for short in cuts.compacted:
        sizes = f"{short.to_tokens:,} of {short.from_tokens:,} tokens"
        held = f"; {KEPT_SHORT}, --shorten FILE=0 sends it whole" if short.id in cuts.held else ""
        tell(f"workbench: shortened: {visible_line(short.id)} ({sizes}{held})")


def _tell_unread(attached: Iterable[Artifact]) -> None:
    for one in attached:
        for what in one.unread:
            tell(f"workbench: not all of {visible_line(one.told)} was read: {visible_line(what)}")


def refused(outcome: TurnOutcome, built: Prepared) -> TurnOutcome:
    """The outcome with advice for a command line, where nothing was sent because attachments would stay out."""
    attached = {artifact.key for artifact in built.built.inputs.attached}
    out = {pruned.id for pruned in built.built.envelope.cuts.pruned} & attached
    failure = outcome.failure
    if failure is None or failure.kind != "request" or not out:
        return outcome
    message = (
        f"{len(out):,} of {counted(len(attached), 'attachment')} would stay out of the request (listed above). Nothing "
        "was sent or kept. --allow-drop sends it without them; --priority, --set attachment_budget_tokens=N or a "
        "model with a larger window changes what fits."
    )
    return replace(outcome, failure=replace(failure, message=message))


def _cache(outcome: TurnOutcome) -> dict[str, Any]:
    """The forecast and what became of it; without a forecast, what was reported."""
    if outcome.cache is not None:
        return cache_note(outcome.cache)
    reported = outcome.usage.cached_tokens
    verdict = "not_reported" if reported is None else None
    if outcome.usage.distrusted_tokens is not None:
        verdict = "distrusted"
    return {"predicted_read_tokens": None, "reported_read_tokens": reported, "verdict": verdict}


def _rounds(outcome: TurnOutcome) -> dict[str, Any]:
    """Which of the turn's requests the figures are about, counted from 1: tools make a turn several requests."""
    used = outcome.requests or (outcome.usage,) * outcome.asked
    last = [outcome.asked] if outcome.asked else []
    reported = [number for number, usage in enumerate(used, start=1) if usage != Usage()]
    return {"requests": outcome.asked, "usage": reported, "cache": last, "report": last}


def _counted(sent: Prepared | None, spread: float | None) -> dict[str, Any] | None:
    """Our own count of the last request, and how sure it is; what `usage` has was reported."""
    if sent is None:
        return None
    envelope = sent.built.envelope
    basis, off = ("exact", None) if envelope.exact else ("estimated", spread)
    return {"tokens": envelope.total_tokens, "basis": basis, "spread": off}


def turn_line(
    chat: str, outcome: TurnOutcome, sent: Prepared | None, spread: float | None = None
) -> dict[str, Any]:
    """One turn in the names of the headless contract; `spread` is how far an estimated count may be off."""
    report = None if sent is None else sent.report
    line: dict[str, Any] = {
        "chat": chat,
        "turn": None if report is None else report["turn"],
        "state": outcome.state,
        "answer": outcome.answer,
        "finish_reason": outcome.finish_reason,
        "usage": asdict(outcome.usage),
        "count": _counted(sent, spread),
        "rounds": _rounds(outcome),
        "cache": _cache(outcome),
        "cost": None if outcome.cost is None else asdict(outcome.cost),
        "timings_ms": timings_ms(outcome.timings),
        "secrets": []
        if sent is None
        else [asdict(place) for place in secret_places(sent.built, sent.secrets)],
    }
    if outcome.truncated is not None:
        line["truncated"] = asdict(outcome.truncated)
    if outcome.removed_marks:
        line["removed_marks"] = list(outcome.removed_marks)
    if outcome.failure is not None:
        line["error"] = error_note(outcome.failure)
    return {**line, "report": report}
