"""The report of one request, as the inspector and `replay` show it, in the fixed names of the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain, count

from workbench.context.assembly.draft import after_the_question
from workbench.context.outgoing import Json, neutral_messages, parameters_report
from workbench.domain.caching import CacheForecast
from workbench.domain.change import Built, Cause, PrefixChange
from workbench.domain.envelope import Envelope, Layer, TrimState
from workbench.domain.recall import FOUND_KINDS, Found, found_of
from workbench.domain.segment import LayerName, Segment

REPORT_FORMAT = "workbench-report/1"

Positions = Mapping[LayerName, Sequence[int]]


def turn_report(
    built: Built,
    change: PrefixChange,
    forecast: CacheForecast | None,
    findings: tuple[str, ...],
    build_ms: Mapping[str, float],
) -> Json:
    """The report of one turn."""
    envelope = built.envelope
    positions = _positions(built)
    found = {one.id: one for one in built.inputs.found}
    return {
        "turn": envelope.turn,
        "conversation": envelope.conversation,
        **_figures(built),
        **parameters_report(built),
        "layers": [_layer(layer, positions, found) for layer in envelope.layers],
        "prefix": _prefix(envelope, change),
        "cache": None if forecast is None else _cache(forecast),
        "pruned": [asdict(dropped) for dropped in envelope.cuts.pruned],
        "compacted": [asdict(compacted) for compacted in envelope.cuts.compacted],
        **_partly_read_files(built),
        "repaired": [asdict(repair) for repair in envelope.cuts.repairs],
        "trim": {**_trim(envelope.cuts.trim), "trimmed_messages": list(envelope.cuts.trimmed_messages)},
        "included_ids": included_ids(envelope),
        "excluded_ids": excluded_ids(built),
        "messages": neutral_messages(envelope.messages),
        "metrics": _metrics(built, build_ms),
        "violations": list(findings),
    }


def _partly_read_files(built: Built) -> Json:
    """Attached files that were read only in part, with what is missing; empty where all were read whole."""
    found = [
        {"id": one.name_for_model, "what": list(one.unread)} for one in built.inputs.attached if one.unread
    ]
    return {"unread": found} if found else {}


def _positions(built: Built) -> Positions:
    """The wire position of each row of each layer; what is not sent comes after what is.

    In a log a segment's position is where it was first sent, whatever its layer.
    """
    envelope = built.envelope
    if envelope.layout == "layered":
        rows = [segment for layer in envelope.layers for segment in layer.segments]
        wire = after_the_question(rows, built.inputs.rounds)
        places = {(segment.layer, segment.id): place for place, segment in enumerate(wire)}
        return {one.name: [places[s.layer, s.id] for s in one.segments] for one in envelope.layers}
    carried = [segment for message in envelope.messages for segment in message.segments]
    tools = len(built.inputs.settings.tools)
    unsent = count(tools + len(carried))
    found: dict[LayerName, list[int]] = {}
    for layer in envelope.layers:
        own = (place for place, segment in enumerate(carried, tools) if segment.layer == layer.name)
        sent = chain(range(tools) if layer.name == "L1_SYSTEM" else (), own)
        found[layer.name] = [next(sent) if segment.sent else next(unsent) for segment in layer.segments]
    return found


def _figures(built: Built) -> Json:
    """The request's size and limits, and its layout."""
    envelope = built.envelope
    return {
        "tool_rounds": tool_rounds(built),
        "fits": envelope.fits,
        "over_by_tokens": envelope.over_by_tokens,
        "window_tokens": envelope.budget.window_tokens,
        "threshold_tokens": envelope.budget.threshold_tokens,
        "total_tokens": envelope.total_tokens,
        "count": "exact" if envelope.exact else "estimated",
        "layout": envelope.layout,
        "rebuilt": _contract_reason(envelope.rebuilt),
    }


def _contract_reason(reason: str | None) -> str | None:
    """A rebuild reason in the contract's names: an old copy with a secret counts as left out by hand."""
    return "excluded" if reason == "secret" else reason


def _cause(cause: Cause) -> Json:
    told = asdict(cause)
    return {**told, "subject": _contract_reason(cause.subject)} if cause.cause == "rebuilt" else told


def _cache(forecast: CacheForecast) -> Json:
    return {
        "provider": forecast.provider,
        "predicted_read_tokens": forecast.predicted_read_tokens,
        "predicted_write_tokens": forecast.predicted_write_tokens,
        "fresh_tokens": forecast.fresh_tokens,
        "price_usd": forecast.price_usd,
        "warm_s": forecast.warm_s,
    }


def brief_report(built: Built, change: PrefixChange, forecast: CacheForecast | None) -> Json:
    """The report of one turn in numbers: counts in place of growing lists, and no texts."""
    envelope = built.envelope
    return {
        "turn": envelope.turn,
        **_figures(built),
        "layers": {
            one.name: {"tokens": one.total_tokens, "segments": len(one.segments)} for one in envelope.layers
        },
        "messages": len(envelope.messages),
        "prefix": _prefix(envelope, change),
        "cache": None if forecast is None else _cache(forecast),
        "pruned": len(envelope.cuts.pruned),
        "compacted": len(envelope.cuts.compacted),
        "repaired": len(envelope.cuts.repairs),
        "trim": {**_trim(envelope.cuts.trim), "trimmed_messages": len(envelope.cuts.trimmed_messages)},
    }


def _trim(state: TrimState) -> Json:
    """The trim state; cuts of texts only where there are any, since dropped ones are listed as pruned."""
    where: Json = {"boundary": state.boundary, "boundary_message": state.boundary_message}
    told = (asdict(one) for one in state.fitted if one.chars)
    cuts = [{name: value for name, value in one.items() if value is not None} for one in told]
    if state.basis is not None:
        where["basis"] = state.basis
    return {**where, "fitted": cuts} if cuts else where


def tool_rounds(built: Built) -> int:
    """How many tool rounds precede this request in its turn; 0 for the one with the question alone."""
    return sum(bool(message.tool_calls) for message in built.inputs.rounds)


def included_ids(envelope: Envelope) -> list[str]:
    """Every id that is in the request, in wire order, once."""
    return list(dict.fromkeys(s.id for layer in envelope.layers for s in layer.segments if s.sent))


def excluded_ids(built: Built) -> list[str]:
    """Every id that could have been in the request and is not: artifacts first, then messages."""
    included = set(included_ids(built.envelope))
    artifacts = (*(entry.key for entry in built.inputs.library), *(a.key for a in built.inputs.attached))
    candidates = (*artifacts, *(entry.id for entry in built.inputs.history))
    return list(dict.fromkeys(key for key in candidates if key not in included))


def _layer(layer: Layer, positions: Positions, found: Mapping[str, Found]) -> Json:
    rows = zip(layer.segments, layer.tokens, positions[layer.name], strict=True)
    return {
        "name": layer.name,
        "tokens": layer.total_tokens,
        "digest": layer.digest,
        "segments": [{**_segment(s, tokens, place), **_why(s, found)} for s, tokens, place in rows],
    }


def _why(segment: Segment, found: Mapping[str, Found]) -> Json:
    """For a quote, its source and the reasons; empty for other segments."""
    one = found_of(found, segment.id)
    if segment.layer != "L3_TURN" or segment.kind not in FOUND_KINDS or one is None:
        return {}
    words = [{"word": w.word, "found": w.found, "kind": w.kind, "part": round(w.part, 4)} for w in one.words]
    source = "folder" if one.folder else one.artifact or one.chat or "history"
    where = {"path": one.artifact, "part": one.place} if one.folder else {}
    return {"source": source, **where, "score": round(one.score, 4), "words": words}


def _segment(segment: Segment, tokens: int, position: int) -> Json:
    return {
        "id": segment.id,
        "kind": segment.kind,
        "form": segment.form,
        "tokens": tokens,
        "priority": segment.priority,
        "essential": segment.essential,
        "recoverable": segment.recoverable,
        "digest": segment.digest,
        "content_digest": segment.content_digest,
        "position": position,
        "superseded": segment.superseded,
        "override": segment.override,
    }


def _prefix(envelope: Envelope, change: PrefixChange) -> Json:
    return {
        "l1_digest": envelope.layer("L1_SYSTEM").digest,
        "l2_digest": envelope.layer("L2_PREVIOUS").digest,
        "combined_digest": envelope.combined_digest,
        "change": change.change,
        "diverges_at": None if change.diverges_at is None else asdict(change.diverges_at),
        "causes": [_cause(cause) for cause in change.causes],
        "reused_tokens": change.reused_tokens,
    }


def _metrics(built: Built, build_ms: Mapping[str, float]) -> Json:
    layers = built.envelope.layers
    artifacts = [s for layer in layers if layer.name in ("L2_PREVIOUS", "L3_TURN") for s in layer.segments]
    references = sum(segment.form == "reference" for segment in artifacts)
    compacted = sum(segment.form == "compacted" for segment in artifacts)
    return {
        "build_ms": {phase: round(milliseconds, 3) for phase, milliseconds in build_ms.items()},
        "segments_per_layer": {layer.name: len(layer.segments) for layer in layers},
        "dedup_ratio": _ratio(references, len(built.inputs.attached)),
        "compacted_ratio": _ratio(compacted, len(artifacts)),
        "parse_failures": sum(artifact.key.startswith("unparsed:") for artifact in built.inputs.attached),
    }


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
