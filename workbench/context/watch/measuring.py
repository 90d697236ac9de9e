"""Counts the pieces of a watched request, reusing counts of the previous request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress, count
from operator import is_not

from workbench.context.count.counting import CountsOneByOne
from workbench.context.watch.pieces import UNSEEN
from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.message import ToolCall
from workbench.domain.segment import Segment
from workbench.domain.tool import ToolDefinition
from workbench.domain.watch.request import WatchedPiece, WatchedRequest, tokens_of
from workbench.ports.counting import TokenCounter

_LOWEST, _HIGHEST = 0.6, 1.7
"""An estimate is off by less than this; a server that says otherwise counts something else."""


def shared_pieces(before: Sequence[WatchedPiece], after: Sequence[WatchedPiece]) -> int:
    """How many leading pieces two requests have in common."""
    end = min(len(before), len(after))
    place = 0
    while (place := place + _same_pieces(before[place:], after[place:])) < end:
        # Tools and instructions are read anew with every request; behind them the same objects go on.
        if before[place].digest != after[place].digest:
            return place
        place += 1
    return end


def _same_pieces(before: Sequence[WatchedPiece], after: Sequence[WatchedPiece]) -> int:
    """How many leading pieces are identical objects, as most of a long conversation are."""
    other = compress(count(), map(is_not, before, after))
    return next(other, min(len(before), len(after)))


def piece_tokens(piece: WatchedPiece, counter: TokenCounter) -> int:
    """The tokens of a piece, framing included."""
    if piece.kind == "tool":
        return counter.tool_tokens(ToolDefinition("", "", piece.text))
    return counter.total(sum(counter.costs(_message(piece))))


def partly_tokens(
    before: Sequence[WatchedPiece], after: Sequence[WatchedPiece], counter: TokenCounter
) -> int:
    """The tokens that the first differing pieces have in common at their start."""
    shared = shared_pieces(before, after)
    if shared >= min(len(before), len(after)):
        return 0
    was, now = before[shared], after[shared]
    if (was.kind, was.role) != (now.kind, now.role) or was.kind in ("call", "picture"):
        return 0
    return min(now.tokens, counter.total(counter.common_cost(_message(was), _message(now))))


def _message(piece: WatchedPiece) -> WireMessage:
    called = piece.kind == "call"
    segment = Segment(
        piece.path,
        piece.layer,
        piece.kind,
        "" if called else piece.text,
        piece.digest,
        tool_calls=(ToolCall(piece.call, piece.name, piece.text),) if called else (),
        images=(piece.image,) if piece.image is not None else (),
    )
    return WireMessage(piece.path, piece.role, (segment,))


def measured(request: WatchedRequest, begun: Sequence[WatchedPiece], counter: TokenCounter) -> WatchedRequest:
    """The request with counts; `begun` are the leading pieces that it shares with the previous request."""
    pieces, same = request.pieces, _same_pieces(begun, request.pieces)
    pairs = zip(begun[same:], pieces[same:], strict=False)
    known = [new if old is new else _with_known_count(old, new) for old, new in pairs]
    new = (replace(one, tokens=piece_tokens(one, counter)) for one in pieces[same + len(known) :])
    return replace(request, pieces=(*pieces[:same], *known, *new))


def _with_known_count(old: WatchedPiece, new: WatchedPiece) -> WatchedPiece:
    """The new piece with the old count; the old object where it did not move, so that texts are held once."""
    if old.layer == new.layer and old.path == new.path and old.mark == new.mark and old.kind == new.kind:
        return old
    return replace(new, text=old.text, tokens=old.tokens)


def scaled_to_report(
    request: WatchedRequest, begun: int, told_tokens: int | None, held_tokens: int = 0
) -> WatchedRequest:
    """The request with counts scaled to the server's total; the first `begun` pieces were scaled before.

    `held_tokens` are those before its last cache mark, where the server reports them.
    """
    if told_tokens is None:
        return request
    request = _with_unseen(request, begun, told_tokens)
    pieces = request.pieces
    end = 1 + max((n for n, one in enumerate(pieces) if one.mark), default=-1)
    if 0 < held_tokens < told_tokens and 0 < end < len(pieces):
        head = _scaled_if_possible(pieces[:end], min(begun, end), held_tokens)
        tail = _scaled_if_possible(pieces[end:], max(0, begun - end), told_tokens - held_tokens)
        if head is not None and tail is not None:
            return replace(request, pieces=(*head, *tail), exact=True)
    fitted = _scaled_if_possible(pieces, begun, told_tokens)
    return request if fitted is None else replace(request, pieces=fitted, exact=True)


def _scaled_if_possible(
    pieces: Sequence[WatchedPiece], begun: int, told: int
) -> tuple[WatchedPiece, ...] | None:
    """Pieces scaled to a total; None where that is impossible."""
    old, new = pieces[:begun], pieces[begun:]
    fixed, added = tokens_of(old), tokens_of(new)
    if not fixed + added or not _LOWEST <= told / (fixed + added) <= _HIGHEST:
        return None
    if begun and added and _LOWEST <= (told - fixed) / added <= _HIGHEST:
        return (*old, *scaled(new, told - fixed))
    return scaled(pieces, told)


def _with_unseen(request: WatchedRequest, begun: int, told: int) -> WatchedRequest:
    """The request with all unexplained tokens assigned to the piece for content that we cannot see."""
    place = next((n for n, one in enumerate(request.pieces) if one.name == UNSEEN), None)
    if place is None or place < begun:
        return request
    unseen = request.pieces[place]
    rest = told - request.tokens + unseen.tokens
    if rest <= 0:
        return request
    return replace(
        request,
        pieces=(*request.pieces[:place], replace(unseen, tokens=rest), *request.pieces[place + 1 :]),
    )


def scaled(pieces: Sequence[WatchedPiece], told: int) -> tuple[WatchedPiece, ...]:
    """Pieces scaled to a total, in proportion to their counts; as they are where nothing is counted."""
    before, total = 0, tokens_of(pieces) or 1
    found: list[WatchedPiece] = []
    for one in pieces:
        tokens = (before + one.tokens) * told // total - before * told // total
        before += one.tokens
        found.append(one if tokens == one.tokens else replace(one, tokens=tokens))
    return tuple(found)


# Counts of watched requests: what was counted when they were understood is what every view adds up.


class KeptCounter(CountsOneByOne):
    """A TokenCounter for a stored request, which uses the stored counts of its segments."""

    spread: float | None = None
    ratio: float | None = None
    reply_cost = 0
    additive = True
    settled = True

    def __init__(self, built: Built) -> None:
        self.exact = built.envelope.exact
        self._tokens = {
            (segment.id, segment.digest): tokens
            for layer in built.envelope.layers
            for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
        }
        self._tools = {key: tokens for (key, _), tokens in self._tokens.items() if key.startswith("tool:")}

    def knows(self, messages: Sequence[WireMessage]) -> bool:
        return True

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        return tuple(map(self._cost, message.segments))

    def tool_tokens(self, tool: ToolDefinition) -> int:
        return self._tools.get(f"tool:{tool.name}", 0)

    def total(self, raw: int) -> int:
        return raw

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """The cost of whole common segments; the common start within a segment is not counted."""
        shared = 0
        for one, other in zip(left.segments, right.segments, strict=False):
            if one.digest != other.digest:
                break
            shared += self._cost(other)
        return shared

    def _cost(self, segment: Segment) -> int:
        return self._tokens.get((segment.id, segment.digest), 0)
