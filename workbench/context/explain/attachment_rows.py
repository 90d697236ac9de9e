"""What is attached, as it is listed: how each goes into the next request, and what reading it anew would break."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.context.assembly.references import freshness_of
from workbench.context.count.pictures import is_guess, pictures_tokens
from workbench.context.explain.row_facts import RowFacts
from workbench.context.request_cost import rereading_cost
from workbench.context.text.names import short_name
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Image
from workbench.domain.segment import LayerName
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import LayerRow, RowKey, SegmentRow
from workbench.domain.usage import Price

_LAYERS: tuple[LayerName, ...] = ("L3_TURN", "L2_PREVIOUS")


def attachment_rows(
    layers: Iterable[LayerRow], around: RowFacts, read_tokens: int | None, price: Price | None
) -> tuple[AttachmentRow, ...]:
    """One row for everything that is attached, in its order."""
    places = _Places(layers, around)
    return tuple(_row(artifact, places, read_tokens, price) for artifact in around.built.inputs.attached)


class _Places:
    """Where artifacts stand in a request: their rows, their texts, and the tokens before them."""

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
        """The rows of an artifact, that of the turn first."""
        found = (self.rows.get(RowKey(layer, key)) for layer in _LAYERS)
        return [row for row in found if row is not None]

    def text(self, row: SegmentRow) -> str:
        """What stands on the wire for a row; nothing where it is not sent."""
        return self._texts.get(row.key, "")

    def pictures(self, key: str) -> list[Image]:
        """The pictures of an artifact that go with the question; its row has only the line about it."""
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
    )


def _reread_tokens(artifact: Artifact, places: _Places, read_tokens: int | None) -> int | None:
    """Cached tokens from the first place on that another content would change."""
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
