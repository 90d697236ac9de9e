"""The rows of attachments, and their cards in drop order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.context.assembly.references import Placement, Places, freshness_of
from workbench.context.assembly.render import library_segments, turn_segments
from workbench.context.assembly.select import Admission, drop_rank, shrink
from workbench.context.count.counting import is_guess, pictures_tokens
from workbench.context.count.measure import segment_cost
from workbench.context.explain.reasons import pruned_reason
from workbench.context.explain.row_facts import RowFacts
from workbench.context.request_cost import rereading_cost
from workbench.context.text.names import short_name
from workbench.domain.envelope import Pruned
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Image
from workbench.domain.segment import LayerName, Segment
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import DropCard, DropOrder, LayerRow, RowKey, SegmentRow
from workbench.domain.usage import Price
from workbench.ports.counting import TokenCounter

_LAYERS: tuple[LayerName, ...] = ("L3_TURN", "L2_PREVIOUS")


def attachment_rows(
    layers: Iterable[LayerRow], around: RowFacts, read_tokens: int | None, price: Price | None
) -> tuple[AttachmentRow, ...]:
    """One row for each attachment, in order."""
    places = _Places(layers, around)
    return tuple(_row(artifact, places, read_tokens, price) for artifact in around.built.inputs.attached)


class _Places:
    """Finds artifacts in a request: their rows, texts, and the tokens before them."""

    def __init__(self, layers: Iterable[LayerRow], around: RowFacts) -> None:
        self.around = around
        self.rows: dict[RowKey, SegmentRow] = {}
        self.starts: dict[RowKey, int] = {}
        at = 0
        for layer in layers:
            for row in layer.rows:
                if layer.name in _LAYERS:
                    self.rows[row.key], self.starts[row.key] = row, at
                at += row.tokens if row.counted else 0
        envelope = around.built.envelope
        self._texts: dict[RowKey, str] = {}
        for name in _LAYERS:
            for segment in envelope.layer(name).segments:
                self._texts.setdefault(RowKey(name, segment.id), segment.text)
        self._pictures: dict[str, list[Image]] = {}
        for asked in envelope.layer("L5_USER").segments:
            for image in asked.images:
                self._pictures.setdefault(image.source, []).append(image)

    def of(self, key: str) -> list[SegmentRow]:
        found = (self.rows.get(RowKey(layer, key)) for layer in _LAYERS)
        return [row for row in found if row is not None]

    def text(self, row: SegmentRow) -> str:
        """The text sent for a row; empty where it is not sent."""
        return self._texts.get(row.key, "")

    def pictures(self, key: str) -> list[Image]:
        """The pictures of an artifact, which are sent with the question; its row has only the caption."""
        return self._pictures.get(key, [])


def _row(artifact: Artifact, places: _Places, read_tokens: int | None, price: Price | None) -> AttachmentRow:
    rows = places.of(artifact.key)
    main = next((row for row in rows if row.state != "reference"), rows[0])
    disk, changed_utc = places.around.disk.get(artifact.key, ("unknown", ""))
    lost = _reread_tokens(artifact, places, read_tokens) if disk == "changed" else None
    card = places.around.built.inputs.model
    shown = places.pictures(artifact.key)
    guessed = any(is_guess(image, card.pictures) for image in shown)
    return AttachmentRow(
        key=artifact.key,
        kind=artifact.kind,
        name=short_name(artifact),
        tokens=sum(row.tokens for row in rows) + pictures_tokens(shown, card.pictures),
        priority=artifact.priority,
        pinned=artifact.essential,
        state="estimated" if main.state == "sent" and guessed else main.state,
        content=artifact.text,
        text=places.text(main),
        disk=disk,
        changed_utc=changed_utc,
        refresh_tokens=lost,
        secrets=next((row.secrets for row in rows if row.secrets), ()),
        refresh_usd=None if lost is None else rereading_cost(card, price, lost),
        most_tokens=artifact.most_tokens,
        can_shorten=places.around.shortener.how.applies_to(artifact),
        by_relevance=artifact.by_relevance,
        full_tokens=main.full_tokens if main.state == "compacted" else None,
        can_be_read=places.around.shortener.how.can_recover(artifact),
        unread=artifact.unread,
        held=artifact.key in places.around.built.envelope.cuts.held,
    )


def _reread_tokens(artifact: Artifact, places: _Places, read_tokens: int | None) -> int | None:
    """Cached tokens from the first place that changed content would affect."""
    if read_tokens is None:
        return None
    if places.around.built.envelope.layout == "append_only":
        return 0  # another content is appended
    # A frozen library goes on with its own copy; the new one would stand in the turn.
    inputs = places.around.built.inputs
    frozen = freshness_of(inputs.settings, inputs.model) == "freeze"
    layers = _LAYERS[:1] if frozen else _LAYERS
    starts = [
        places.starts[RowKey(layer, artifact.key)] for layer in layers if _counted(layer, artifact, places)
    ]
    return max(0, read_tokens - min(starts)) if starts else 0


def _counted(layer: LayerName, artifact: Artifact, places: _Places) -> bool:
    row = places.rows.get(RowKey(layer, artifact.key))
    return row is not None and row.counted


_ARTIFACT_LAYERS = ("L2_PREVIOUS", "L3_TURN")


def drop_order(layers: Sequence[LayerRow], cards: tuple[DropCard, ...]) -> DropOrder:
    """What would be dropped, and how many tokens never are: locked or pinned."""
    pinned = [row for layer in layers for row in layer.pinned if row.counted]
    return DropOrder(cards, len({row.key.id for row in pinned}), sum(row.tokens for row in pinned))


def drop_cards(layers: Iterable[LayerRow], around: RowFacts) -> tuple[DropCard, ...]:
    """A card for every artifact that may be dropped, in drop order."""
    rows: dict[str, list[SegmentRow]] = {}
    for layer in layers:
        for row in layer.rows if layer.name in _ARTIFACT_LAYERS else ():
            rows.setdefault(row.key.id, []).append(row)
    waiting = _DropCards(around, rows)
    return tuple(waiting.card(one) for one in _in_order(around) if one.artifact.key in rows)


def _in_order(around: RowFacts) -> list[Placement]:
    """What may be dropped, in the builder's order, when everything is as short as possible."""
    inputs = around.built.inputs
    admission = Admission(inputs.settings.filters, inputs.tuning.excluded)
    places = Places(around.shortener, freshness_of(inputs.settings, inputs.model), admission.admits_artifact)
    placed = places.place(inputs.library, inputs.attached)
    may_fall = [_shortest(placement) for placement in placed if not placement.artifact.essential]
    shown: dict[RowKey, Segment] = {
        RowKey(segment.layer, segment.id): segment
        for layer in around.built.envelope.layers
        if layer.name in _ARTIFACT_LAYERS
        for segment in layer.segments
    }
    return sorted(may_fall, key=lambda one: drop_rank(one, _alone_tokens(one, shown, around.counter)))


def _shortest(placement: Placement) -> Placement:
    while (shorter := shrink(placement)) != placement:
        placement = shorter
    return placement


def _alone_tokens(placement: Placement, shown: Mapping[RowKey, Segment], counter: TokenCounter) -> int:
    segments = _segments_in_request(placement, shown) or _rendered(placement)
    return counter.total(sum(segment_cost(segment, counter) for segment in segments))


def _segments_in_request(placement: Placement, shown: Mapping[RowKey, Segment]) -> list[Segment] | None:
    """Its segments in the request, if it already has the form it would be dropped in; saves rendering a long text."""
    # Of two copies the older goes first, and the newer one no longer says that it is newer.
    if placement.superseded or "compacted" in (placement.library_form, placement.in_turn):
        return None
    there = [shown.get(RowKey(layer, placement.artifact.key)) for layer in _layers(placement)]
    found = [segment for segment in there if segment is not None and segment.form != "compacted"]
    return found if len(found) == len(there) else None


def _rendered(placement: Placement) -> list[Segment]:
    """Its segments rendered for this; for a shortened artifact only the short text."""
    artifact, library_copy = placement.artifact, placement.library_copy
    if placement.in_turn == "compacted":
        artifact = replace(artifact, text=placement.short or "")
        placement = replace(placement, in_turn="full")
    if placement.library_form == "compacted" and library_copy is not None:
        library_copy = replace(library_copy, text=placement.library_short or "")
        placement = replace(placement, library_form="full")
    light = replace(placement, artifact=artifact, library_copy=library_copy)
    return [*library_segments([light]), *turn_segments([light])]


def _layers(placement: Placement) -> Iterator[LayerName]:
    if placement.library_form is not None:
        yield "L2_PREVIOUS"
    if placement.in_turn is not None:
        yield "L3_TURN"


class _DropCards:
    """The artifacts of a request; the last one dropped is the first to come back."""

    def __init__(self, around: RowFacts, rows: dict[str, list[SegmentRow]]) -> None:
        self._envelope, self._rows = around.built.envelope, rows
        self._card = around.built.inputs.model
        self._pruned = {one.id: one for one in self._envelope.cuts.pruned}
        self._budget_tokens = around.built.inputs.settings.attachment_budget_tokens
        self._used_tokens = sum(row.tokens for one in rows.values() for row in one if row.counted)
        self._until_back: dict[str, int] = {}
        together: dict[object, int] = {}
        for one in reversed(self._envelope.cuts.pruned):
            together[one.reason] = together.get(one.reason, 0) + one.tokens
            self._until_back.setdefault(one.id, together[one.reason])

    def card(self, placement: Placement) -> DropCard:
        artifact = placement.artifact
        rows = self._rows[artifact.key]
        fallen = self._pruned.get(artifact.key)
        out = fallen is not None and not any(row.counted for row in rows)
        return DropCard(
            key=RowKey(rows[0].key.layer, artifact.key),
            name=short_name(artifact),
            tokens=sum(row.tokens for row in rows) + (0 if out else self._pictures(artifact.key)),
            priority=artifact.priority,
            out=out,
            back_with_tokens=self._missing_tokens(fallen) if out and fallen is not None else 0,
        )

    def _pictures(self, key: str) -> int:
        """Cost of the pictures dropped with it, which are sent with the question."""
        rule = self._card.pictures
        asked = self._envelope.layer("L5_USER").segments
        return pictures_tokens((one for s in asked for one in s.images if one.source == key), rule)

    def _missing_tokens(self, fallen: Pruned) -> int:
        """How many more tokens are needed to bring it back, after those dropped later for the same limit."""
        return max(0, self._until_back[fallen.id] - self._free_tokens(fallen))

    def _free_tokens(self, fallen: Pruned) -> int:
        budget = self._budget_tokens
        if budget is None or pruned_reason(fallen).code != "over_budget":
            return max(0, self._envelope.budget.window_tokens - self._envelope.total_tokens)
        return max(0, budget - self._used_tokens)
