"""Rows of a watched request: one a piece of its body, and one for all of its tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from workbench.context.explain.row_facts import CachedRun, RowFacts
from workbench.context.watch.body import wire_segments
from workbench.domain.envelope import Layer
from workbench.domain.segment import LayerName, Segment
from workbench.domain.shown.envelope_view import NO_REASON, PartSource, Reason, RowKey, RowPart, SegmentRow
from workbench.domain.text import digest_chain
from workbench.domain.watch.kept import Passed

TOOLS = "tools"
"""The id of the row that stands for all tools."""
_TOOL = "tool:"
Priced = tuple[Segment, int]


def watched_rows(layer: Layer, around: RowFacts, run: CachedRun) -> Iterator[SegmentRow]:
    """The rows of a layer, in wire order."""
    names = _names(around)
    before = _before(around)
    parts = zip(layer.segments, layer.tokens, strict=True)
    for together, group in groupby(parts, key=lambda part: part[0].kind == "tool"):
        if together:
            yield _tools(list(group), around, run, before)
        else:
            some = list(group)
            alike = Counter(one.kind for one, _ in some) if layer.name == "L1_SYSTEM" else Counter()
            for number, (one, tokens) in enumerate(some, 1):
                named = names.get((one.layer, one.id), _Named())
                row = _row(one, tokens, named, run, before)
                yield replace(row, first_turn=number) if alike[one.kind] > 1 else row


class _Named(NamedTuple):
    name: str = ""
    marked: bool = False


def _names(around: RowFacts) -> dict[tuple[LayerName, str], _Named]:
    """What each segment is called, and whether a cache mark ends there."""
    passed = around.built.inputs.passed or Passed()
    marked = frozenset(passed.marked)
    named = zip(wire_segments(around.built.envelope), passed.names, strict=False)
    return {(one.layer, one.id): _Named(name, place in marked) for place, (one, name) in enumerate(named)}


def _before(around: RowFacts) -> dict[str, str]:
    """The digests of what the request before held, wherever it stood there."""
    layers = () if around.previous is None else around.previous.envelope.layers
    return {one.id: one.digest for layer in layers for one in layer.segments}


def _row(
    segment: Segment, tokens: int, named: _Named, run: CachedRun, before: Mapping[str, str]
) -> SegmentRow:
    cache, cached = run.take(tokens)
    return SegmentRow(
        key=RowKey(segment.layer, segment.id),
        members=(segment.id,),
        kind=segment.kind,
        name=named.name,
        tokens=tokens,
        state="sent",
        digest=segment.digest,
        cache=cache,
        cached_tokens=cached,
        start=run.began,
        reason=_reason(segment, before, named.marked),
    )


def _reason(segment: Segment, before: Mapping[str, str], marked: bool) -> Reason:
    known = before.get(segment.id)
    if before and known is not None and known != segment.digest:
        return Reason("changed", segment.id)
    if before and known is None and segment.layer == "L4_STRIP":
        return Reason("first_time")
    return Reason("marked") if marked else NO_REASON


def _tools(parts: list[Priced], around: RowFacts, run: CachedRun, before: Mapping[str, str]) -> SegmentRow:
    """All tools in one row, those that were called apart from those that never were."""
    cache, cached = run.take_each([tokens for _, tokens in parts])
    called = frozenset((around.built.inputs.passed or Passed()).called)
    changed = any(before.get(one.id) != one.digest for one, _ in parts) or _fewer(parts, before)
    told: list[tuple[PartSource, list[Priced]]] = [
        ("called", [one for one in parts if _name(one) in called]),
        ("unused", [one for one in parts if _name(one) not in called]),
    ]
    return SegmentRow(
        key=RowKey("L1_SYSTEM", TOOLS),
        members=tuple(one.id for one, _ in parts),
        kind=TOOLS,
        name="",
        tokens=sum(tokens for _, tokens in parts),
        state="sent",
        digest=digest_chain([one.digest for one, _ in parts]),
        cache=cache,
        cached_tokens=cached,
        start=run.began,
        reason=Reason("changed", TOOLS) if before and changed else NO_REASON,
        first_turn=len(parts),
        parts=tuple(_part(source, some) for source, some in told if some),
    )


def _part(source: PartSource, some: list[Priced]) -> RowPart:
    return RowPart(source, ", ".join(map(_name, some)), sum(tokens for _, tokens in some), len(some))


def _name(part: Priced) -> str:
    return part[0].id.removeprefix(_TOOL)


def _fewer(parts: list[Priced], before: Mapping[str, str]) -> bool:
    return sum(key.startswith(_TOOL) for key in before) > len(parts)
