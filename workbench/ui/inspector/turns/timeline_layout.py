"""The timeline: where each turn's bar lies and how high its parts are, and the strokes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui.inspector.rows.verdict_words import expired, our_break
from workbench.ui.look.painting import dashed_pen, hatch_brush, stroke_rounded
from workbench.ui.look.theme import colour, theme_of

BAR_WIDTH, GAP = 26, 10
SLOT = BAR_WIDTH + GAP
BAR_HEIGHT = 74
LEAST_PX = 2.0
OUTPUT_GAP = 1.0
Mark = Literal["", "broke", "expired", "failed"]
TICK_LENGTH, TICK_HEIGHT = 6, 2
TICK_OUT = 4
MARK_HALF, MARK_HEIGHT = 4.5, 6.5
MARK_GAP = 4


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


def paint_bar(painter: QPainter, left: float, ground: float, bar: Bar, largest: int) -> None:
    """Paint a turn from the ground up: cached, fresh, output, ticks and mark."""
    theme, size = theme_of(), heights(bar, largest)
    cached = QRectF(left, round(ground - size.cached), BAR_WIDTH, round(size.cached))
    fresh = QRectF(left, cached.top() - round(size.fresh), BAR_WIDTH, round(size.fresh))
    if bar.turn is None:
        _paint_next(painter, cached, fresh)
    else:
        painter.fillRect(fresh, colour("fresh", theme))
        paint_cached(painter, cached)
    if size.output:
        height = max(3, round(size.output))
        box = QRectF(left, fresh.top() - OUTPUT_GAP - height, BAR_WIDTH, height)
        painter.fillRect(box, colour("surface", theme))
        stroke_rounded(painter, box, theme.edge, 1)
    if bar.turn is not None:
        _paint_ticks(painter, left, ground, (size.predicted, size.reported))
        top = fresh.top() - (size.output + OUTPUT_GAP if size.output else 0)
        paint_mark(painter, QPointF(left + BAR_WIDTH / 2, top - MARK_GAP), bar.mark)


def paint_cached(painter: QPainter, box: QRectF) -> None:
    """Paint what a cache served: hatched."""
    if box.height() <= 0:
        return
    theme = theme_of()
    painter.fillRect(box, colour("cached", theme))
    painter.setBrushOrigin(box.bottomLeft())
    painter.fillRect(box, hatch_brush(theme, None, painter.device().devicePixelRatioF(), small=True))


def paint_mark(painter: QPainter, tip: QPointF, mark: Mark) -> None:
    """A filled triangle: our own change. A hollow one: the provider's cache. A cross: the turn failed."""
    theme = theme_of()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    corners = [tip, tip + QPointF(-MARK_HALF, -MARK_HEIGHT), tip + QPointF(MARK_HALF, -MARK_HEIGHT)]
    match mark:
        case "broke":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("errline", theme))
            painter.drawPolygon(QPolygonF(corners))
        case "expired":
            painter.setPen(QPen(colour("warn", theme), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolygon(QPolygonF(corners))
        case "failed":
            painter.setPen(QPen(colour("errline", theme), 1.8))
            painter.drawLine(tip + QPointF(-3.5, -7), tip)
            painter.drawLine(tip + QPointF(0, -7), tip + QPointF(-3.5, 0))
        case "":
            pass
    painter.restore()


def _paint_next(painter: QPainter, cached: QRectF, fresh: QRectF) -> None:
    theme = theme_of()
    whole = cached.united(fresh)
    painter.fillRect(whole, colour("accent_tint", theme))
    paint_cached(painter, cached)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(dashed_pen(theme.accent, 1, 3, 2))
    painter.drawRect(whole.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.restore()


def _paint_ticks(
    painter: QPainter, left: float, ground: float, ticks: tuple[float | None, float | None]
) -> None:
    theme = theme_of()
    for height, x, token in zip(
        ticks, (left - TICK_OUT, left + BAR_WIDTH - TICK_LENGTH + TICK_OUT), ("t1", "accent"), strict=True
    ):
        if height is not None:
            y = round(ground - height) - TICK_HEIGHT / 2
            painter.fillRect(QRectF(x, y, TICK_LENGTH, TICK_HEIGHT), colour(token, theme))
