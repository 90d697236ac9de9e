"""Cached shares over the turns of a chat, and what the layout saved compared with another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.context.assemble import Assembly
from workbench.context.assembly.draft import Draft
from workbench.context.assembly.history import History, is_seam, normalise
from workbench.context.assembly.references import Placement
from workbench.context.assembly.render import system_segments
from workbench.context.assembly.seal import seal
from workbench.context.assembly.select import Admission, Placements
from workbench.context.request_cost import runs_here
from workbench.domain.caching import CacheForecast
from workbench.domain.envelope import Cuts, Envelope, WireLayout, WireMessage, budget_for
from workbench.domain.model import ModelCard
from workbench.domain.shown.turn_view import LayoutShares, LineName, Saving, ShareLine, TurnRow
from workbench.domain.turn import TurnInputs
from workbench.domain.usage import Price, Usage, cost_of


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """The requests of one turn: their tokens, tokens served by a cache, and price without the answer.

    `read_tokens` is None where that is unknown, `usd` where no price is known. A local model costs nothing.
    """

    tokens: int
    read_tokens: int | None
    usd: float | None = None

    @property
    def share(self) -> float | None:
        if self.read_tokens is None:
            return None
        return min(1.0, self.read_tokens / self.tokens) if self.tokens else 0.0


def was_sent(row: TurnRow) -> bool:
    """Whether a provider read the turn's request; one that failed before an answer may not have been read."""
    return row.state != "running" and (row.state != "failed" or row.prompt_tokens is not None)


def sent_figures(
    row: TurnRow, card: ModelCard, price: Price | None, own: TurnFigures | None = None
) -> TurnFigures:
    """The figures of a sent turn with all its requests: as the provider reported, else as forecast.

    Without a report only the last request is on record; `own` are the figures of all of them, built again.
    """
    tokens, read = row.prompt_tokens, row.cached_tokens
    if own is not None and row.requests > 1:
        tokens = own.tokens if tokens is None else tokens
        foreseen = (
            None if own.read_tokens is None or not own.tokens else own.read_tokens * tokens // own.tokens
        )
    else:
        tokens, foreseen = row.total_tokens if tokens is None else tokens, row.predicted_tokens
    read = foreseen if read is None else read
    read = None if read is None else min(read, tokens)
    return TurnFigures(tokens, read, _usd(card, price, (tokens, read, row.cache_write_tokens)))


def foretold_figures(
    tokens: int, forecast: CacheForecast | None, card: ModelCard, price: Price | None
) -> TurnFigures:
    """The figures of one request by its forecast."""
    if forecast is None:
        return TurnFigures(tokens, None, None)
    read, written = forecast.predicted_read_tokens, forecast.predicted_write_tokens
    return TurnFigures(tokens, min(read, tokens), _usd(card, price, (tokens, read, written)))


def together(requests: Sequence[TurnFigures]) -> TurnFigures:
    """The sum of several requests of one turn; unknown where it is unknown for one of them."""
    reads = [one.read_tokens for one in requests if one.read_tokens is not None]
    prices = [one.usd for one in requests if one.usd is not None]
    return TurnFigures(
        sum(one.tokens for one in requests),
        sum(reads) if len(reads) == len(requests) else None,
        sum(prices) if len(prices) == len(requests) else None,
    )


def with_losses_of(
    sent: TurnFigures, own: TurnFigures, other: TurnFigures, card: ModelCard, price: Price | None
) -> TurnFigures:
    """The figures of another layout, assuming that the cache lost as much of it as of what was sent.

    `own` is the forecast for the layout that was sent. The result is in the provider's tokens, since the two
    could not be compared otherwise.
    """
    if own.tokens and sent.tokens and own.tokens != sent.tokens:
        own, other = (_recounted(one, sent.tokens, own.tokens) for one in (own, other))
    if not own.read_tokens or sent.read_tokens is None or sent.read_tokens >= own.read_tokens:
        return other
    if other.read_tokens is None:
        return other
    read = other.read_tokens * sent.read_tokens // own.read_tokens
    # What is not there is written anew, where that is paid for.
    return TurnFigures(other.tokens, read, _usd(card, price, (other.tokens, read, other.tokens - read)))


def _recounted(figures: TurnFigures, told_tokens: int, counted_tokens: int) -> TurnFigures:
    read, usd = figures.read_tokens, figures.usd
    return TurnFigures(
        figures.tokens * told_tokens // counted_tokens,
        None if read is None else read * told_tokens // counted_tokens,
        None if usd is None else usd * told_tokens / counted_tokens,
    )


def share_line(name: LineName, figures: Sequence[TurnFigures], layout: WireLayout | None = None) -> ShareLine:
    """A chart line of all turns; sums cover the turns whose cached share is known."""
    known = [one for one in figures if one.read_tokens is not None]
    tokens = sum(one.tokens for one in known)
    read = sum(one.read_tokens or 0 for one in known)
    return ShareLine(
        name,
        tuple(one.share for one in figures),
        (read / tokens if tokens else 0.0) if known else None,
        tokens - read,
        _sum_usd(known),
        layout,
    )


def layout_shares(
    rows: Sequence[TurnRow], figures: Sequence[tuple[LineName, Sequence[TurnFigures]]], waiting: int = 0
) -> LayoutShares:
    """The chart of a chat; `figures` are the lines, what was sent first, each with as many turns as `rows`."""
    sent = figures[0][1]
    lines = tuple(
        share_line(name, some, sent_layout(rows) if name == "sent" else None) for name, some in figures
    )
    return LayoutShares(tuple(row.number for row in rows), lines, _saving(sent, figures[1:]), waiting)


def sent_layout(rows: Iterable[TurnRow]) -> WireLayout | None:
    """The common layout of all turns; None where they differ or one is not on record."""
    layouts = {row.layout for row in rows}
    return layouts.pop() if len(layouts) == 1 else None


def _saving(
    sent: Sequence[TurnFigures], others: Sequence[tuple[LineName, Sequence[TurnFigures]]]
) -> Saving | None:
    """What the sent layout saved compared with the other one, by layers unless that was sent.

    A merely shorter request is no saving by the cache: there is none where the other has the larger cached share.
    """
    layouts = [(name, some) for name, some in others if name != "trim_last"]
    if not layouts:
        return None
    against, theirs = min(layouts, key=lambda one: one[0] != "layered")
    pairs = [
        (mine, other)
        for mine, other in zip(sent, theirs, strict=True)
        if mine.read_tokens is not None and other.read_tokens is not None
    ]
    if not pairs:
        return None
    tokens = sum(_uncached_tokens(other) - _uncached_tokens(mine) for mine, other in pairs)
    our_share, other_share = (_share([pair[side] for pair in pairs]) for side in (0, 1))
    if tokens > 0 and our_share < other_share:
        return Saving(against, 0, None)
    mine_usd, other_usd = (_sum_usd([pair[side] for pair in pairs]) for side in (0, 1))
    usd = None if mine_usd is None or other_usd is None else other_usd - mine_usd
    return Saving(against, tokens, usd)


def _share(figures: Sequence[TurnFigures]) -> float:
    tokens = sum(one.tokens for one in figures)
    return sum(one.read_tokens or 0 for one in figures) / tokens if tokens else 0.0


def _uncached_tokens(figures: TurnFigures) -> int:
    return figures.tokens - (figures.read_tokens or 0)


def _sum_usd(figures: Sequence[TurnFigures]) -> float | None:
    """The sum of the prices; None where one is unknown, or nothing is paid at all."""
    prices = [one.usd for one in figures if one.usd is not None]
    return sum(prices) if len(prices) == len(figures) and any(prices) else None


def _usd(card: ModelCard, price: Price | None, counts: tuple[int, int | None, int | None]) -> float | None:
    if runs_here(card):
        return 0.0
    if price is None:
        return None
    tokens, read, written = counts
    # Only where a provider asks for it, writing to its cache has a price of its own.
    paid = written if price.cache_write is not None else None
    cost = cost_of(Usage(tokens, read, paid, completion_tokens=0), price)
    return None if cost is None else cost.usd


def trim_last(inputs: TurnInputs, assembly: Assembly) -> Envelope:
    """A baseline request that ignores caches: nothing is shortened, and the oldest messages are left out."""
    settings = inputs.settings
    admission = Admission(settings.filters, inputs.tuning.excluded)
    instructions = system_segments(settings) if admission.admits_system() else ()
    budget = budget_for(settings, inputs.model.context_window_tokens)
    draft = Draft(inputs, budget, instructions, assembly.counter, assembly.renderers)
    placements = _all_files(inputs, admission)
    history = _history(inputs, admission, assembly)
    limit = budget.window_tokens if budget.threshold_tokens is None else budget.threshold_tokens
    room = min(limit, budget.window_tokens) - draft.tool_tokens
    kept = _newest(history.messages, draft, placements, room)
    cuts = Cuts(repairs=history.repairs)
    return seal(draft.with_history(kept), placements, history, cuts, assembly.memory.growing)


def _all_files(inputs: TurnInputs, admission: Admission) -> Placements:
    """All attachments in full, before the conversation."""
    return tuple(
        Placement(artifact, True, place, library_copy=artifact, library_form="full")
        for place, artifact in enumerate(inputs.attached)
        if admission.admits_artifact(artifact)
    )


def _newest(
    messages: Sequence[WireMessage], draft: Draft, placements: Placements, room: int
) -> tuple[WireMessage, ...]:
    """The newest messages that fit beside the rest, starting with a question."""
    counter, raw, first = draft.counter, draft.raw(placements), len(messages)
    while first:
        raw += sum(counter.costs(messages[first - 1]))
        if counter.total(raw) > room:
            break
        first -= 1
    while first < len(messages) and first and messages[first].role != "user":
        first += 1
    return tuple(messages[first:])


def _history(inputs: TurnInputs, admission: Admission, assembly: Assembly) -> History:
    tuning, renderers = inputs.tuning, assembly.renderers
    return assembly.memory.history(
        inputs.history,
        (admission, tuning, renderers),
        lambda some: normalise(some, admission, tuning, renderers),
        lambda before, after: is_seam(before, after, admission),
    )
