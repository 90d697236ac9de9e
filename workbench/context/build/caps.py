"""Last-N and the token cap on earlier messages: what is beyond them is left out, in place (seed 003)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from workbench.domain.envelope import WireMessage
from workbench.domain.preferences import HistorySettings
from workbench.domain.segment import Segment
from workbench.ports.counting import TokenCounter


def cap_history(
    messages: tuple[WireMessage, ...],
    settings: HistorySettings,
    pinned: frozenset[str],
    counter: TokenCounter,
) -> tuple[WireMessage, ...]:
    """Empty the messages that the caps cut; the list keeps its length, so that trim boundaries keep their meaning."""
    if settings.last_n_messages is None and settings.max_tokens is None:
        return messages
    kept = _held(messages, pinned) | _last_n(messages, settings.last_n_messages)
    if settings.max_tokens is not None:
        kept &= _held(messages, pinned) | _affordable(
            _only(messages, kept), settings.max_tokens, pinned, counter
        )
    return _only(messages, _with_partners(messages, kept))


def _held(messages: Sequence[WireMessage], pinned: frozenset[str]) -> set[str]:
    """What no cap takes: system records, pinned messages, calls that pinned results answer, and all their results."""
    held = {
        s.id for message in messages for s in message.segments if message.role == "system" or s.id in pinned
    }
    for call, results in pairwise(messages):
        answered = {segment.tool_call_id for segment in results.segments if segment.id in pinned}
        held |= {s.id for s in call.segments if any(c.id in answered for c in s.tool_calls)}
        held |= _answers(call, results, held)
    return held


def _last_n(messages: Sequence[WireMessage], last_n: int | None) -> set[str]:
    ids = [segment.id for segment in _segments(messages)]
    return set(ids if last_n is None else ids[len(ids) - min(last_n, len(ids)) :])


def _affordable(
    messages: Sequence[WireMessage], max_tokens: int, pinned: frozenset[str], counter: TokenCounter
) -> set[str]:
    """The longest run of newest messages that the cap pays for, what is held anyway paid first."""
    held_costs = [_cost(message, counter) for message in _only(messages, _held(messages, pinned))]
    spent = sum(held_costs)
    paid: set[str] = set()
    for message, already in zip(reversed(messages), reversed(held_costs), strict=True):
        spent += _cost(message, counter) - already
        if counter.total(spent) > max_tokens:
            break
        paid |= {segment.id for segment in message.segments}
    return paid


def _with_partners(messages: Sequence[WireMessage], kept: set[str]) -> set[str]:
    """A call and its results stay or go together; the call decides."""
    whole = set(kept)
    for call, results in pairwise(messages):
        if results.role == "tool":
            whole -= {segment.id for segment in results.segments}
            whole |= _answers(call, results, kept)
    return whole


def _answers(call: WireMessage, results: WireMessage, kept: set[str]) -> set[str]:
    """The results of those calls that are kept."""
    asked = {c.id for segment in call.segments if segment.id in kept for c in segment.tool_calls}
    return {segment.id for segment in results.segments if segment.tool_call_id in asked}


def _only(messages: Sequence[WireMessage], ids: set[str]) -> tuple[WireMessage, ...]:
    return tuple(_reduced(message, ids) for message in messages)


def _reduced(message: WireMessage, ids: set[str]) -> WireMessage:
    segments = tuple(segment for segment in message.segments if segment.id in ids)
    if len(segments) == len(message.segments) or not segments:
        return message if segments else replace(message, segments=())
    first, *others = segments
    return replace(message, id=first.id, segments=(replace(first, lead=""), *others), merged=bool(others))


def _segments(messages: Sequence[WireMessage]) -> Iterable[Segment]:
    return (segment for message in messages for segment in message.segments)


def _cost(message: WireMessage, counter: TokenCounter) -> int:
    return sum(counter.costs(message)) if message.segments else 0
