"""Rows of history: a turn each, and one for all those that a rule cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.context.assembly.exchanges import Exchange, exchanges
from workbench.context.explain.artifact_rows import came_back
from workbench.context.explain.reasons import exchange_reason
from workbench.context.explain.row_facts import CachedRun, RowFacts, secrets_key, secrets_of
from workbench.context.request_cost import trimmed_away_tokens, whole_message_tokens
from workbench.domain.envelope import Layer
from workbench.domain.segment import Segment
from workbench.domain.shown.envelope_view import RowKey, RowState, SegmentRow
from workbench.domain.text import digest_chain

_STATES: dict[str, RowState] = {
    "sent": "sent", "shortened": "compacted", "trimmed": "trimmed", "left": "trimmed", "capped": "dropped",
    "filtered": "excluded", "left_out": "excluded", "repaired": "excluded", "summarised": "excluded",
}  # fmt: skip


def history_key(layer: Layer, around: RowFacts) -> tuple[object, ...]:
    """Everything the rows depend on, besides what is cached; equal keys give equal rows."""
    inputs, cuts = around.built.inputs, around.built.envelope.cuts
    about = (inputs.turn, inputs.tuning, inputs.settings.filters, inputs.settings.counter, inputs.model)
    return (
        layer.segments,
        layer.tokens,
        cuts.trim,
        cuts.repairs,
        *about,
        around.said_before,
        secrets_key(around),
        frozenset(came_back(around)),
    )


def history_rows(layer: Layer, around: RowFacts, run: CachedRun) -> Iterator[SegmentRow]:
    """The rows of L4, in the order things were said."""
    back = frozenset(came_back(around))
    told = (_row(exchange, around, run) for exchange in exchanges(layer, around.built))
    unwanted = around.built.inputs.tuning.unrecalled
    return (_with_quotes(row, back, unwanted) for row in told) if back or unwanted else told


def _with_quotes(row: SegmentRow, back: frozenset[str], unwanted: frozenset[str]) -> SegmentRow:
    """A row of turns that also says how many of their messages are quoted, and how many must not be."""
    if back.isdisjoint(row.members) and unwanted.isdisjoint(row.members):
        return row
    return replace(
        row, back=len(back.intersection(row.members)), never=len(unwanted.intersection(row.members))
    )


def _row(exchange: Exchange, around: RowFacts, run: CachedRun) -> SegmentRow:
    segments = tuple([segment for segment, _ in exchange.parts])
    members = tuple([segment.id for segment in segments])
    tokens = sum([tokens for _, tokens in exchange.parts])
    sent = exchange.sent
    pieces = [cost for segment, cost in exchange.parts if segment.sent]
    cache, cached = run.take_each(pieces) if sent else ("none", 0)
    return SegmentRow(
        key=RowKey("L4_STRIP", members[0]),
        members=members,
        kind="summary" if exchange.is_summary else "turn",
        name="",
        tokens=tokens if sent else whole_message_tokens(segments, around.counter),
        state=_state(exchange, around),
        digest=_digest(segments),
        pinned=not around.built.inputs.tuning.pinned.isdisjoint(members),
        tunable=not (exchange.is_summary or exchange.fate == "summarised"),
        excludable=not (exchange.is_summary or exchange.fate == "summarised"),
        counted=sent,
        cache=cache,
        cached_tokens=cached,
        start=run.began if sent else None,
        full_tokens=_full_tokens(exchange, tokens, around),
        reason=exchange_reason(exchange, around),
        first_turn=exchange.first_turn,
        last_turn=exchange.last_turn,
        secrets=tuple(one for segment in segments for one in secrets_of(segment, around))
        if around.secrets
        else (),
    )


def _state(exchange: Exchange, around: RowFacts) -> RowState:
    if exchange.sent and any(segment.id in around.unseen for segment, _ in exchange.parts):
        return "unseen"
    return "estimated" if exchange.fate == "sent" and exchange.guessed else _STATES[exchange.fate]


def _full_tokens(exchange: Exchange, tokens: int, around: RowFacts) -> int | None:
    if exchange.fate not in ("trimmed", "left", "shortened"):
        return None
    segments = [segment for segment, _ in exchange.parts]
    gone = [segment for segment in segments if not segment.sent]
    whole = whole_message_tokens(gone, around.counter)
    return tokens + whole + trimmed_away_tokens(segments, around.counter)


def _digest(segments: tuple[Segment, ...]) -> str:
    """Over what is sent of it; of what is not, over what was said."""
    sent = [segment.digest for segment in segments if segment.sent]
    return digest_chain(sent or [segment.content_digest for segment in segments])
