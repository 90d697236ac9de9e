"""Short ways to look at a request as rows, and a price list whose sums can be done in the head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.fakes.turns import word_counter
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.context.explain.row_facts import CachedRun, RowFacts, messages_of
from workbench.context.explain.view import layer_row, layer_starts
from workbench.domain.change import Built
from workbench.domain.model import ModelCard
from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, SegmentRow
from workbench.domain.usage import Price
from workbench.engine.assembly.prepare import Builder, Prepared
from workbench.engine.conversation import after_turn
from workbench.engine.replay import play_turn, start

PRICE = Price("word-1", input=1_000_000.0, output=9_000_000.0, as_of="2026-01-01", cached=250_000.0)
"""A dollar a token, a quarter where a cache serves it."""


class OnePrice:
    """The same price for everything → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        """What it costs."""
        return PRICE


def around(built: Built, previous: Built | None = None, **changes: Any) -> RowFacts:
    """What is around a request."""
    return RowFacts(built, word_counter(), previous, messages_of(previous), **changes)


def layers_of(surroundings: RowFacts, read_tokens: int | None = None) -> tuple[LayerRow, ...]:
    """All layers of a request as they are shown."""
    built = surroundings.built
    places = zip(built.envelope.layers, layer_starts(built), strict=True)
    return tuple(layer_row(layer, surroundings, CachedRun(read_tokens, at)) for layer, at in places)


def rows_of(surroundings: RowFacts, name: LayerName, read_tokens: int | None = None) -> list[SegmentRow]:
    """The rows of one layer."""
    return [row for layer in layers_of(surroundings, read_tokens) if layer.name == name for row in layer.rows]


def row_ids(view: EnvelopeView) -> dict[str, list[tuple[str, str]]]:
    """What a view lists: id and state of every row, by layer."""
    return {layer.name[:2]: [(row.key.id, row.state) for row in layer.rows] for layer in view.layers}


def check_sums(view: EnvelopeView) -> None:
    """Rows sum to layers and layers to the total, and what is cached is one run from the start."""
    for layer in view.layers:
        assert sum(row.tokens for row in layer.rows if row.counted) == layer.tokens
        assert sum(row.cached_tokens for row in layer.rows) == layer.cached_tokens
        assert len({row.key for row in layer.rows}) == len(layer.rows)
        assert all(row.tokens >= 0 for row in layer.rows)
        assert all(row.cache == "none" for row in layer.rows if not row.counted)
    assert sum(layer.tokens for layer in view.layers) == view.total_tokens
    assert sum(layer.cached_tokens for layer in view.layers) == (view.cached_tokens or 0)


def prepared_turns(document: dict[str, Any], builder: Builder) -> Iterator[Prepared]:
    """Every request of a trajectory."""
    trajectory = parse_trajectory(document)
    conversation = start(trajectory)
    for turn in trajectory.turns:
        conversation, prepared = play_turn(conversation, turn, builder)
        yield prepared
        conversation = after_turn(conversation, prepared.built, turn.reply)
