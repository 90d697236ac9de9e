"""Completes the envelope: messages become five measured layers, and every cut is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, compress, repeat
from operator import attrgetter, is_, itemgetter

from workbench.context.assembly.draft import Draft
from workbench.context.assembly.history import History
from workbench.context.assembly.leaving import LEFT
from workbench.context.assembly.log import ExtendedLog
from workbench.context.assembly.previews import previews_in
from workbench.context.assembly.references import Placement
from workbench.context.assembly.render import WIRE_ORDER, tool_segments
from workbench.context.assembly.select import Placements
from workbench.context.count.measure import is_exact, segment_cost, token_shares
from workbench.context.shorten.compact import Shortening
from workbench.context.shorten.fit import recovery
from workbench.domain.envelope import Compacted, Cuts, Envelope, Layer, RebuildReason, WireMessage
from workbench.domain.memo import Growing
from workbench.domain.segment import LayerName, Segment
from workbench.domain.turn import TurnInputs
from workbench.ports.counting import TokenCounter

Priced = tuple[Segment, int]


def seal_log(
    draft: Draft, grown: ExtendedLog, cuts: Cuts, rebuilt: RebuildReason | None, growing: Growing
) -> Envelope:
    """The envelope of a log; each layer lists its segments wherever they are in the log."""
    counter, inputs = draft.counter, draft.inputs
    tools = inputs.settings.tools
    said = tuple(chain.from_iterable(map(attrgetter("segments"), grown.messages)))
    names = growing.each("layer", said, attrgetter("layer"))
    priced = [*zip(said, token_shares(grown.messages, counter), strict=True)]
    rows: dict[LayerName, list[Priced]] = {
        name: [*compress(priced, map(name.__eq__, names))] for name in WIRE_ORDER
    }
    rows["L1_SYSTEM"][:0] = zip(tool_segments(tools), map(counter.tool_tokens, tools), strict=True)
    strip = _history_layer(rows["L4_STRIP"], grown.said, cuts, growing)
    layers = tuple(strip if name == strip.name else _layer(name, rows[name]) for name in WIRE_ORDER)
    sealed = _envelope(draft, layers, grown.messages, cuts, growing)
    return replace(sealed, layout="append_only", rebuilt=rebuilt)


def seal(draft: Draft, placements: Placements, history: History, cuts: Cuts, growing: Growing) -> Envelope:
    """The envelope of a request by layers; what it holds is what is sent."""
    messages = draft.messages(placements)
    counter, inputs = draft.counter, draft.inputs
    tools = inputs.settings.tools
    announced = zip(tool_segments(tools), map(counter.tool_tokens, tools), strict=True)
    shares = token_shares(messages, counter)
    # History may be thousands of messages long, and stands together: it is taken as it is.
    opening = draft.ends(placements)[0]
    before = () if opening is None else opening.segments
    said = tuple(chain.from_iterable(growing.each("segments", draft.history, attrgetter("segments"))))
    rest = messages[len(draft.history) + (opening is not None) :]
    after = tuple(chain.from_iterable(map(attrgetter("segments"), rest)))
    first, end = len(before), len(before) + len(said)
    around = zip(before + after, shares[:first] + shares[end:], strict=True)
    rows: dict[LayerName, list[Priced]] = {name: [] for name in WIRE_ORDER}
    for segment, tokens in (*announced, *around):
        rows[segment.layer].append((segment, tokens))
    # What is history by its layer and stands in another message: the line about what left, where nothing stayed.
    beside = _layer("L4_STRIP", rows["L4_STRIP"])
    strip = _strip(said + beside.segments, (*shares[first:end], *beside.tokens), history, cuts, growing)
    layers = tuple(strip if name == strip.name else _layer(name, rows[name]) for name in WIRE_ORDER)
    compacted = compactions((*rows["L2_PREVIOUS"], *rows["L3_TURN"]), placements, inputs, counter)
    compacted = (*compacted, *previews_in(strip, history.messages, inputs, counter, growing))
    return _envelope(draft, layers, messages, replace(cuts, compacted=compacted), growing)


def _envelope(
    draft: Draft, layers: tuple[Layer, ...], messages: tuple[WireMessage, ...], cuts: Cuts, growing: Growing
) -> Envelope:
    inputs = draft.inputs
    return Envelope(
        conversation=inputs.conversation,
        turn=inputs.turn,
        model=inputs.settings.model,
        budget=draft.budget,
        layers=layers,
        messages=messages,
        total_tokens=sum(layer.total_tokens for layer in layers),
        exact=is_exact(messages, inputs.settings.tools, draft.counter, growing),
        cuts=cuts,
    )


def compactions(
    rows: Iterable[Priced], placements: Placements, inputs: TurnInputs, counter: TokenCounter
) -> tuple[Compacted, ...]:
    """The artifacts that were shortened: tokens before and after, and how to get the whole."""
    recover = {placement.artifact.key: placement for placement in placements}
    return tuple(
        _compaction(segment, tokens, _recovery(segment, recover[segment.id], inputs), counter)
        for segment, tokens in rows
        if segment.form == "compacted"
    )


def new_compactions(
    rows: Iterable[Priced], inputs: TurnInputs, counter: TokenCounter
) -> tuple[Compacted, ...]:
    """The artifacts in a log's newest message that are shorter because the user wants them so."""
    attached = {artifact.key: artifact for artifact in inputs.attached}
    how = Shortening(inputs.settings.compaction, frozenset(tool.name for tool in inputs.settings.tools))
    return tuple(
        _compaction(segment, tokens, recovery(attached[segment.id], how), counter)
        for segment, tokens in rows
        if segment.form == "compacted" and segment.id in attached
    )


def _layer(name: LayerName, rows: Sequence[Priced]) -> Layer:
    segments, tokens = zip(*rows, strict=True) if rows else ((), ())
    return Layer(name, segments, tokens)


def _strip(
    segments: tuple[Segment, ...], shares: Sequence[int], history: History, cuts: Cuts, growing: Growing
) -> Layer:
    """The History layer as it was said, with unsent segments in their place at no cost."""
    if len(segments) == len(history.said) and not cuts.trim.left[0]:
        return Layer("L4_STRIP", segments, tuple(shares))
    return _history_layer(list(zip(segments, shares, strict=True)), history.said, cuts, growing)


def _history_layer(rows: Sequence[Priced], said: tuple[Segment, ...], cuts: Cuts, growing: Growing) -> Layer:
    out = len(said) - len(rows)
    goes_on = out >= 0 and all(map(is_, said[out:], map(itemgetter(0), rows)))
    if goes_on and not any(map(attrgetter("sent"), said[:out])):
        # As in a log: what is not sent is all at the beginning, and stands there as it did before.
        return Layer("L4_STRIP", said, (*repeat(0, out), *map(itemgetter(1), rows)))
    sent = {one.id: (one, tokens) for one, tokens in rows}
    trimmed = frozenset(cuts.trimmed_messages)
    head = _gone_at_head(said, cuts.trimmed_messages, growing) if sent.keys().isdisjoint(trimmed) else ()
    told = [
        sent.get(one.id) or ((one.gone, 0) if one.id in trimmed else (_absent(one), 0))
        for one in said[len(head) :]
        if one.kind != LEFT
    ]
    line = sent.get(LEFT)
    if line is not None:
        behind = [one.id for one, _ in rows][[one.id for one, _ in rows].index(LEFT) + 1 :]
        told.insert(
            next((place for place, (one, _) in enumerate(told) if one.id in behind[:1]), len(told)), line
        )
    rest = _layer("L4_STRIP", told)
    return Layer("L4_STRIP", head + rest.segments, (*repeat(0, len(head)), *rest.tokens)) if head else rest


def _gone_at_head(
    said: tuple[Segment, ...], trimmed: tuple[str, ...], growing: Growing
) -> tuple[Segment, ...]:
    """The leading segments that all left, found without visiting each: in a long chat most have."""
    head = said[: len(trimmed)]
    left = growing.each("id", head, attrgetter("id")) == trimmed and LEFT not in trimmed
    silent = left and not any(growing.each("gone text", head, attrgetter("gone.text")))
    return growing.each("gone", head, attrgetter("gone")) if silent else ()


def _absent(segment: Segment) -> Segment:
    """An unsent message as its layer lists it."""
    return segment.left_out if segment.sent else segment


def _recovery(segment: Segment, placement: Placement, inputs: TurnInputs) -> str:
    if segment.layer == "L2_PREVIOUS" and placement.library_cut is None:
        return placement.artifact.recover_with
    tools = frozenset(tool.name for tool in inputs.settings.tools)
    return recovery(placement.artifact, Shortening(inputs.settings.compaction, tools))


def _compaction(segment: Segment, tokens: int, recover_with: str, counter: TokenCounter) -> Compacted:
    whole = replace(segment, text=segment.original or "")
    saved = counter.total(segment_cost(whole, counter)) - counter.total(segment_cost(segment, counter))
    return Compacted(segment.id, tokens + saved, tokens, recover_with)
