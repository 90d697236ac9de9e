"""The cost of each segment of a request, so that segments, layers and total sum exactly."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, compress, pairwise
from operator import attrgetter

from workbench.domain.caching import Measurement
from workbench.domain.envelope import Envelope, WireMessage
from workbench.domain.memo import Growing
from workbench.domain.message import Message
from workbench.domain.segment import LayerName, Segment
from workbench.domain.tool import ToolDefinition
from workbench.ports.counting import TokenCounter


def message_costs(messages: Sequence[WireMessage], said: Sequence[bool], counter: TokenCounter) -> list[int]:
    """The raw cost of each message; 0 where it is empty."""
    if all(said):
        return counter.sums(messages)
    costs = iter(counter.sums([*compress(messages, said)]))
    return [next(costs) if says else 0 for says in said]


def token_shares(messages: Sequence[WireMessage], counter: TokenCounter) -> list[int]:
    """The tokens of every segment on the wire; the tokens that open the answer count with the last one.

    A margin on the whole sum is distributed along the wire: each segment takes what it adds to the running total.
    """
    # The first message is made anew every turn; the others are those of the turn before, and some more.
    priced = chain(counter.all_costs(messages[:1]), counter.all_costs(messages[1:]))
    costs = [*chain.from_iterable(priced)]
    if costs:
        costs[-1] += counter.reply_cost
    if not counter.additive:
        totals = [0, *(counter.total(raw) for raw in accumulate(costs))]
        costs = [after - before for before, after in pairwise(totals)]
    return without_negative_counts(costs)


def without_negative_counts(tokens: list[int]) -> list[int]:
    """The counts with the same sum but none negative: a text can merge with the one before and save it a token."""
    if min(tokens, default=0) >= 0:
        return tokens
    debt, paid = 0, []
    for share in reversed(tokens):
        balance = share + debt
        debt = min(0, balance)
        paid.append(max(0, balance))
    return paid[::-1]


def is_exact(
    messages: Sequence[WireMessage],
    tools: Sequence[ToolDefinition],
    counter: TokenCounter,
    growing: Growing | None = None,
) -> bool:
    """Whether the count is exact: the framing is known (plain text, no tools, no pictures) and nothing is a guess."""
    if tools or not counter.exact:
        return False
    # As in `token_shares`: all but the first are those of the turn before, and some more.
    first, rest = messages[:1], tuple(messages[1:])
    plain = attrgetter("plain")
    all_plain = all(map(plain, first)) and all((growing or Growing()).each("plain", rest, plain))
    return all_plain and counter.knows(messages)


def segment_cost(segment: Segment, counter: TokenCounter) -> int:
    """The raw cost of a segment's own text, without its lead and a message's framing."""
    bare = replace(segment, lead="")
    alone, empty = (WireMessage(segment.id, "user", (s,)) for s in (bare, replace(bare, text="")))
    return sum(counter.costs(alone)) - sum(counter.costs(empty))


def pictures_cost(asked: Message, attachment: str, counter: TokenCounter) -> int:
    """The raw cost of a question's pictures for one attachment."""
    images = tuple(image for image in asked.images if image.source == attachment)
    if not images:
        return 0
    bare = Segment("", "L5_USER", "user", "", "")
    alone, empty = (WireMessage("", "user", (s,)) for s in (replace(bare, images=images), bare))
    return sum(counter.costs(alone)) - sum(counter.costs(empty))


# Tokens of a measured prompt, given to the segments they belong to, so that every sum holds.
#
# Where a template writes more than its messages one by one, only the whole prompt tells what a request costs. Each
# segment is looked for in it, in order; what stands before it, framing and all, counts with it.


Span = tuple[int, int] | None


def attribute(envelope: Envelope, measurement: Measurement) -> Envelope:
    """The envelope with the server's measured counts: layers and total sum to the prompt's tokens, exactly."""
    rows = [
        (segment, tokens)
        for layer in envelope.layers
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
        if segment.sent
    ]
    beside, carried = in_wire_order([segment for segment, _ in rows], envelope.messages)
    spans = [None for _ in beside] + list(_spans([rows[row][0] for row in carried], measurement.prompt))
    order = [*beside, *carried]
    found = _shares([rows[row][1] for row in order], spans, measurement)
    shares = (share for _, share in sorted(zip(order, found, strict=True)))
    layers = tuple(
        replace(layer, tokens=tuple(next(shares) if segment.sent else 0 for segment in layer.segments))
        for layer in envelope.layers
    )
    return replace(envelope, layers=layers, total_tokens=measurement.prompt_tokens, exact=True)


def in_wire_order(shown: Sequence[Segment], messages: Iterable[WireMessage]) -> tuple[list[int], list[int]]:
    """Indices of segments that no message carries (tools), and of those that messages carry, in wire order.

    In a log layers are interleaved, and equal ids may occur several times: they are matched by their order.
    """
    places: dict[tuple[LayerName, str], deque[int]] = {}
    for place, segment in enumerate(shown):
        places.setdefault((segment.layer, segment.id), deque()).append(place)
    queues = (places.get((one.layer, one.id)) for message in messages for one in message.segments)
    carried = [queue.popleft() for queue in queues if queue]
    return sorted(set(range(len(shown))).difference(carried)), carried


def _spans(segments: Sequence[Segment], prompt: str) -> Iterator[Span]:
    """The span of each segment in the prompt, in order; None where it does not occur verbatim."""
    at = 0
    for segment in segments:
        written = segment.lead + segment.text
        found = prompt.find(written, at)
        if found < 0:
            yield None
            continue
        yield found, found + len(written)
        at = found + len(written)


def _shares(estimates: Sequence[int], spans: Sequence[Span], measurement: Measurement) -> list[int]:
    """The tokens of every row: each located segment shares those up to its end with unlocated ones before it."""
    shares: list[int] = []
    spent, lost = 0, list[int]()
    for tokens, span in zip(estimates, spans, strict=True):
        if span is None:
            lost.append(tokens)
            continue
        end = bisect_right(measurement.ends, span[1])
        begin = max(spent, bisect_right(measurement.ends, span[0])) if lost else spent
        shares += [*_spread(begin - spent, lost), end - begin]
        spent, lost = end, []
    shares += _spread(measurement.prompt_tokens - spent, lost)
    if not lost and shares:
        shares[-1] += measurement.prompt_tokens - spent
    return shares


def _spread(tokens: int, weights: Sequence[int]) -> list[int]:
    """Tokens distributed in proportion to the weights, without remainder."""
    if not weights:
        return []
    whole = sum(weights)
    if whole == 0:
        return [*(0 for _ in weights[1:]), tokens]
    ends = [tokens * weight // whole for weight in accumulate(weights)]
    return [after - before for before, after in pairwise([0, *ends])]
