"""How much room a request has: window, reserve, and the point where trimming starts."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from workbench.domain.settings.preferences import ContextSettings

_DEFAULT_RESERVE = 16_000
HEADROOM = 0.75
LOG_HEADROOM = 0.5
"""A log that is rebuilt breaks the whole prefix: the further it goes down then, the longer it stays."""
_FILLED = 0.9


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits one request is held against, in tokens; `threshold_tokens` is None where nothing is trimmed."""

    context_window_tokens: int
    reserved_output_tokens: int
    threshold_tokens: int | None
    trim_target_tokens: int

    @property
    def window_tokens(self) -> int:
        """What the request itself may cost."""
        return max(0, self.context_window_tokens - self.reserved_output_tokens)

    @property
    def fill_tokens(self) -> int:
        """How far a text that must be shortened fills the request when it comes; the next questions get the rest."""
        if self.threshold_tokens is None:
            return self.window_tokens
        return min(_fraction_of(_FILLED, self.threshold_tokens), self.window_tokens)


def budget_for(
    settings: ContextSettings, catalogue_window_tokens: int, default_headroom: float = HEADROOM
) -> Budget:
    """The budget that settings and the model's own window give; fractions are exact and rounded down."""
    window = settings.context_window if settings.context_window is not None else catalogue_window_tokens
    reserve = settings.reserved_output_tokens
    reserved = min(_DEFAULT_RESERVE, window // 4) if reserve is None else reserve
    threshold = settings.history.threshold
    usable = max(0, window - reserved)
    limit = usable if threshold is None else _fraction_of(threshold, usable)
    headroom = settings.history.headroom
    return Budget(
        context_window_tokens=window,
        reserved_output_tokens=reserved,
        threshold_tokens=None if threshold is None else limit,
        trim_target_tokens=_fraction_of(default_headroom if headroom is None else headroom, limit),
    )


def _fraction_of(fraction: float, tokens: int) -> int:
    # Decimal of the shortest repr: 0.7 × 10 is 7, where binary floating point says 6.999….
    return int(Decimal(repr(fraction)) * tokens)
