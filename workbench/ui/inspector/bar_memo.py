"""Bars made piece by piece: a layer that did not change keeps its segments, so that a keystroke makes only one."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow
from workbench.ui.widgets.budget_bar.model import BarModel, BarSegment, bar_of

Segments = tuple[BarSegment, ...]


class BarMemo:
    """Remembers the segments of each layer of the last request."""

    def __init__(self) -> None:
        self._kept: dict[LayerName, tuple[LayerRow, Segments]] = {}

    def bar_of(self, view: EnvelopeView) -> BarModel:
        """The bar of a request, equal to one made from nothing."""
        pieces = [self._segments(view, layer) for layer in view.layers]
        return replace(bar_of(replace(view, layers=())), segments=tuple(chain.from_iterable(pieces)))

    def _segments(self, view: EnvelopeView, layer: LayerRow) -> Segments:
        before, segments = self._kept.get(layer.name, (None, ()))
        if before is layer:
            return segments
        made = bar_of(replace(view, layers=(layer,))).segments
        # The same objects where they are equal: whoever compares bars then sees it at a glance.
        kept = segments if made == segments else made
        self._kept[layer.name] = (layer, kept)
        return kept
