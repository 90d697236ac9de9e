"""The view of a request, made in one pass: rows in wire order with their costs, the drop order, and the attachments."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, groupby
from typing import NamedTuple

from workbench.context.assembly.exchanges import TurnGroup, exchanges
from workbench.context.assembly.quotes import Quotes, folder_room
from workbench.context.count.counting import is_guess, picture_tokens
from workbench.context.explain.artifact_rows import artifact_key, artifact_rows, quote_groups, quoted_ids
from workbench.context.explain.attachment_rows import attachment_rows, drop_cards, drop_order
from workbench.context.explain.reasons import cannot_see, exchange_reason, instruction_reason, layer_reason
from workbench.context.explain.row_facts import CachedRun, LogRun, RowFacts, secrets_key, secrets_of
from workbench.context.outgoing import parameters_report
from workbench.context.request_cost import (
    request_cost,
    runs_here,
    trimmed_away_tokens,
    uncached_forecast,
    whole_message_tokens,
)
from workbench.context.text.names import short_name
from workbench.context.watch.body import wire_segments
from workbench.domain.caching import CacheForecast
from workbench.domain.change import Built, PrefixChange
from workbench.domain.envelope import Envelope, Layer, WireMessage
from workbench.domain.mcp_server import BETWEEN
from workbench.domain.memo import AllByIdentity, ByIdentity, Memo
from workbench.domain.parameters import Unsent
from workbench.domain.segment import LayerName, Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import (
    NO_REASON,
    REFERENCES,
    DropCard,
    EnvelopeView,
    LayerRow,
    NearlyTaken,
    PartSource,
    Reason,
    RowGroup,
    RowKey,
    RowPart,
    RowState,
    SegmentRow,
)
from workbench.domain.text import digest_chain, digest_text, repair_text
from workbench.domain.turn import BEGINNING, TurnInputs
from workbench.domain.usage import Price
from workbench.domain.watch.request import Passed
from workbench.domain.workspace import fact_spans
from workbench.ports.counting import TokenCounter

# Rows of a watched request: one a piece of its body, and one for all of its tools.


TOOLS = "tools"
"""The id of the row that represents all tools."""
_TOOL = "tool:"
Priced = tuple[Segment, int]


def watched_rows(layer: Layer, around: RowFacts, run: CachedRun) -> Iterator[SegmentRow]:
    """The rows of a layer, in wire order."""
    names = _segment_labels(around)
    before = _previous_digests(around)
    parts = zip(layer.segments, layer.tokens, strict=True)
    for together, group in groupby(parts, key=lambda part: part[0].kind == "tool"):
        if together:
            yield _tools_row(list(group), around, run, before)
        else:
            some = list(group)
            alike = Counter(one.kind for one, _ in some) if layer.name == "L1_SYSTEM" else Counter()
            for number, (one, tokens) in enumerate(some, 1):
                named = names.get((one.layer, one.id), _SegmentLabel())
                row = _watched_row(one, tokens, named, run, before)
                yield replace(row, first_turn=number) if alike[one.kind] > 1 else row


class _SegmentLabel(NamedTuple):
    """A segment's display name, and whether a cache mark ends there."""

    name: str = ""
    marked: bool = False


def _segment_labels(around: RowFacts) -> dict[tuple[LayerName, str], _SegmentLabel]:
    """Display name and cache mark of each segment of a watched request."""
    passed = around.built.inputs.passed or Passed()
    marked = frozenset(passed.marked)
    named = zip(wire_segments(around.built.envelope), passed.names, strict=False)
    return {
        (one.layer, one.id): _SegmentLabel(name, place in marked) for place, (one, name) in enumerate(named)
    }


def _previous_digests(around: RowFacts) -> dict[str, str]:
    """Digests of the previous request's segments by id, in whatever layer they were."""
    layers = () if around.previous is None else around.previous.envelope.layers
    return {one.id: one.digest for layer in layers for one in layer.segments}


def _watched_row(
    segment: Segment, tokens: int, named: _SegmentLabel, run: CachedRun, before: Mapping[str, str]
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


def _tools_row(
    parts: list[Priced], around: RowFacts, run: CachedRun, before: Mapping[str, str]
) -> SegmentRow:
    """All tools in one row, with called and unused ones as its two parts."""
    cache, cached = run.take_each([tokens for _, tokens in parts])
    called = frozenset((around.built.inputs.passed or Passed()).called)
    changed = any(before.get(one.id) != one.digest for one, _ in parts) or _has_removed_tools(parts, before)
    told: list[tuple[PartSource, list[Priced]]] = [
        ("called", [one for one in parts if _tool_name(one) in called]),
        ("unused", [one for one in parts if _tool_name(one) not in called]),
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
        parts=tuple(_tools_part(source, some) for source, some in told if some),
    )


def _tools_part(source: PartSource, some: list[Priced]) -> RowPart:
    return RowPart(source, ", ".join(map(_tool_name, some)), sum(tokens for _, tokens in some), len(some))


def _tool_name(part: Priced) -> str:
    return part[0].id.removeprefix(_TOOL)


def _has_removed_tools(parts: list[Priced], before: Mapping[str, str]) -> bool:
    return sum(key.startswith(_TOOL) for key in before) > len(parts)


# Rows of history: a turn each, and one for all those that a rule cut.


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
        frozenset(quoted_ids(around)),
    )


def history_rows(layer: Layer, around: RowFacts, run: CachedRun) -> Iterator[SegmentRow]:
    """The rows of the History layer, in the order in which things were said."""
    back = frozenset(quoted_ids(around))
    told = (_row(exchange, around, run) for exchange in exchanges(layer, around.built))
    unwanted = around.built.inputs.tuning.unrecalled
    return (_with_quotes(row, back, unwanted) for row in told) if back or unwanted else told


def _with_quotes(row: SegmentRow, back: frozenset[str], unwanted: frozenset[str]) -> SegmentRow:
    """A history row with the numbers of its messages that are quoted, and that the user never wants quoted."""
    if back.isdisjoint(row.members) and unwanted.isdisjoint(row.members):
        return row
    return replace(
        row, back=len(back.intersection(row.members)), never=len(unwanted.intersection(row.members))
    )


def _row(exchange: TurnGroup, around: RowFacts, run: CachedRun) -> SegmentRow:
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


def _state(exchange: TurnGroup, around: RowFacts) -> RowState:
    if around.unseen and exchange.sent and any(part.id in around.unseen for part, _ in exchange.parts):
        return "unseen"
    return "estimated" if exchange.fate == "sent" and exchange.guessed else _STATES[exchange.fate]


def _full_tokens(exchange: TurnGroup, tokens: int, around: RowFacts) -> int | None:
    if exchange.fate not in ("trimmed", "left", "shortened"):
        return None
    segments = [segment for segment, _ in exchange.parts]
    gone = [segment for segment in segments if not segment.sent]
    whole = whole_message_tokens(gone, around.counter)
    return tokens + whole + trimmed_away_tokens(segments, around.counter)


def _digest(segments: tuple[Segment, ...]) -> str:
    """Digest of the sent segments; where nothing is sent, of what was said."""
    sent = [segment.digest for segment in segments if segment.sent]
    return digest_chain(sent or [segment.content_digest for segment in segments])


# The rows of a request, layer by layer: what each costs, in what state it is, and why.


def layer_starts(built: Built) -> list[int]:
    """The offset of each layer in tokens from the start of the request."""
    rounds = {message.id for message in built.inputs.rounds}
    layers = built.envelope.layers
    return list(accumulate((_tokens_before_rounds(layer, rounds) for layer in layers[:-1]), initial=0))


def cached_runs(built: Built, read_tokens: int | None, memo: Memo) -> list[CachedRun]:
    """For each layer, the cursor that tells its rows how many of their tokens are cached."""
    if built.envelope.layout == "layered":
        return [CachedRun(read_tokens, start) for start in layer_starts(built)]
    starts = memo.cached("log starts", _starts_key(built), lambda: _log_starts(built))
    return [LogRun(read_tokens, starts[layer.name]) for layer in built.envelope.layers]


def _starts_key(built: Built) -> tuple[object, ...]:
    """Memo key of the layer offsets: everything they depend on, so not the cost of the last segment, the question."""
    envelope = built.envelope
    *before, last = envelope.layers
    carried = tuple(segment.layer for segment in envelope.messages[-1].segments) if envelope.messages else ()
    tools = len(built.inputs.settings.tools)
    return envelope.messages[:-1], carried, tuple(map(ByIdentity, before)), last.tokens[:-1], tools


def _log_starts(built: Built) -> dict[LayerName, list[int]]:
    """The offset of each segment of a log, by layer, in tokens from the start of the request."""
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
    """One layer with its rows; leaves the cursor `run` at the layer's end."""
    rows = tuple(_rows(layer, around, run))
    return LayerRow(
        name=layer.name,
        tokens=layer.total_tokens,
        rows=rows,
        digest=layer.digest if layer.segments else "",
        cached_tokens=sum(row.cached_tokens for row in rows),
        reason=layer_reason(layer, around) if layer.name != "L5_USER" and layer.segments else NO_REASON,
        groups=(*quote_groups(rows, around), *_references(rows))
        if layer.name == "L3_TURN"
        else _tool_groups(rows),
    )


def _references(rows: Sequence[SegmentRow]) -> tuple[RowGroup, ...]:
    """What is attached and stands in the library unchanged, as one group: a file is in sight once."""
    some = [row for row in rows if row.group == REFERENCES]
    tokens, cached = sum(row.tokens for row in some), sum(row.cached_tokens for row in some)
    return (RowGroup("references", len(some), tokens, 0, cached),) if some else ()


def _tool_groups(rows: Sequence[SegmentRow]) -> tuple[RowGroup, ...]:
    """The tools of each server as a group: there may be a hundred of them."""
    servers = dict.fromkeys(row.name.partition(BETWEEN)[0] for row in rows if row.group is not None)
    made = []
    for server in servers:
        inside = [row for row in rows if row.group is not None and row.name.startswith(server + BETWEEN)]
        tokens, cached = sum(row.tokens for row in inside), sum(row.cached_tokens for row in inside)
        made.append(RowGroup("tools", len(inside), tokens, 0, cached, server=server))
    return tuple(made)


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
    """The row of a segment that is never trimmed or dropped: instructions, tools and the question."""
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
    if segment.kind == BEGINNING:
        return segment.kind, segment.kind, Reason("begun")
    return segment.kind, segment.id, NO_REASON


def _tokens_before_rounds(layer: Layer, rounds: set[str]) -> int:
    """Cost of a layer without the tool rounds that follow the question at the end of the request."""
    if layer.name != "L3_TURN" or not rounds:
        return layer.total_tokens
    parts = zip(layer.segments, layer.tokens, strict=True)
    return sum(tokens for segment, tokens in parts if segment.id not in rounds)


_SOURCES: dict[str, PartSource] = {"default": "default", "workspace": "workspace", "user": "chat"}


def instruction_parts(
    segment: Segment, settings: ContextSettings, counter: TokenCounter
) -> tuple[RowPart, ...]:
    """The parts of the persona or of the memory as rows of their own; empty where there is only one part."""
    match segment.kind:
        case "persona":
            said = settings.persona.parts(settings.persona_mode)
            found = [(_SOURCES[source], repair_text(text)) for source, text in said]
        case "memory":
            memory = repair_text(settings.user_memory)
            found = [("fact", memory[slice(*span)]) for span in fact_spans(memory)]
        case _:
            return ()
    return _with_tokens(segment, found, counter)


def _with_tokens(
    segment: Segment, found: list[tuple[PartSource, str]], counter: TokenCounter
) -> tuple[RowPart, ...]:
    """The parts with the tokens each adds in its place; the text that frames them is counted for no part."""
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
        RowPart(source, _unformatted_fact(text) if source == "fact" else text, counter.total(cost))
        for (source, text), cost in zip(pieces, costs, strict=True)
        if source is not None
    )


def _unformatted_fact(fact: str) -> str:
    """A fact without the formatting that `memory_text` adds."""
    return "\n".join(line[2:] for line in fact.split("\n"))


_BUT_THE_QUESTION = tuple(one.name for one in fields(TurnInputs) if one.name not in ("question", "now"))


@dataclass(frozen=True, slots=True)
class ViewedRequest:
    """A request to be shown, with what its rows are explained by.

    Attributes:
        facts: what its rows are explained by.
        change: how it differs from the previous request.
        forecast: what a cache is expected to do with it; None where that is unknown.
        price: of its model; None where it is not known.
    """

    facts: RowFacts
    change: PrefixChange
    forecast: CacheForecast | None = None
    price: Price | None = None
    sent_utc: str = ""

    @property
    def read_tokens(self) -> int | None:
        """Tokens that a cache is expected to serve; None where that is unknown."""
        return None if self.forecast is None else self.forecast.predicted_read_tokens


def envelope_view(looked: ViewedRequest, memo: Memo) -> EnvelopeView:
    """The view of a request; rows and layers equal to the previous ones in `memo` are the same objects."""
    facts, read = looked.facts, looked.read_tokens
    envelope, card = facts.built.envelope, facts.built.inputs.model
    expected = looked.forecast or uncached_forecast(card, envelope.total_tokens)
    cost = request_cost(card, looked.price, expected)
    later = request_cost(card, looked.price, CacheForecast(card.provider, envelope.total_tokens, 0))
    local = runs_here(card)
    layers = _layers(looked, memo)
    unset = facts.built.inputs.settings.context_window is None
    head, unsent = _beside_messages(facts.built, memo)
    return EnvelopeView(
        turn=envelope.turn,
        model=envelope.model,
        layers=layers,
        total_tokens=envelope.total_tokens,
        limit_tokens=envelope.budget.window_tokens,
        reserve_tokens=envelope.budget.reserved_output_tokens,
        threshold_tokens=envelope.budget.threshold_tokens,
        exact=envelope.exact,
        spread=None if envelope.exact else facts.counter.spread,
        cached_tokens=read,
        cost_usd=cost,
        later_usd=later,
        layout=envelope.layout,
        rebuilt=envelope.rebuilt,
        trimmed=envelope.cuts.trimmed_messages,
        trimmed_tokens=_trimmed_tokens(envelope, memo),
        local=local,
        digest=request_digest(facts.built, head, _bytes_digests(envelope, memo)),
        standing=facts.standing,
        sent_utc=looked.sent_utc,
        window_assumed=card.window_assumed and unset,
        window_from=card.window_from if unset else "",
        largest_window_tokens=card.largest_window_tokens,
        counted_at_send=card.counted_at_send and not envelope.exact,
        takes=card.parameters,
        unsent=unsent,
        continues=card.prefill,
        breaks=max(1, len(looked.change.causes)) if looked.change.change == "diverged" else 0,
        drop_order=drop_order(layers, _cards(layers, facts, memo)),
        nearly=_nearly(facts, memo),
    )


def _nearly(facts: RowFacts, memo: Memo) -> tuple[NearlyTaken, ...]:
    """The sections of followed folders that fit next, with their costs."""
    found = facts.built.inputs.found
    if not any(one.folder for one in found):
        return ()

    turn = facts.built.envelope.layer("L3_TURN")
    parts = zip(turn.segments, turn.tokens, strict=True)
    spent = sum(tokens for segment, tokens in parts if segment.kind == "quoted")
    left = max(0, folder_room(facts.built.inputs.settings, facts.built.envelope.budget) - spent)

    def make() -> tuple[NearlyTaken, ...]:
        quotes, ranked = Quotes(facts.built.inputs, facts.counter), [one for one in found if one.folder]
        numbered = ((rank, one) for rank, one in enumerate(ranked, 1) if one.reserved)
        return tuple(NearlyTaken(one, rank, quotes.cost(one), left) for rank, one in numbered)

    return memo.cached("nearly taken", (ByIdentity(found), facts.built.inputs.model, left), make)


def attachments_in(view: EnvelopeView, looked: ViewedRequest, memo: Memo) -> tuple[AttachmentRow, ...]:
    """One row for each attachment, as it is in that request."""
    facts, read, price = looked.facts, looked.read_tokens, looked.price
    inputs = facts.built.inputs
    about = (inputs.attached, inputs.model, inputs.settings.freshness, facts.disk, read, price)
    before = tuple(layer.tokens for layer in view.layers[:3])
    key = (view.layers[1], view.layers[3], before, *about)
    return memo.cached("attachments", key, lambda: attachment_rows(view.layers, facts, read, price))


def _trimmed_tokens(envelope: Envelope, memo: Memo) -> int:
    messages = envelope.cuts.trimmed_messages
    if not messages:
        return 0
    layer = envelope.layer("L4_STRIP")

    def make() -> int:
        wanted = frozenset(messages)
        costs = zip(layer.segments, layer.tokens, strict=True)
        return sum(cost for segment, cost in costs if segment.id in wanted)

    return memo.cached("trimmed tokens", (ByIdentity(layer), messages), make)


def _layers(looked: ViewedRequest, memo: Memo) -> tuple[LayerRow, ...]:
    """All layers with their rows; while the user types, only the question's layer is rebuilt."""
    facts = looked.facts
    inputs, envelope = facts.built.inputs, facts.built.envelope
    runs = cached_runs(facts.built, looked.read_tokens, memo)
    *upper, last = zip(envelope.layers, runs, strict=True)
    same = AllByIdentity(
        *envelope.layers[:-1], *(getattr(inputs, name) for name in _BUT_THE_QUESTION),
        facts.previous, facts.said_before, facts.attached_in, facts.disk, envelope.cuts,
    )  # fmt: skip
    cached = [run.key(layer.total_tokens) for layer, run in upper]
    end = envelope.total_tokens if inputs.rounds else None
    key = (same, cached, looked.read_tokens, end, envelope.fits, facts.standing, facts.secrets)
    rows = memo.cached("upper layers", key, lambda: tuple(_layer(*one, facts, memo) for one in upper))
    return (*rows, _layer(*last, facts, memo))


def _layer(layer: Layer, run: CachedRun, facts: RowFacts, memo: Memo) -> LayerRow:
    late = run.read_tokens if facts.built.inputs.rounds else None
    key = (run.key(layer.total_tokens), late, layer_key(layer, facts))
    return memo.cached_from_last(
        layer.name, key, lambda last: _reuse_equal_rows(last, layer_row(layer, facts, run))
    )


def _reuse_equal_rows(old: LayerRow | None, new: LayerRow) -> LayerRow:
    """The new layer row, reusing old row objects where equal, so that a front end can skip redrawing them."""
    if old is None:
        return new
    by_key = {row.key: row for row in old.rows}
    rows = tuple(by_key[row.key] if by_key.get(row.key) == row else row for row in new.rows)
    settled = replace(new, rows=rows)
    return old if settled == old else settled


def _cards(layers: tuple[LayerRow, ...], facts: RowFacts, memo: Memo) -> tuple[DropCard, ...]:
    inputs, envelope = facts.built.inputs, facts.built.envelope
    total = envelope.total_tokens if envelope.cuts.pruned else None
    given = inputs.settings
    rules = (given.freshness, given.compaction, given.filters, given.attachment_budget_tokens, given.counter)
    about = (inputs.model, inputs.attached, inputs.library, inputs.tuning)
    key = (layers[1], layers[3], envelope.cuts, envelope.budget, total, rules, about)
    return memo.cached("cards", key, lambda: drop_cards((layers[1], layers[3]), facts))


def _bytes_digests(envelope: Envelope, memo: Memo) -> tuple[str, ...]:
    *upper, last = envelope.layers
    key = tuple(layer.segments for layer in upper)
    return *memo.cached("bytes", key, lambda: tuple(map(layer_bytes_digest, upper))), layer_bytes_digest(last)


def _beside_messages(built: Built, memo: Memo) -> tuple[str, tuple[Unsent, ...]]:
    """Digest of what is sent beside the messages, and the parameters that are set but not sent."""
    given, card = built.inputs.settings.parameters, built.inputs.model
    key = (given, card, built.envelope.model, built.envelope.budget.reserved_output_tokens)
    return memo.cached("beside", key, lambda: (head_digest(built), card.parameters.unsent(given)))


# One digest of a request: equal for equal bytes, and cheap, because it is made of the digests of its
# segments.


def request_digest(built: Built, head: str = "", layers: Sequence[str] = ()) -> str:
    """The digest of everything that is sent; digests of its parts may be passed in where they are known."""
    found = layers or map(layer_bytes_digest, built.envelope.layers)
    return digest_chain([head or head_digest(built), *found])


def head_digest(built: Built) -> str:
    """Digest of what is sent beside the messages: model, reply reserve and parameters."""
    chosen = parameters_report(built).get("parameters")
    said = f"\n{json.dumps(chosen, sort_keys=True)}" if chosen else ""
    return digest_text(f"{built.envelope.model}\n{built.envelope.budget.reserved_output_tokens}{said}")


def layer_bytes_digest(layer: Layer) -> str:
    """Digest of a layer as it is sent: roles, separators and texts."""
    # Not by `digest_text`, which keeps the last long texts: 1.5 MB in a chat of 10,000 turns.
    return digest_chain([f"{s.kind}\n{s.lead}\n{s.digest}" for s in layer.segments if s.sent])
