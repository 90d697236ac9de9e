"""Patterns that carry meaning: a hatch is cached, a stipple is the reply's reserve, a counter-hatch is too much."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QTransform

from workbench.ui.look.theme import Theme

if TYPE_CHECKING:  # names of values only: the first paint needs none of them
    from workbench.domain.segment import LayerName

HATCH_TILE, HATCH_STROKE = 8.5, 2.0
"""The distance along the edge: strokes of 45° are then 6 px from one to the next."""
SMALL_TILE, SMALL_STROKE = 5.5, 1.5
OVER_TILE, OVER_STROKE = 10.0, 2.5
DOT_TILE, DOT = 5.0, 1.4


def hatch_brush(theme: Theme, layer: LayerName | None, dpr: float, small: bool = False) -> QBrush:
    """Strokes of a layer's hatch (without one: of a turn's), to be painted over its fill."""
    strokes = theme.layers[layer].hatch if layer else theme.cached_hatch
    tile, stroke = (SMALL_TILE, SMALL_STROKE) if small else (HATCH_TILE, HATCH_STROKE)
    return _diagonal(strokes, tile, stroke, dpr, rising=True)


def mark_brush(theme: Theme, dpr: float) -> QBrush:
    """Strokes of the small field that stands for "cached" in legends and columns."""
    return _diagonal(theme.t2, SMALL_TILE, SMALL_STROKE, dpr, rising=True)


def overflow_brush(theme: Theme, dpr: float) -> QBrush:
    """Strokes over what does not fit, leaning the other way."""
    return _diagonal(theme.overflow, OVER_TILE, OVER_STROKE, dpr, rising=False)


@lru_cache(maxsize=64)
def stipple_brush(theme: Theme, dpr: float) -> QBrush:
    """Dots for the room that is kept for the reply, every second row offset."""
    side = max(2, round(DOT_TILE * dpr))
    image = _tile(side)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.edge))
    for x, y in ((0.25, 0.25), (0.75, 0.75)):
        painter.drawEllipse(QPointF(x * side, y * side), DOT * dpr / 2, DOT * dpr / 2)
    painter.end()
    return _brush(image, dpr)


@lru_cache(maxsize=64)
def _diagonal(strokes: str, tile_px: float, stroke_px: float, dpr: float, rising: bool) -> QBrush:
    side = max(2, round(tile_px * dpr))
    image = _tile(side)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.setPen(QPen(QColor(strokes), stroke_px * dpr, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    # Three of them, so that the corners, which the neighbouring tiles' strokes cross, close without a seam.
    for start in (-side, 0, side):
        lower, upper = (side * 2, -side) if rising else (-side, side * 2)
        painter.drawLine(QPointF(start - side, lower), QPointF(start + 2 * side, upper))
    painter.end()
    return _brush(image, dpr)


def _tile(side: int) -> QImage:
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image


def _brush(image: QImage, dpr: float) -> QBrush:
    """A brush whose tile is a whole number of device pixels, however odd the density: resampled, it would blur."""
    brush = QBrush(image)
    brush.setTransform(QTransform.fromScale(1 / dpr, 1 / dpr))
    return brush
