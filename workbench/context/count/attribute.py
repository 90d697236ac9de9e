"""Tokens of a measured prompt, given to the segments they belong to, so that every sum holds.

Where a template writes more than its messages one by one, only the whole prompt tells what a request costs. Each
segment is looked for in it, in order; what stands before it, framing and all, counts with it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from workbench.domain.caching.forecast import Measurement
from workbench.domain.envelope import Envelope, WireMessage
from workbench.domain.segment import LayerName, Segment

Span = tuple[int, int] | None


def attribute(envelope: Envelope, measurement: Measurement) -> Envelope:
    """The envelope with the measured counts: layers and total sum to the prompt's tokens, and it is exact."""
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
    """Which segments no message carries, as announced tools, and which they do, in the order of the wire.

    In a log layers are interleaved, and one has several copies of the same thing: they are told apart by their order.
    """
    places: dict[tuple[LayerName, str], deque[int]] = {}
    for place, segment in enumerate(shown):
        places.setdefault((segment.layer, segment.id), deque()).append(place)
    queues = (places.get((one.layer, one.id)) for message in messages for one in message.segments)
    carried = [queue.popleft() for queue in queues if queue]
    return sorted(set(range(len(shown))).difference(carried)), carried


def _spans(segments: Sequence[Segment], prompt: str) -> Iterator[Span]:
    """Where each segment stands in the prompt, in order; None where it does not stand there as it is."""
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
    """The tokens of every row; those up to the end of a found one are its own and that of the lost ones before it."""
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
    """Tokens shared out as the estimates were, all of them."""
    if not weights:
        return []
    whole = sum(weights)
    if whole == 0:
        return [*(0 for _ in weights[1:]), tokens]
    ends = [tokens * weight // whole for weight in accumulate(weights)]
    return [after - before for before, after in pairwise([0, *ends])]
