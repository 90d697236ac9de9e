"""Where each turn's bar lies in the timeline, and how high its parts are: a pure function of the figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui.inspector.rows.verdict_words import expired, our_break

BAR_WIDTH, GAP = 26, 10
SLOT = BAR_WIDTH + GAP
BAR_HEIGHT = 74
LEAST_PX = 2.0
OUTPUT_GAP = 1.0

Mark = Literal["", "broke", "expired", "failed"]


class Bar(NamedTuple):
    """A turn's tokens; None where nobody said. `turn` is None for the request that was not sent yet."""

    turn: int | None
    cached: int
    fresh: int
    output: int
    predicted: int | None = None
    reported: int | None = None
    mark: Mark = ""

    @property
    def total(self) -> int:
        return self.cached + self.fresh + self.output


@dataclass(frozen=True, slots=True)
class Heights:
    """How high the parts of a bar are, in pixels; ticks from the ground."""

    cached: float
    fresh: float
    output: float
    predicted: float | None
    reported: float | None

    @property
    def total(self) -> float:
        return self.cached + self.fresh + (self.output + OUTPUT_GAP if self.output else 0.0)


def turn_bar(turn: TurnRow) -> Bar:
    """A turn's last request; as the provider counted it, where it did.

    Where tools ran there were several: their sum would stand beside single requests, and beside the next one.
    """
    tokens_in = turn.last_tokens
    cached = min(turn.reported_tokens or 0, tokens_in)
    return Bar(
        turn.number,
        cached,
        tokens_in - cached,
        turn.completion_tokens or 0,
        turn.predicted_tokens,
        turn.reported_tokens,
        _mark(turn),
    )


def next_bar(view: EnvelopeView) -> Bar:
    """The request that was not sent yet, or is being answered."""
    cached = min(view.cached_tokens or 0, view.total_tokens)
    return Bar(None, cached, view.total_tokens - cached, 0, predicted=view.cached_tokens)


def bars_of(turns: tuple[TurnRow, ...], view: EnvelopeView | None) -> tuple[Bar, ...]:
    """All bars, the oldest first; a turn in flight is shown by its request."""
    sent = [turn_bar(turn) for turn in turns if turn.state != "running"]
    return (*sent, next_bar(view)) if view is not None else tuple(sent)


def heights(bar: Bar, largest: int) -> Heights:
    """The parts of a bar; linear to the largest, and nothing that is there vanishes."""

    def px(tokens: int) -> float:
        return max(LEAST_PX, BAR_HEIGHT * tokens / largest) if tokens and largest else 0.0

    def tick(tokens: int | None) -> float | None:
        return (
            None if tokens is None or not largest else min(BAR_HEIGHT * tokens / largest, float(BAR_HEIGHT))
        )

    return Heights(px(bar.cached), px(bar.fresh), px(bar.output), tick(bar.predicted), tick(bar.reported))


def visible_range(left: int, width: int, count: int) -> range:
    """Which bars are in view."""
    first = max(0, left // SLOT)
    return range(min(first, count), min(count, (left + width) // SLOT + 1))


def slot_at(x: int, count: int) -> int | None:
    """Which bar is at a place; None behind the last."""
    number = x // SLOT
    return number if 0 <= number < count else None


def content_width(count: int) -> int:
    """How wide all bars are."""
    return count * SLOT


def _mark(turn: TurnRow) -> Mark:
    if turn.state == "failed":
        return "failed"
    found = our_break(turn)
    if found is not None:
        return "expired" if found.free else "broke"
    return "expired" if expired(turn) else ""
