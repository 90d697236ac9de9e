"""The places in a request at which a cache with marks may write or read, and the digest of what precedes each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from workbench.context.outgoing import last_row, payload_messages, request_messages
from workbench.domain.caching import CacheRules, Mark, marks_off_answers, stable_marks
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
    """Every place of a request that a cache could know, in order; `reply_tokens` open the answer at the end."""
    walked = _walked(built, rules, reply_tokens)
    seen = walked.seen(walked.row, built.envelope.total_tokens - reply_tokens)
    chosen = {place.chain for place in seen.marks}
    ends = () if seen.end is None else (seen.end,)
    places = (*(place for _, place in walked.walk.known), *ends)
    return tuple(replace(place, marked=place.chain in chosen) for place in places)


class _Walk:
    """Walks along a request message by message; `tokens` and `blocks` are what is behind.

    The end of the last message is left open, since the user types there.
    """

    def __init__(self, built: Built, rows: Sequence[RequestMessage], rules: CacheRules) -> None:
        model = built.inputs.settings.model
        self._asked, self._told = model, f"{model}\0{_pictured(rows) if rules.pictures_apart else ''}"
        self.rules = rules
        self.chain = hashlib.sha256()
        for tool in built.inputs.settings.tools:
            self.chain.update(f"{tool.name}\0{tool.description}\0{tool.schema_json}\0".encode())
        self.tokens = self.blocks = 0
        self.known: list[tuple[Mark, MarkedPlace]] = []

    def go(self, number: int, row: RequestMessage, costs: PayloadMessage) -> None:
        self.chain.update(_opening(row))
        start = 0
        for mark in sorted({*row.cache_marks, len(row.text)}):
            before = self.tokens + _tokens_before(costs, mark)
            self.known.append(((number, mark), self._place(row, (start, mark), before)))
            start = mark
        self.tokens += costs.tokens

    def last(self, row: RequestMessage, tokens: int) -> MarkedPlace:
        """The end of the last message, which is not stored, since it may change.

        Works on a copy: a cached walk is shared with requests that are built in a thread.
        """
        ahead = copy(self)
        ahead.chain = self.chain.copy()
        ahead.chain.update(_opening(row))
        return ahead._place(row, (0, len(row.text)), tokens)

    def _place(self, row: RequestMessage, between: tuple[int, int], tokens: int) -> MarkedPlace:
        text = row.text[slice(*between)]
        self.chain.update(text.encode("utf-8", "surrogatepass"))
        is_end = between[1] == len(row.text)
        self.blocks += bool(text.strip()) + (_other_blocks(row) if is_end else 0)
        if is_end:
            self.chain.update(_native(row).encode())
        # Pictures that come or go leave the instructions in the cache, and nothing after them.
        told = self._asked if row.role == "system" else self._told
        return MarkedPlace(
            hashlib.sha256(told.encode() + self.chain.digest()).hexdigest(), tokens, self.blocks, False
        )


@dataclass(frozen=True, slots=True)
class Seen:
    """A whole request: the places before its last message by chain digest, that message's end, and where it writes."""

    by_chain: Mapping[str, MarkedPlace]
    end: MarkedPlace | None
    marks: tuple[MarkedPlace, ...]

    def at(self, chain: str) -> MarkedPlace | None:
        known = self.by_chain.get(chain)
        return self.end if known is None and self.end is not None and self.end.chain == chain else known


@dataclass(frozen=True, slots=True)
class Walked:
    """A request walked up to its last message; `row` is that one, where the user may be typing it."""

    walk: _Walk
    row: RequestMessage | None
    by_chain: Mapping[str, MarkedPlace]
    by_mark: Mapping[Mark, MarkedPlace]
    marks: tuple[Mark, ...]

    def seen(self, row: RequestMessage | None, end_tokens: int) -> Seen:
        """The whole request with its last message, which ends after so many tokens."""
        end = None if row is None else self.walk.last(row, end_tokens)
        # A mark that is not before the last row is at its end.
        marks = (self.by_mark.get(mark, end) for mark in self.marks)
        return Seen(self.by_chain, end, tuple(mark for mark in marks if mark is not None))


def _walked(built: Built, rules: CacheRules, reply_tokens: int) -> Walked:
    rows, priced = request_messages(built), payload_messages(built)
    walk = _Walk(built, rows, rules)
    walk.tokens = built.envelope.total_tokens - sum(row.tokens for row in priced)
    # A single row may have marks within: then it is no row to type on.
    open_end = bool(rows) and not set(rows[-1].cache_marks) - {len(rows[-1].text)}
    closed = len(rows) - open_end
    for number, (row, costs) in enumerate(zip(rows[:closed], priced, strict=False)):
        walk.go(number, row, costs)
    if rows and not open_end:
        mark, place = walk.known[-1]
        walk.known[-1] = (mark, replace(place, tokens=place.tokens - reply_tokens))
    by_chain = {place.chain: place for _, place in walk.known}
    return Walked(walk, rows[-1] if open_end else None, by_chain, dict(walk.known), chosen_marks(rows, rules))


class Walks:
    """Caches walks: of sent requests, and of the draft.

    Thread-safe: cached values are only ever replaced, never changed.
    """

    def __init__(self) -> None:
        self._sent: list[tuple[Built, CacheRules, int, tuple[MarkedPlace, ...]]] = []
        self._draft: tuple[tuple[object, ...], Walked] | None = None

    def written(self, built: Built, rules: CacheRules, reply_tokens: int) -> tuple[MarkedPlace, ...]:
        """Where a sent request has written to the cache."""
        for one, by, reply, found in self._sent:
            if one is built and by == rules and reply == reply_tokens:
                return found
        places = marked_places(built, rules, reply_tokens)
        marked = tuple(place for place in places if place.marked)
        self._sent = [*self._sent[-8:], (built, rules, reply_tokens, marked)]
        return marked

    def draft(self, built: Built, rules: CacheRules, reply_tokens: int) -> Seen:
        """The next request; while only its last message changes, nothing before that is walked again."""
        key, end_tokens = (
            _key_before_last(built, rules, reply_tokens),
            built.envelope.total_tokens - reply_tokens,
        )
        draft = self._draft  # read once: it may be exchanged at any time
        known = draft[1] if draft is not None and key is not None and draft[0] == key else None
        row = last_row(built)
        if known is not None and known.row is not None and row is not None:
            return known.seen(row, end_tokens)
        walked = _walked(built, rules, reply_tokens)
        self._draft = None if key is None else (key, walked)
        return walked.seen(walked.row, end_tokens)


def _key_before_last(built: Built, rules: CacheRules, reply_tokens: int) -> tuple[object, ...] | None:
    """Memo key of the places before the last message; None where that message is not the typed one."""
    inputs, envelope = built.inputs, built.envelope
    if len(envelope.messages) < 2 or envelope.messages[-1].role != "user" or inputs.rounds:
        return None
    layers = tuple(envelope.layer(name).tokens for name in ("L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP"))
    settings = inputs.settings
    pictured = any(segment.images for segment in envelope.messages[-1].segments)
    return (envelope.messages[:-1], layers, settings.model, settings.tools, pictured, rules, reply_tokens)


def chosen_marks(rows: tuple[RequestMessage, ...], rules: CacheRules) -> tuple[Mark, ...]:
    """Where this request writes: at the marks that are sent, and where the provider adds its own."""
    if not rows:
        return ()
    if rules.marks_newest:
        newest = next((n for n in range(len(rows) - 1, -1, -1) if rows[n].role != "assistant"), 0)
        room = rules.most_marks - 1
        return (*marks_off_answers(rows)[-room:], (newest, len(rows[newest].text)))
    return stable_marks(rows)[-rules.most_marks :]


def _tokens_before(row: PayloadMessage, mark: int) -> int:
    """Tokens of a message before a mark, which is at the end of a piece."""
    at = tokens = 0
    for piece, cost in zip(row.pieces, row.piece_tokens, strict=True):
        at += len(piece.text)
        if at > mark:
            break
        tokens += cost
    return tokens if at > mark else row.tokens


def _other_blocks(row: RequestMessage) -> int:
    """The number of blocks of a message besides its text."""
    thoughts = sum(thought.signature is not None for thought in row.thinking) if row.tool_calls else 0
    empty_result = row.role == "tool" and not row.text.strip()
    return len(row.images) + len(row.tool_calls) + thoughts + empty_result


def _native(row: RequestMessage) -> str:
    calls = "".join(f"{call.id}\0{call.name}\0{call.arguments}\0" for call in row.tool_calls)
    return calls + "".join(f"{image.digest}\0" for image in row.images)


def _opening(row: RequestMessage) -> bytes:
    return f"\0{row.role}\0{row.tool_call_id or ''}\0".encode()


def _pictured(rows: Sequence[RequestMessage]) -> str:
    return "pictures" if any(row.images for row in rows) else ""
