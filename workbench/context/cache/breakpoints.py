"""The places of a request at which a cache with marks may have written or may read, and what stands before each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from workbench.context.build.outgoing import payload_messages, request_messages
from workbench.domain.cache_marks import Mark, marks_off_answers, stable_marks
from workbench.domain.cache_rules import CacheRules
from workbench.domain.change import Built
from workbench.domain.request import PayloadMessage, RequestMessage


@dataclass(frozen=True, slots=True)
class MarkedPlace:
    """The end of a message, or of a stable part within one.

    Attributes:
        chain: one digest over everything up to here. tokens: how many that are.
        blocks: how many blocks of content that are. marked: whether the request writes here.
    """

    chain: str
    tokens: int
    blocks: int
    marked: bool


def marked_places(built: Built, rules: CacheRules, reply_tokens: int) -> tuple[MarkedPlace, ...]:
    """Every place of a request that a cache could know, in order; `reply_tokens` open the answer after all of them."""
    rows, priced = request_messages(built), payload_messages(built)
    chosen = set(chosen_marks(rows, rules))
    spoken = f"{built.inputs.settings.model}\0{_pictured(rows) if rules.pictures_apart else ''}"
    chain = hashlib.sha256()
    for tool in built.inputs.settings.tools:
        chain.update(f"{tool.name}\0{tool.description}\0{tool.schema_json}\0".encode())
    tokens = built.envelope.total_tokens - sum(row.tokens for row in priced)
    places: list[MarkedPlace] = []
    blocks = 0
    for number, (row, costs) in enumerate(zip(rows, priced, strict=True)):
        chain.update(f"\0{row.role}\0{row.tool_call_id or ''}\0".encode())
        # Pictures that come or go leave the instructions in the cache, and nothing after them.
        told = built.inputs.settings.model if row.role == "system" else spoken
        start = 0
        for mark in sorted({*row.cache_marks, len(row.text)}):
            chain.update(row.text[start:mark].encode("utf-8", "surrogatepass"))
            is_end = mark == len(row.text)
            blocks += bool(row.text[start:mark].strip()) + (_besides(row) if is_end else 0)
            if is_end:
                chain.update(_native(row).encode())
            before = _tokens_before(costs, mark) - (reply_tokens if is_end and row is rows[-1] else 0)
            name = hashlib.sha256(told.encode() + chain.digest()).hexdigest()
            places.append(MarkedPlace(name, tokens + before, blocks, (number, mark) in chosen))
            start = mark
        tokens += costs.tokens
    return tuple(places)


def chosen_marks(rows: tuple[RequestMessage, ...], rules: CacheRules) -> tuple[Mark, ...]:
    """Where this request writes: at the marks that are sent, and where the provider marks by itself."""
    if not rows:
        return ()
    if rules.marks_newest:
        newest = next((n for n in range(len(rows) - 1, -1, -1) if rows[n].role != "assistant"), 0)
        room = rules.most_marks - 1
        return (*marks_off_answers(rows)[-room:], (newest, len(rows[newest].text)))
    return stable_marks(rows)[-rules.most_marks :]


def _tokens_before(row: PayloadMessage, mark: int) -> int:
    """What of a message stands before a mark, which is at the end of a piece."""
    at = tokens = 0
    for piece, cost in zip(row.pieces, row.piece_tokens, strict=True):
        at += len(piece.text)
        if at > mark:
            break
        tokens += cost
    return tokens if at > mark else row.tokens


def _besides(row: RequestMessage) -> int:
    """How many blocks a message is besides its words."""
    thoughts = sum(thought.signature is not None for thought in row.thinking) if row.tool_calls else 0
    empty_result = row.role == "tool" and not row.text.strip()
    return len(row.images) + len(row.tool_calls) + thoughts + empty_result


def _native(row: RequestMessage) -> str:
    calls = "".join(f"{call.id}\0{call.name}\0{call.arguments}\0" for call in row.tool_calls)
    return calls + "".join(f"{image.digest}\0" for image in row.images)


def _pictured(rows: tuple[RequestMessage, ...]) -> str:
    return "pictures" if any(row.images for row in rows) else ""
