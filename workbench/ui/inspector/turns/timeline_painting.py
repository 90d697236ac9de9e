"""Strokes of the timeline: bars whose parts differ by pattern, ticks, and marks of what went wrong."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from workbench.ui.inspector.turns.timeline_layout import BAR_WIDTH, OUTPUT_GAP, Bar, Mark, heights
from workbench.ui.look.painting import dashed_pen, stroke_rounded
from workbench.ui.look.patterns import hatch_brush
from workbench.ui.look.theme import colour, theme_of

TICK_LENGTH, TICK_HEIGHT = 6, 2
TICK_OUT = 4
MARK_HALF, MARK_HEIGHT = 4.5, 6.5
MARK_GAP = 4


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
