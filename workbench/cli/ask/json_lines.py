"""The JSON lines of `workbench ask`: one for each turn, and with `--stream` one for everything that happens in it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from workbench.context.clean.guard import masked
from workbench.context.clean.secrets import find_secrets
from workbench.context.explain.row_facts import secret_places
from workbench.domain.mcp_question import McpQuestion
from workbench.domain.message import ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.turn import beginning_in
from workbench.domain.usage import Usage
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import (
    AnswerGrew,
    Event,
    NoticeGiven,
    RetryScheduled,
    ThoughtGrew,
    ToolAsked,
    ToolProgressed,
    ToolRan,
    TurnBegan,
)
from workbench.engine.turn.outcome import cache_note, error_note, timings_ms


def stream_line(event: Event, *, allowed: bool) -> dict[str, Any] | None:
    """Returns an event of a turn as a JSON line of `--stream`; None for events that have none.

    A tool's result may be a file with a key in it, and these lines end up in logs: what looks like a key is masked.
    """
    match event:
        case AnswerGrew(_, text):
            return {"event": "text", "text": text} if text else None
        case TurnBegan(begun=text):
            return {"event": "prefill", "text": text} if text else None
        case ThoughtGrew(_, text):
            return {"event": "thinking", "text": text} if text else None
        case ToolAsked(_, call, preview):
            return {"event": "tool_asked", **_call(call), "allowed": allowed, **asdict(preview)}
        case ToolProgressed(_, call, progress):
            return {"event": "tool_progress", **_call(call), **asdict(progress)}
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


_SAMPLED = ("model", "text", "tokens", "answer_tokens", "usd")


def question_line(question: McpQuestion) -> dict[str, Any]:
    """Returns a server's question as a JSON object; its answer is not repeated."""
    wanted = question.sampling
    return {
        "server": question.server,
        "message": question.message,
        "url": question.url or None,
        "fields": [
            {
                "name": one.name,
                "title": one.title,
                "kind": one.kind,
                "required": one.required,
                "secret": one.secret,
            }
            for one in question.fields
        ],
    } | ({} if wanted is None else {"sampling": {name: getattr(wanted, name) for name in _SAMPLED}})


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "tool": call.name, "arguments": call.arguments}


def _cache(outcome: TurnOutcome) -> dict[str, Any]:
    """Returns the cache forecast with its verdict; without a forecast, what the provider reported."""
    if outcome.cache is not None:
        return cache_note(outcome.cache)
    reported = outcome.usage.cached_tokens
    verdict = "not_reported" if reported is None else None
    if outcome.usage.distrusted_tokens is not None:
        verdict = "distrusted"
    return {"predicted_read_tokens": None, "reported_read_tokens": reported, "verdict": verdict}


def _rounds(outcome: TurnOutcome) -> dict[str, Any]:
    """Says which of the turn's requests each figure is about, counted from 1: with tools a turn makes several."""
    used = outcome.requests or (outcome.usage,) * outcome.asked
    last = [outcome.asked] if outcome.asked else []
    reported = [number for number, usage in enumerate(used, start=1) if usage != Usage()]
    return {"requests": outcome.asked, "usage": reported, "cache": last, "report": last}


def _counted(sent: Prepared | None, spread: float | None) -> dict[str, Any] | None:
    """Returns our own token count of the last request and how sure it is; `usage` holds what the provider reported."""
    if sent is None:
        return None
    envelope = sent.built.envelope
    basis, off = ("exact", None) if envelope.exact else ("estimated", spread)
    return {"tokens": envelope.total_tokens, "basis": basis, "spread": off}


def turn_line(
    chat: str, outcome: TurnOutcome, sent: Prepared | None, spread: float | None = None
) -> dict[str, Any]:
    """Returns a turn as the JSON line of `--json`; `spread` is how far an estimated count may be off."""
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
    begun = None if sent is None else beginning_in(sent.built.inputs.rounds)
    if begun is not None:
        line["prefill"] = begun.text
    if outcome.truncated is not None:
        line["truncated"] = asdict(outcome.truncated)
    if outcome.removed_marks:
        line["removed_marks"] = list(outcome.removed_marks)
    if outcome.failure is not None:
        line["error"] = error_note(outcome.failure)
    return {**line, "report": report}
