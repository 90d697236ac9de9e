"""Rows of the Library and This turn layers: artifacts as sent, those not sent, and quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from workbench.context.assembly.quotes import folder_room, growing_room, recall_room, section_room
from workbench.context.assembly.references import is_artifact
from workbench.context.explain.reasons import artifact_reason, is_unseen, pruned_reason, said_reason
from workbench.context.explain.row_facts import CachedRun, RowFacts, secrets_key, secrets_of
from workbench.context.request_cost import artifact_tokens
from workbench.context.text.names import short_name
from workbench.domain.chunk import command_of
from workbench.domain.envelope import Layer
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.file_names import short_path
from workbench.domain.on_demand import called_tool
from workbench.domain.recall import FOUND_KINDS, Found, FoundKind, found_of, parts_of
from workbench.domain.segment import LayerName, Segment
from workbench.domain.shown.envelope_view import Reason, RowGroup, RowKey, RowState, SegmentRow
from workbench.domain.turn import BEGINNING

_LEAST_ROOM = 32
"""What a heading and a short quote cost: with less, nothing more comes back."""


def quoted_row(segment: Segment, tokens: int, around: RowFacts, run: CachedRun) -> SegmentRow:
    """The row of a message or section quoted for this question."""
    cache, cached = run.take(tokens)
    found = found_of(around.found, segment.id) or Found(segment.id, 0.0, "recalled")
    recalled, parts = around.built.inputs.tuning.recalled, parts_of(segment.id)
    if (by_rank := [one for one in parts if one not in recalled]) and len(parts) > 1:
        # What comes next is counted from the last section that was not asked for, so that asking again takes it back.
        found = replace(found, after=around.found[by_rank[-1]].after)
    return SegmentRow(
        key=RowKey(segment.layer, segment.id),
        members=parts,
        kind=segment.kind,
        name=found.title or found.speaker or around.speakers.get(segment.id, ""),
        tokens=tokens,
        state=found.kind,
        digest=segment.digest,
        pinned=recalled.issuperset(parts),
        cache=cache,
        cached_tokens=cached,
        start=run.began,
        reason=_reason(found, around),
        first_turn=around.turn_numbers.get(segment.id, 0),
        secrets=secrets_of(segment, around),
        found=found,
    )


def _reason(found: Found, around: RowFacts) -> Reason:
    """The words that explain a quote; of a section of a followed folder with its rank."""
    words = ", ".join(_matched_words(found))
    if found.kind != "quoted":
        return Reason("recalled", words)
    parts = parts_of(found.id)
    ranked = [one.id for one in around.built.inputs.found if one.kind == "quoted"]
    rank = min((ranked.index(one) + 1 for one in parts if one in ranked), default=0)
    ticked = around.built.inputs.tuning.recalled.issuperset(parts)
    return Reason("ticked" if ticked else "quoted", words, rank)


def _matched_words(found: Found) -> tuple[str, ...]:
    """The words that explain a match: those in the text itself before those of neighbours, the most important first."""
    own = ("exact", "near")
    ordered = sorted(found.words, key=lambda one: (one.kind not in own, -one.part))
    return tuple(dict.fromkeys(one.word for one in ordered))


def groups_key(layer: Layer, around: RowFacts) -> tuple[object, ...]:
    """Memo key of the groups: everything they depend on besides the rows."""
    settings = around.built.inputs.settings
    folders = any(one.folder for one in around.built.inputs.found)
    if layer.name != "L3_TURN" or not (settings.history.recall or settings.sections.by_relevance or folders):
        return ()
    envelope = around.built.envelope
    said = envelope.layer("L4_STRIP").total_tokens
    return settings.history, settings.sections, envelope.budget, envelope.layout, envelope.rebuilt, said


def quote_groups(rows: Iterable[SegmentRow], around: RowFacts) -> tuple[RowGroup, ...]:
    """The quoted rows by kind, with their room; also where nothing fits any more."""
    quoted = [row for row in rows if row.found is not None]
    folders = dict.fromkeys(one.folder for one in around.built.inputs.found if one.folder)
    made = (
        *(_group(kind, quoted, around) for kind in FOUND_KINDS if kind != "quoted"),
        *(_group("quoted", quoted, around, folder) for folder in folders),
    )
    return tuple(one for one in made if one.count or one.used_up)


def _group(kind: FoundKind, quoted: list[SegmentRow], around: RowFacts, folder: str = "") -> RowGroup:
    rows = [
        row for row in quoted if row.kind == kind and row.found is not None and row.found.folder == folder
    ]
    envelope, settings = around.built.envelope, around.built.inputs.settings
    strip = envelope.layer("L4_STRIP")
    parts = zip(strip.segments, strip.tokens, strict=True)
    standing = sum(tokens for segment, tokens in parts if segment.kind == kind)
    cap = settings.history.max_tokens if kind == "recalled" else None
    rooms = {"recalled": recall_room, "retrieved": section_room, "quoted": folder_room}
    room = rooms[kind](settings, envelope.budget)
    in_log = envelope.layout == "append_only" and envelope.rebuilt is None
    if cap is not None:
        # A cap is on everything that was said: what is left of it is the room, and what stands in the log is in it.
        left = growing_room(cap, strip.total_tokens) if in_log else max(0, cap - strip.total_tokens)
        room = left + standing
    tokens = sum(row.tokens for row in rows)
    wanted = settings.history.recall if kind == "recalled" else settings.sections.by_relevance
    used_up = in_log and wanted and standing > 0 and room - standing - tokens < _LEAST_ROOM
    cached = sum(row.cached_tokens for row in rows)
    return RowGroup(kind, len(rows), tokens, room, cached, standing, used_up, folder)


def quoted_ids(around: RowFacts) -> Iterator[str]:
    """The ids of this chat's messages that are quoted."""
    return (key for key, one in around.found.items() if one.kind == "recalled" and not one.chat)


_STATES: dict[str, RowState] = {
    "full": "sent",
    "reference": "reference",
    "compacted": "compacted",
    "changes": "sent",
}


def artifact_key(layer: Layer, around: RowFacts) -> tuple[object, ...]:
    """Everything the rows depend on, besides what is cached; equal keys give equal rows."""
    inputs, envelope = around.built.inputs, around.built.envelope
    counting = (inputs.settings.counter, inputs.model)
    about = (inputs.attached, inputs.library, inputs.rounds, inputs.found, envelope.cuts, envelope.fits)
    end = envelope.total_tokens if inputs.rounds else None
    return (
        layer.segments,
        layer.tokens,
        _placed_keys(around),
        envelope.layout,
        *about,
        end,
        *counting,
        around.attached_in,
        around.disk,
        secrets_key(around),
        groups_key(layer, around),
    )


def artifact_rows(layer: Layer, around: RowFacts, run: CachedRun) -> Iterator[SegmentRow]:
    """The rows of Library or This turn: what is sent, in wire order, then what was dropped or left out."""
    shortened = {one.id: one.from_tokens for one in around.built.envelope.cuts.compacted}
    found = [(chunk.id, command_of(chunk)) for chunk in around.built.inputs.tool_results]
    commands = {key: command.words for key, command in found if command is not None}
    rounds = {message.id for message in around.built.inputs.rounds}
    parts = list(zip(layer.segments, layer.tokens, strict=True))
    spoken = sum(tokens for segment, tokens in parts if segment.id in rounds)
    # What was said after the question ends the request, though it belongs to the turn.
    begun = around.built.envelope.layer("L5_USER")
    after = sum(t for s, t in zip(begun.segments, begun.tokens, strict=True) if s.kind == BEGINNING)
    at_the_end = run.elsewhere(around.built.envelope.total_tokens - spoken - after)
    copies = Counter(segment.id for segment in layer.segments)
    for segment, tokens in parts:
        if segment.kind in FOUND_KINDS:
            yield quoted_row(segment, tokens, around, run)
        elif segment.id in around.artifacts or is_artifact(segment):
            full = shortened.get(segment.id) if segment.form == "compacted" else None
            # The last copy in a log is the one that is meant by the artifact's name.
            copies[segment.id] -= 1
            row = _sent_row(segment, (tokens, full), around, run)
            yield _earlier_copy(row, copies[segment.id]) if copies[segment.id] else row
        else:
            # What the user said meanwhile is named by its kind.
            name = "user" if segment.kind == "user" else commands.get(segment.id, "")
            name = called_tool(segment.tool_calls[0]).name if segment.tool_calls else name
            said = _said_row(segment, (name, tokens), at_the_end if segment.id in rounds else run)
            yield replace(said, secrets=secrets_of(segment, around))
    yield from _unsent(layer.name, around)


def _sent_row(
    segment: Segment, tokens: tuple[int, int | None], around: RowFacts, run: CachedRun
) -> SegmentRow:
    artifact = around.artifacts.get(segment.id)
    cache, cached = run.take(tokens[0])
    return SegmentRow(
        key=RowKey(segment.layer, segment.id),
        members=(segment.id,),
        kind=segment.kind,
        name=short_path(segment.id) if artifact is None else short_name(artifact),
        tokens=tokens[0],
        state=_state(segment, around),
        digest=segment.digest,
        priority=segment.priority,
        pinned=segment.essential,
        tunable=segment.id in around.attached,
        excludable=True,
        cache=cache,
        cached_tokens=cached,
        start=run.began,
        full_tokens=tokens[1],
        reason=artifact_reason(segment, artifact, around),
        secrets=secrets_of(segment, around),
        superseded=segment.superseded,
    )


def _earlier_copy(row: SegmentRow, number: int) -> SegmentRow:
    """The row of an older copy in a log, which cannot be tuned."""
    key = RowKey(row.key.layer, f"{row.key.id}\0{number}")
    return replace(row, key=key, tunable=False, excludable=False)


def _said_row(segment: Segment, about: tuple[str, int], run: CachedRun) -> SegmentRow:
    """The row of something said within this turn: a call, a result, or a command's output."""
    name, tokens = about
    cache, cached = run.take(tokens)
    return SegmentRow(
        key=RowKey(segment.layer, segment.id),
        members=(segment.id,),
        kind=segment.kind,
        name=name,
        tokens=tokens,
        state="locked",
        digest=segment.digest,
        pinned=True,
        cache=cache,
        cached_tokens=cached,
        start=run.began,
        reason=said_reason(segment),
    )


def _placed_keys(around: RowFacts) -> frozenset[str]:
    """Keys of the artifacts in either layer; a file dropped from one of them is listed in the other."""
    layers = (around.built.envelope.layer(name) for name in ("L2_PREVIOUS", "L3_TURN"))
    return frozenset(segment.id for layer in layers for segment in layer.segments)


def _unsent(layer: LayerName, around: RowFacts) -> Iterator[SegmentRow]:
    """Rows for what is not sent: attachments in This turn, what only the library had in Library."""
    envelope, shown = around.built.envelope, _placed_keys(around)
    pruned = {dropped.id: dropped for dropped in envelope.cuts.pruned}
    # A log that is begun anew purges what is no longer attached: that is not left out, it is gone.
    held = around.attached if envelope.layout == "append_only" else around.artifacts
    missing = [
        artifact
        for key, artifact in held.items()
        if key not in shown and (key in around.attached) == (layer == "L3_TURN")
    ]
    for artifact in missing:
        if artifact.key in pruned:
            fallen = pruned[artifact.key]
            yield _unsent_row(layer, artifact, around, ("dropped", fallen.tokens, pruned_reason(fallen)))
    for artifact in missing:
        if artifact.key not in pruned:
            tokens = artifact_tokens(artifact, around.counter)
            yield _unsent_row(layer, artifact, around, ("excluded", tokens, Reason("left_out", artifact.key)))


def _unsent_row(
    layer: LayerName, artifact: Artifact, around: RowFacts, fate: tuple[RowState, int, Reason]
) -> SegmentRow:
    state, tokens, reason = fate
    return SegmentRow(
        key=RowKey(layer, artifact.key),
        members=(artifact.key,),
        kind=artifact.kind,
        name=short_name(artifact),
        tokens=tokens,
        state=state,
        digest=artifact.content_digest,
        priority=artifact.priority,
        pinned=artifact.essential,
        tunable=artifact.key in around.attached,
        excludable=True,
        counted=False,
        reason=reason,
    )


def _state(segment: Segment, around: RowFacts) -> RowState:
    if is_unseen(segment, around):
        return "unseen"
    changed = around.disk.get(segment.id, ("same", ""))[0] == "changed"
    return "stale" if changed and segment.form == "full" else _STATES[segment.form]
