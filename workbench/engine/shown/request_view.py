"""A request made visible: what the builder made, as rows that a front end draws; what did not change stays the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from workbench.context.explain.attachment_rows import attachment_rows
from workbench.context.explain.drop_order import drop_cards, drop_order
from workbench.context.explain.prices import CachedRun, request_cost, runs_here
from workbench.context.explain.row_facts import Disk, Surroundings, messages_of
from workbench.context.explain.rows import layer_key, layer_row, layer_starts
from workbench.context.report import layer_bytes_digest, request_digest
from workbench.domain.envelope import Layer
from workbench.domain.request import WireForm
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import DropCard, EnvelopeView, LayerRow, Standing
from workbench.engine.build.prepare import Builder, Prepared
from workbench.ports.models import PriceList

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lenses:
    """How a request's bytes and its difference from the one before are made, when someone looks."""

    wire: Callable[[Prepared], WireForm | None] = lambda prepared: None
    diff: Callable[[Prepared], DiffView | None] = lambda prepared: None


@dataclass(frozen=True, slots=True)
class Scene:
    """What is known around a request besides itself; `Surroundings` says what each is."""

    attached_in: Mapping[str, int] = field(default_factory=dict)
    disk: Disk = field(default_factory=dict)
    standing: Standing = "next"
    sent_utc: str = ""


class Showing:
    """Shows the requests of one chat, one after the other; rows that are equal to the last ones are the last ones."""

    def __init__(self, builder: Builder, prices: PriceList, lenses: Lenses | None = None) -> None:
        self._builder, self._prices = builder, prices
        self._lenses = lenses or Lenses()
        self._known: dict[str, tuple[tuple[object, ...], Any]] = {}

    def view(self, prepared: Prepared, scene: Scene) -> EnvelopeView:
        """The request as it is drawn."""
        envelope, card = prepared.built.envelope, prepared.built.inputs.model
        around = self._around(prepared, scene)
        layers = self._layers(prepared, around)
        read = _read_tokens(prepared)
        return EnvelopeView(
            turn=envelope.turn,
            model=envelope.model,
            layers=layers,
            total_tokens=envelope.total_tokens,
            limit_tokens=envelope.budget.window_tokens,
            reserve_tokens=envelope.budget.reserved_output_tokens,
            threshold_tokens=envelope.budget.threshold_tokens,
            exact=envelope.exact,
            cached_tokens=read,
            cost_usd=request_cost(card, self._prices.price(card), envelope.total_tokens, read or 0),
            local=runs_here(card),
            digest=request_digest(envelope, self._bytes_digest),
            standing=scene.standing,
            sent_utc=scene.sent_utc,
            drop_order=drop_order(layers, self._cards(layers, around)),
            wire=partial(self._lenses.wire, prepared),
            diff=partial(self._lenses.diff, prepared),
        )

    def attachments(self, prepared: Prepared, view: EnvelopeView, scene: Scene) -> tuple[AttachmentRow, ...]:
        """What is attached, as it stands in that request."""
        inputs, read = prepared.built.inputs, _read_tokens(prepared)
        price = self._prices.price(inputs.model)
        about = (inputs.attached, inputs.model, inputs.settings.freshness, scene.disk, read, price)
        before = tuple(layer.tokens for layer in view.layers[:3])
        key = (view.layers[1], view.layers[3], before, *about)
        around = self._around(prepared, scene)
        return self._kept("attachments", key, lambda: attachment_rows(view.layers, around, read, price))

    def _around(self, prepared: Prepared, scene: Scene) -> Surroundings:
        inputs = prepared.built.inputs
        counter = self._builder.counters.counter(inputs.settings.counter, inputs.model)
        previous = prepared.previous
        said_before = self._kept("said before", (_Same(previous),), lambda: messages_of(previous))
        return Surroundings(
            prepared.built, counter, previous, said_before, scene.attached_in, scene.disk, scene.standing,
            partial(self._builder.memory.short, settings=inputs.settings.compaction),
        )  # fmt: skip

    def _layers(self, prepared: Prepared, around: Surroundings) -> tuple[LayerRow, ...]:
        read, starts = _read_tokens(prepared), layer_starts(prepared.built)
        return tuple(
            self._layer(layer, around, CachedRun(read, start))
            for layer, start in zip(prepared.built.envelope.layers, starts, strict=True)
        )

    def _layer(self, layer: Layer, around: Surroundings, run: CachedRun) -> LayerRow:
        # One token further: a row without tokens is cached, too, where the run goes on behind it.
        cached = run.ahead(layer.total_tokens + 1)
        late = run.read_tokens if around.built.inputs.rounds else None
        known = self._known.get(layer.name)
        row: LayerRow = self._kept(
            layer.name, (cached, late, layer_key(layer, around)), lambda: layer_row(layer, around, run)
        )
        return row if known is None else self._settled(layer.name, known[1], row)

    def _settled(self, name: str, old: LayerRow, new: LayerRow) -> LayerRow:
        """The new rows, each the old object where it is equal: then a front end sees what it need not draw again."""
        if new is old:
            return old
        by_key = {row.key: row for row in old.rows}
        rows = tuple(by_key[row.key] if by_key.get(row.key) == row else row for row in new.rows)
        settled = replace(new, rows=rows)
        settled = old if settled == old else settled
        self._known[name] = (self._known[name][0], settled)
        return settled

    def _cards(self, layers: tuple[LayerRow, ...], around: Surroundings) -> tuple[DropCard, ...]:
        inputs, envelope = around.built.inputs, around.built.envelope
        total = envelope.total_tokens if envelope.cuts.pruned else None
        given = inputs.settings
        rules = (
            given.freshness,
            given.compaction,
            given.filters,
            given.attachment_budget_tokens,
            given.counter,
        )
        about = (inputs.model, inputs.attached, inputs.library, inputs.tuning)
        key = (layers[1], layers[3], envelope.cuts, envelope.budget, total, rules, about)
        return self._kept("cards", key, lambda: drop_cards((layers[1], layers[3]), around))

    def _bytes_digest(self, layer: Layer) -> str:
        return self._kept(f"bytes of {layer.name}", (layer.segments,), lambda: layer_bytes_digest(layer))

    def _kept(self, name: str, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What was made for this key the last time; made anew for another."""
        known = self._known.get(name)
        if known is None or known[0] != key:
            known = self._known[name] = (key, make())
        return known[1]


class _Same:
    """Equal only to what stands for the very same object: comparing whole requests would take long."""

    def __init__(self, one: object) -> None:
        self._one = one

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._one is self._one

    __hash__ = None  # type: ignore[assignment]


def _read_tokens(prepared: Prepared) -> int | None:
    return None if prepared.forecast is None else prepared.forecast.predicted_read_tokens
