"""Settings that are tried out: the same request built with them, and what that would change."""

from __future__ import annotations

from workbench.domain.preferences import ContextSettings
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.state import Trial


def trial_of(settings: ContextSettings, now: EnvelopeView, tried: EnvelopeView) -> Trial:
    """What the settings would make of the next request; `now` is that request as it stands."""
    return Trial(
        settings=settings,
        view=tried,
        lost_tokens=max(0, (now.cached_tokens or 0) - (tried.cached_tokens or 0)),
        extra_cost_usd=_extra_cost(now, tried),
        falls=_only_in(now, tried),
        returns=_only_in(tried, now),
    )


def _extra_cost(now: EnvelopeView, tried: EnvelopeView) -> float | None:
    if now.cost_usd is None or tried.cost_usd is None:
        return None
    return tried.cost_usd - now.cost_usd


def _only_in(view: EnvelopeView, other: EnvelopeView) -> tuple[RowKey, ...]:
    """Rows that are sent in one view and nothing of which is in the other, in whatever layer it may stand there."""
    elsewhere = {
        member for layer in other.layers for row in layer.rows if row.counted for member in row.members
    }
    return tuple(
        row.key
        for layer in view.layers
        for row in layer.rows
        if row.counted and elsewhere.isdisjoint(row.members)
    )
