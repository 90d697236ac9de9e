"""The rows of a request, layer by layer: what each costs, in what state it is, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate

from workbench.context.count.pictures import is_guess, picture_tokens
from workbench.context.explain.artifact_rows import artifact_key, artifact_rows, quote_groups
from workbench.context.explain.history_rows import history_key, history_rows
from workbench.context.explain.reasons import cannot_see, instruction_reason, layer_reason
from workbench.context.explain.row_facts import CachedRun, LogRun, RowFacts, secrets_of
from workbench.context.explain.watched_rows import watched_rows
from workbench.context.text.names import short_name
from workbench.domain.change import Built
from workbench.domain.envelope import Layer, WireMessage
from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.segment import LayerName, Segment
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.shown.envelope_view import (
    NO_REASON,
    LayerRow,
    PartSource,
    Reason,
    RowKey,
    RowPart,
    SegmentRow,
)
from workbench.domain.text import repair_text
from workbench.domain.workspace import fact_spans
from workbench.ports.counting import TokenCounter

_TOOL = "tool:"


def layer_starts(built: Built) -> list[int]:
    """Where each layer begins, in tokens from the start of the request."""
    rounds = {message.id for message in built.inputs.rounds}
    layers = built.envelope.layers
    return list(accumulate((_early_tokens(layer, rounds) for layer in layers[:-1]), initial=0))


def cached_runs(built: Built, read_tokens: int | None, memo: Memo) -> list[CachedRun]:
    """A walk along each layer, by which its rows are told what of them is cached."""
    if built.envelope.layout == "layered":
        return [CachedRun(read_tokens, start) for start in layer_starts(built)]
    starts = memo.kept("log starts", _starts_key(built), lambda: _log_starts(built))
    return [LogRun(read_tokens, starts[layer.name]) for layer in built.envelope.layers]


def _starts_key(built: Built) -> tuple[object, ...]:
    """Everything that the beginnings depend on: not what the last segment costs, which is what one types."""
    envelope = built.envelope
    *before, last = envelope.layers
    carried = tuple(segment.layer for segment in envelope.messages[-1].segments) if envelope.messages else ()
    tools = len(built.inputs.settings.tools)
    return envelope.messages[:-1], carried, tuple(map(ByIdentity, before)), last.tokens[:-1], tools


def _log_starts(built: Built) -> dict[LayerName, list[int]]:
    """Where each segment of a log begins, by layer and in its order, in tokens from the start of the request."""
    envelope = built.envelope
    costs: dict[LayerName, Iterator[int]] = {
        layer.name: iter([t for s, t in zip(layer.segments, layer.tokens, strict=True) if s.sent])
        for layer in envelope.layers
    }
    starts: dict[LayerName, list[int]] = {layer.name: [] for layer in envelope.layers}
    at = 0
    carried = (segment.layer for message in envelope.messages for segment in message.segments)
    tools: list[LayerName] = ["L1_SYSTEM"] * len(built.inputs.settings.tools)
    for name in (*tools, *carried):
        starts[name].append(at)
        at += next(costs[name])
    return starts


def layer_key(layer: Layer, around: RowFacts) -> tuple[object, ...]:
    """Everything a layer's rows depend on, besides what is cached; equal keys give equal rows."""
    previous = around.previous
    before = None if previous is None else (previous.inputs.turn, previous.envelope.layer(layer.name).digest)
    match layer.name:
        case "L4_STRIP":
            return before, *history_key(layer, around)
        case "L2_PREVIOUS" | "L3_TURN":
            return before, *artifact_key(layer, around)
        case "L1_SYSTEM" | "L5_USER":
            model, unseen = around.built.inputs.model, around.unseen
            found = tuple(around.secrets.get(segment.id, ()) for segment in layer.segments)
            settings = around.built.inputs.settings
            said = (settings.persona, settings.persona_mode, settings.user_memory)
            return before, layer.segments, layer.tokens, around.standing, model, unseen, found, said


def layer_row(layer: Layer, around: RowFacts, run: CachedRun) -> LayerRow:
    """One layer with its rows; `run` is left where the layer ends."""
    rows = tuple(_rows(layer, around, run))
    return LayerRow(
        name=layer.name,
        tokens=layer.total_tokens,
        rows=rows,
        digest=layer.digest if layer.segments else "",
        cached_tokens=sum(row.cached_tokens for row in rows),
        reason=layer_reason(layer, around) if layer.name != "L5_USER" and layer.segments else NO_REASON,
        groups=quote_groups(rows, around) if layer.name == "L3_TURN" else (),
    )


def _rows(layer: Layer, around: RowFacts, run: CachedRun) -> Iterable[SegmentRow]:
    if around.built.inputs.passed is not None:
        return watched_rows(layer, around, run)
    match layer.name:
        case "L4_STRIP":
            return history_rows(layer, around, run)
        case "L2_PREVIOUS" | "L3_TURN":
            return artifact_rows(layer, around, run)
        case "L1_SYSTEM" | "L5_USER":
            parts = zip(layer.segments, layer.tokens, strict=True)
            return [row for segment, tokens in parts for row in _with_pictures(segment, tokens, around, run)]


def _with_pictures(segment: Segment, tokens: int, around: RowFacts, run: CachedRun) -> Iterator[SegmentRow]:
    """The words of a segment, then its pictures, each at its own cost."""
    rule, left = around.built.inputs.model.pictures, tokens
    costs = []
    for image in segment.images:
        costs.append(min(left, picture_tokens(image, rule)))
        left -= costs[-1]
    yield _locked(segment, left, around, run)
    for place, (image, cost) in enumerate(zip(segment.images, costs, strict=True), 1):
        attached = around.attached.get(image.source)
        cache, cached = run.take_more(cost)
        yield SegmentRow(
            key=RowKey(segment.layer, f"{segment.id}#{place}"),
            members=(segment.id,),
            kind="image",
            name="picture" if attached is None else short_name(attached),
            tokens=cost,
            state="estimated" if is_guess(image, rule) else "locked",
            digest=image.digest,
            priority=0,
            pinned=True,
            cache=cache,
            cached_tokens=cached,
            start=run.began,
            reason=NO_REASON,
        )


def _locked(segment: Segment, tokens: int, around: RowFacts, run: CachedRun) -> SegmentRow:
    """What no cut takes: instructions, tools and the question."""
    cache, cached = run.take(tokens)
    kind, name, reason = _about(segment, around)
    return SegmentRow(
        key=RowKey(segment.layer, segment.id),
        members=(segment.id,),
        kind=kind,
        name=name,
        tokens=tokens,
        state="unseen" if segment.id in around.unseen else "locked",
        digest=segment.digest,
        priority=0,
        pinned=True,
        cache=cache,
        cached_tokens=cached,
        start=run.began,
        reason=reason,
        secrets=secrets_of(segment, around),
        parts=instruction_parts(segment, around.built.inputs.settings, around.counter),
    )


def _about(segment: Segment, around: RowFacts) -> tuple[str, str, Reason]:
    if segment.layer == "L1_SYSTEM":
        return segment.kind, segment.id.removeprefix(_TOOL), instruction_reason(segment, around)
    if segment.id in around.unseen:
        return "question", "question", cannot_see(around)
    if segment.kind == "user":
        return "question", "question", Reason("draft") if around.standing == "next" else NO_REASON
    return segment.kind, segment.id, NO_REASON


def _early_tokens(layer: Layer, rounds: set[str]) -> int:
    """What a layer costs without what was said after the question, which ends the request."""
    if layer.name != "L3_TURN" or not rounds:
        return layer.total_tokens
    parts = zip(layer.segments, layer.tokens, strict=True)
    return sum(tokens for segment, tokens in parts if segment.id not in rounds)


_SOURCES: dict[str, PartSource] = {"default": "default", "workspace": "workspace", "user": "chat"}


def instruction_parts(
    segment: Segment, settings: ContextSettings, counter: TokenCounter
) -> tuple[RowPart, ...]:
    """The parts of a persona or of what is remembered; none where it is of one piece that says nothing more."""
    match segment.kind:
        case "persona":
            said = settings.persona.parts(settings.persona_mode)
            found = [(_SOURCES[source], repair_text(text)) for source, text in said]
        case "memory":
            memory = repair_text(settings.user_memory)
            found = [("fact", memory[slice(*span)]) for span in fact_spans(memory)]
        case _:
            return ()
    return _counted(segment, found, counter)


def _counted(
    segment: Segment, found: list[tuple[PartSource, str]], counter: TokenCounter
) -> tuple[RowPart, ...]:
    """The parts with what each costs where it stands; what frames them is nobody's."""
    texts: list[tuple[PartSource | None, str]] = []
    at = 0
    for source, text in found:
        start = segment.text.find(text, at)
        if start < 0:
            return ()  # something in it was replaced or made harmless: it is one piece
        texts += [(None, segment.text[at:start]), (source, text)]
        at = start + len(text)
    if not texts:
        return ()
    # An empty piece at the front takes what frames the message.
    pieces = [(None, ""), *((source, text) for source, text in (*texts, (None, segment.text[at:])) if text)]
    segments = tuple(
        replace(segment, id=f"{segment.id}:{number}", text=text, lead="")
        for number, (_, text) in enumerate(pieces)
    )
    costs = counter.costs(WireMessage("system", "system", segments))
    return tuple(
        RowPart(source, _bare(text) if source == "fact" else text, counter.total(cost))
        for (source, text), cost in zip(pieces, costs, strict=True)
        if source is not None
    )


def _bare(fact: str) -> str:
    """A fact as it was written down."""
    return "\n".join(line[2:] for line in fact.split("\n"))
