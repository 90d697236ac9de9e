"""Rows of what came back for a question, and the groups they stand in: how much room there is for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.context.assembly.quotes import growing_room, recall_room, section_room
from workbench.context.explain.row_facts import CachedRun, RowFacts, secrets_of
from workbench.domain.envelope import Layer
from workbench.domain.recall import FOUND_KINDS, Found, FoundKind
from workbench.domain.segment import Segment
from workbench.domain.shown.envelope_view import Reason, RowGroup, RowKey, SegmentRow

_LEAST_ROOM = 32
"""What a heading and a short quote cost: with less, nothing more comes back."""


def quoted_row(segment: Segment, tokens: int, around: RowFacts, run: CachedRun) -> SegmentRow:
    """A message or a section that came back for this question."""
    cache, cached = run.take(tokens)
    found = around.found.get(segment.id) or Found(segment.id, 0.0, "recalled")
    tuning = around.built.inputs.tuning
    return SegmentRow(
        key=RowKey(segment.layer, segment.id),
        members=(segment.id,),
        kind=segment.kind,
        name=found.title or found.speaker or around.speakers.get(segment.id, ""),
        tokens=tokens,
        state=found.kind,
        digest=segment.digest,
        pinned=segment.id in tuning.recalled,
        cache=cache,
        cached_tokens=cached,
        start=run.began,
        reason=Reason("recalled", ", ".join(_telling(found))),
        first_turn=around.turns_said.get(segment.id, 0),
        secrets=secrets_of(segment, around),
        found=found,
    )


def _telling(found: Found) -> tuple[str, ...]:
    """The words that something fits by: those that stand in it before a neighbour's, the most important first."""
    own = ("exact", "near")
    ordered = sorted(found.words, key=lambda one: (one.kind not in own, -one.part))
    return tuple(dict.fromkeys(one.word for one in ordered))


def groups_key(layer: Layer, around: RowFacts) -> tuple[object, ...]:
    """Everything the groups depend on, besides the rows."""
    settings = around.built.inputs.settings
    if layer.name != "L3_TURN" or not (settings.history.recall or settings.sections.by_relevance):
        return ()
    envelope = around.built.envelope
    said = envelope.layer("L4_STRIP").total_tokens
    return settings.history, settings.sections, envelope.budget, envelope.layout, envelope.rebuilt, said


def quote_groups(rows: Iterable[SegmentRow], around: RowFacts) -> tuple[RowGroup, ...]:
    """What came back for this turn, by its kind; also where nothing has room any more."""
    quoted = [row for row in rows if row.found is not None]
    made = (_group(kind, quoted, around) for kind in FOUND_KINDS)
    return tuple(one for one in made if one.count or one.used_up)


def _group(kind: FoundKind, quoted: list[SegmentRow], around: RowFacts) -> RowGroup:
    rows = [row for row in quoted if row.kind == kind]
    envelope, settings = around.built.envelope, around.built.inputs.settings
    strip = envelope.layer("L4_STRIP")
    parts = zip(strip.segments, strip.tokens, strict=True)
    standing = sum(tokens for segment, tokens in parts if segment.kind == kind)
    cap = settings.history.max_tokens if kind == "recalled" else None
    room = (recall_room if kind == "recalled" else section_room)(settings, envelope.budget)
    in_log = envelope.layout == "append_only" and envelope.rebuilt is None
    if cap is not None:
        # A cap is on everything that was said: what is left of it is the room, and what stands in the log is in it.
        left = growing_room(cap, strip.total_tokens) if in_log else max(0, cap - strip.total_tokens)
        room = left + standing
    tokens = sum(row.tokens for row in rows)
    wanted = settings.history.recall if kind == "recalled" else settings.sections.by_relevance
    used_up = in_log and wanted and standing > 0 and room - standing - tokens < _LEAST_ROOM
    cached = sum(row.cached_tokens for row in rows)
    return RowGroup(kind, len(rows), tokens, room, cached, standing, used_up)


def came_back(around: RowFacts) -> Iterator[str]:
    """The messages of this chat that are quoted."""
    return (key for key, one in around.found.items() if one.kind == "recalled" and not one.chat)
