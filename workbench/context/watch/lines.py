"""A watched request as one line of JSON, and a summary of all in five lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from workbench.domain.spending import dollars
from workbench.domain.translation import counted, joined, tr
from workbench.domain.usage import Usage
from workbench.domain.watch.request import WatchedTurn


def json_line(turn: WatchedTurn) -> dict[str, object]:
    """A request as a JSON object with stable names."""
    request, against, usage = turn.request, turn.against, turn.answer.usage
    difference, foreseen = against.first_difference, turn.forecast
    shown = difference and {"path": difference.path, "was": difference.was, "is": difference.now}
    return {
        "n": turn.n,
        "conversation": turn.conversation,
        "parent": turn.parent,
        "parent_call": turn.call or None,
        "client": turn.client,
        "format": request.format,
        "model": request.model,
        "bytes": turn.request_bytes,
        "bytes_sent": turn.request_bytes if turn.sent_bytes is None else turn.sent_bytes,
        "rules": [
            {"rule": one.name, "written": one.rule, "tokens_saved": one.tokens_saved, "usd_saved": one.usd}
            | {"state": one.state, "why": one.why}
            for one in turn.rules
        ],
        "tokens": _tokens(turn),
        "relation": against.relation,
        "first_difference": shown,
        "causes": list(against.causes),
        "why": list(against.words),
        "prefix_lost_tokens": against.lost_tokens,
        "forecast": foreseen
        and {
            "read": foreseen.predicted_read_tokens,
            "write": foreseen.predicted_write_tokens,
            "fresh": foreseen.fresh_tokens,
        },
        "verdict": turn.verdict,
        "reported": _reported(usage),
        "cost_usd": None if turn.cost is None else turn.cost.usd,
        "log_usd": turn.log_usd,
        "status": turn.status,
        "first_byte_ms": turn.first_byte_ms,
        "findings": [
            {
                "kind": one.kind,
                "tokens": one.tokens,
                "usd": one.usd,
                "words": one.words,
                "advice": one.advice,
                "mend": [asdict(line) for line in one.mends],
            }
            for one in turn.findings
        ],
        "odd": list(request.odd),
        "error": turn.answer.error or None,
        "unkept_answer_bytes": turn.answer.unkept_bytes or None,
    }


def _tokens(turn: WatchedTurn) -> dict[str, object]:
    parts = {"tools": 0, "system": 0, "history": 0, "new": 0}
    for one in turn.request.pieces:
        first = "tools" if one.kind == "tool" else "system" if one.layer == "L1_SYSTEM" else ""
        parts[first or ("history" if one.layer == "L4_STRIP" else "new")] += one.tokens
    return {"total": turn.request.tokens, "exact": turn.request.exact, **parts}


def _reported(usage: Usage) -> dict[str, object] | None:
    if usage == Usage():
        return None
    return {
        "input": usage.prompt_tokens,
        "cache_read": usage.cached_tokens,
        "cache_write": usage.cache_write_tokens,
        "output": usage.completion_tokens,
    }


# The end of a watch.


def summary(turns: Sequence[WatchedTurn]) -> list[str]:
    """A summary in lines: requests, tokens, cached share, cost, and the worst break with its cause."""
    if not turns:
        return [tr("No requests were seen.")]
    cut = sum(bool(one.answer.unkept_bytes) for one in turns)
    unkept = tr(
        "Too large to keep whole: {answers}, only the beginning is kept",
        answers=counted(cut, "answer"),
    )
    said = [_requests(turns), _tokens_sent_line(turns), _cached(turns), _cost(turns), _worst(turns)]
    return [*said, unkept] if cut else said


def _requests(turns: Sequence[WatchedTurn]) -> str:
    conversations = len({one.conversation for one in turns})
    models = ", ".join(dict.fromkeys(one.request.model for one in turns if one.request.model))
    many, talks = counted(len(turns), "request"), counted(conversations, "conversation")
    if models:
        return tr(
            "{requests} in {conversations} ({models})", requests=many, conversations=talks, models=models
        )
    return tr("{requests} in {conversations}", requests=many, conversations=talks)


def _tokens_sent_line(turns: Sequence[WatchedTurn]) -> str:
    sent = sum(one.answer.usage.prompt_tokens or one.request.tokens for one in turns if one.was_sent)
    told = sum(one.answer.usage.completion_tokens or 0 for one in turns)
    exact = all(one.request.exact for one in turns)
    return tr(
        "{about}{sent:,} tokens sent, {told:,} answered", about="" if exact else "≈ ", sent=sent, told=told
    )


def _cached(turns: Sequence[WatchedTurn]) -> str:
    told = [one.answer.usage for one in turns if one.answer.usage.cached_tokens is not None]
    whole = sum(one.prompt_tokens or 0 for one in told)
    if not whole:
        return tr("Cached: not reported")
    read = sum(one.cached_tokens or 0 for one in told)
    return tr(
        "Cached: {value} % ({read:,} of {whole:,} tokens)", value=100 * read // whole, read=read, whole=whole
    )


def _cost(turns: Sequence[WatchedTurn]) -> str:
    costs = [one.cost.usd for one in turns if one.cost is not None]
    if not costs:
        return tr("Cost: no price is known")
    steps = [one.log_step_usd for one in turns if one.log_step_usd is not None]
    paid, log = sum(costs), sum(steps)
    rest = (
        tr("; an append-only log of the same turns: {dollars}", dollars=dollars(log))
        if len(steps) == len(turns)
        else ""
    )
    return tr("Cost: {dollars}{rest}", dollars=dollars(paid), rest=rest)


def _worst(turns: Sequence[WatchedTurn]) -> str:
    worst = max(turns, key=lambda one: one.against.lost_tokens)
    if not worst.against.lost_tokens:
        return tr("The prefix never broke")
    return tr(
        "Worst break: request {n} lost {lost_tokens:,} tokens of its prefix. {causes}",
        n=worst.n,
        lost_tokens=worst.against.lost_tokens,
        causes=joined(worst.against.words),
    )
