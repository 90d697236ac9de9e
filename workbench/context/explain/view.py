"""A request made visible, in one pass: rows in wire order, what they cost, what would fall, and what is attached."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from workbench.context.explain.attachment_rows import attachment_rows, drop_cards, drop_order
from workbench.context.explain.row_facts import CachedRun, RowFacts
from workbench.context.explain.rows import cached_runs, layer_key, layer_row
from workbench.context.outgoing import parameters_report
from workbench.context.request_cost import request_cost, runs_here, unforeseen
from workbench.domain.caching.forecast import CacheForecast
from workbench.domain.change import Built, PrefixChange
from workbench.domain.envelope import Envelope, Layer
from workbench.domain.memo import AllByIdentity, ByIdentity, Memo
from workbench.domain.parameters import Unsent
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import DropCard, EnvelopeView, LayerRow
from workbench.domain.text import digest_chain, digest_text
from workbench.domain.turn import TurnInputs
from workbench.domain.usage import Price

_BUT_THE_QUESTION = tuple(one.name for one in fields(TurnInputs) if one.name not in ("question", "now"))


@dataclass(frozen=True, slots=True)
class ViewedRequest:
    """A request that somebody looks at.

    Attributes:
        facts: what its rows are explained by.
        change: how it differs from the one before it.
        forecast: what a cache is expected to do with it; None where nobody can say.
        price: of its model; None where it is not known.
    """

    facts: RowFacts
    change: PrefixChange
    forecast: CacheForecast | None = None
    price: Price | None = None
    sent_utc: str = ""

    @property
    def read_tokens(self) -> int | None:
        """What a cache is expected to serve; None where nobody can say."""
        return None if self.forecast is None else self.forecast.predicted_read_tokens


def envelope_view(looked: ViewedRequest, memo: Memo) -> EnvelopeView:
    """The request as it is drawn; layers and rows that are equal to the last ones in `memo` are the last ones."""
    facts, read = looked.facts, looked.read_tokens
    envelope, card = facts.built.envelope, facts.built.inputs.model
    expected = looked.forecast or unforeseen(card, envelope.total_tokens)
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
        breaks=max(1, len(looked.change.causes)) if looked.change.change == "diverged" else 0,
        drop_order=drop_order(layers, _cards(layers, facts, memo)),
    )


def attachments_in(view: EnvelopeView, looked: ViewedRequest, memo: Memo) -> tuple[AttachmentRow, ...]:
    """What is attached, as it stands in that request."""
    facts, read, price = looked.facts, looked.read_tokens, looked.price
    inputs = facts.built.inputs
    about = (inputs.attached, inputs.model, inputs.settings.freshness, facts.disk, read, price)
    before = tuple(layer.tokens for layer in view.layers[:3])
    key = (view.layers[1], view.layers[3], before, *about)
    return memo.kept("attachments", key, lambda: attachment_rows(view.layers, facts, read, price))


def _trimmed_tokens(envelope: Envelope, memo: Memo) -> int:
    messages = envelope.cuts.trimmed_messages
    if not messages:
        return 0
    layer = envelope.layer("L4_STRIP")

    def make() -> int:
        wanted = frozenset(messages)
        costs = zip(layer.segments, layer.tokens, strict=True)
        return sum(cost for segment, cost in costs if segment.id in wanted)

    return memo.kept("trimmed tokens", (ByIdentity(layer), messages), make)


def _layers(looked: ViewedRequest, memo: Memo) -> tuple[LayerRow, ...]:
    """All layers with their rows; while somebody types, only that of the question is looked at."""
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
    rows = memo.kept("upper layers", key, lambda: tuple(_layer(*one, facts, memo) for one in upper))
    return (*rows, _layer(*last, facts, memo))


def _layer(layer: Layer, run: CachedRun, facts: RowFacts, memo: Memo) -> LayerRow:
    late = run.read_tokens if facts.built.inputs.rounds else None
    key = (run.key(layer.total_tokens), late, layer_key(layer, facts))
    return memo.settled(layer.name, key, lambda last: _settled(last, layer_row(layer, facts, run)))


def _settled(old: LayerRow | None, new: LayerRow) -> LayerRow:
    """The new rows, each the old object where it is equal: then a front end sees what it need not draw again."""
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
    return memo.kept("cards", key, lambda: drop_cards((layers[1], layers[3]), facts))


def _bytes_digests(envelope: Envelope, memo: Memo) -> tuple[str, ...]:
    *upper, last = envelope.layers
    key = tuple(layer.segments for layer in upper)
    return *memo.kept("bytes", key, lambda: tuple(map(layer_bytes_digest, upper))), layer_bytes_digest(last)


def _beside_messages(built: Built, memo: Memo) -> tuple[str, tuple[Unsent, ...]]:
    """The digest of what goes out beside the messages, and the parameters that do not."""
    given, card = built.inputs.settings.parameters, built.inputs.model
    key = (given, card, built.envelope.model, built.envelope.budget.reserved_output_tokens)
    return memo.kept("beside", key, lambda: (head_digest(built), card.parameters.unsent(given)))


# One digest of a request: equal for equal bytes, and cheap, because it is made of the digests of its
# segments.


def request_digest(built: Built, head: str = "", layers: Sequence[str] = ()) -> str:
    """The digest of everything that is sent; those of its parts may be known already."""
    found = layers or map(layer_bytes_digest, built.envelope.layers)
    return digest_chain([head or head_digest(built), *found])


def head_digest(built: Built) -> str:
    """The digest of what is sent beside the messages: the model, the reserve and the parameters."""
    chosen = parameters_report(built).get("parameters")
    said = f"\n{json.dumps(chosen, sort_keys=True)}" if chosen else ""
    return digest_text(f"{built.envelope.model}\n{built.envelope.budget.reserved_output_tokens}{said}")


def layer_bytes_digest(layer: Layer) -> str:
    """The digest of a layer as it stands on the wire: who speaks, what leads each segment, and its text."""
    sent = [f"{s.kind}\n{s.lead}\n{s.digest}" for s in layer.segments if s.sent]
    return digest_text("\n".join(sent))
