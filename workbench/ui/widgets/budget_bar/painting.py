"""Paints a budget bar from its layout: fills, hatching, reserve, overflow, marks, labels, ghost."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath

from workbench.domain.segment import LayerName
from workbench.ui.formatting import tokens
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import (
    dashed_pen,
    fill_rounded,
    hatch_brush,
    overflow_brush,
    set_text_style,
    stipple_brush,
    stroke_rounded,
)
from workbench.ui.look.theme import Theme
from workbench.ui.look.tones import layer_tag, layer_word
from workbench.ui.widgets.budget_bar.layout import BarLayout, Label
from workbench.ui.widgets.budget_bar.segments import BarModel

RADIUS = 6.0
OUTLINED: tuple[LayerName, ...] = ("L2_PREVIOUS", "L3_TURN")
PLATE_HEIGHT = 18.0


class Canvas(NamedTuple):
    """What a bar is painted on; `box` is the rectangle of the bar itself."""

    painter: QPainter
    theme: Theme
    box: QRectF
    dpr: float

    def span(self, left: float, right: float) -> QRectF:
        return QRectF(self.box.left() + left, self.box.top(), right - left, self.box.height())


def paint_bar(canvas: Canvas, layout: BarLayout, compact: bool) -> None:
    """Paint background, segments, hatching, overflow and reserve, with round corners."""
    painter, theme = canvas.painter, canvas.theme
    painter.save()
    outline = QPainterPath()
    radius = RADIUS if not compact else 3.0
    outline.addRoundedRect(canvas.box, radius, radius)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipPath(outline)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fillRect(canvas.box, QColor(theme.track))
    painter.setBrushOrigin(canvas.box.topLeft())
    _paint_blocks(canvas, layout, compact)
    _paint_hatch(canvas, layout, compact)
    _paint_reserve(canvas, layout)
    if layout.over:
        _paint_overflow(canvas, layout)
    painter.restore()
    stroke_rounded(painter, canvas.box, theme.line2, radius)


def paint_marks(canvas: Canvas, layout: BarLayout, compact: bool) -> None:
    """Paint the end of the cache, the trim line and the limit."""
    theme = canvas.theme
    reach = 2.0 if compact else 3.0
    if layout.trim is not None:
        _paint_dashes(canvas, layout.trim, reach, theme.warn, 1.5)
    ink, width = (theme.errline, 2.0) if layout.over else (theme.t2, 1.5)
    _paint_line(canvas, layout.limit, reach, ink, width)
    if layout.cached is not None:
        _paint_line(canvas, layout.cached, reach, theme.t1, 1.5)


def paint_labels(canvas: Canvas, layout: BarLayout, bar: BarModel) -> None:
    """Paint each layer's label, as much of it as fits, on a plate in the layer's colour."""
    sums = bar.layer_tokens()
    for label in layout.labels:
        text = _label_text(label, sums.get(label.layer, 0))
        if text:
            _paint_label(canvas, label, text)


def paint_ring(canvas: Canvas, left: float, right: float) -> None:
    """Paint the ring around the selected segment."""
    box = canvas.span(left, right).adjusted(-2, -2, 1, 2)
    if box.width() < 8:
        box.adjust((box.width() - 8) / 2, 0, (8 - box.width()) / 2, 0)
    stroke_rounded(canvas.painter, box.adjusted(2, 2, -2, -2), canvas.theme.surface, 2, 1)
    stroke_rounded(canvas.painter, box, canvas.theme.accent, 4, 2)


def paint_ghost(canvas: Canvas, layout: BarLayout, opacity: float) -> None:
    """Paint the bar of a trial as an outline, with its cached part filled."""
    painter, theme = canvas.painter, canvas.theme
    painter.save()
    painter.setOpacity(opacity)
    whole = canvas.span(0, max(layout.used, 2.0))
    fill_rounded(painter, whole, theme.accent_tint, 2)
    stroke_rounded(painter, whole, dashed_pen(theme.accent, 1, 3, 2), 2)
    if layout.cached:
        cached = canvas.span(0, layout.cached)
        fill_rounded(painter, cached, theme.accent, 2)
        painter.setBrushOrigin(canvas.box.topLeft())
        fill_rounded(painter, cached, hatch_brush(theme, None, canvas.dpr, small=True), 2)
    painter.restore()


def _paint_blocks(canvas: Canvas, layout: BarLayout, compact: bool) -> None:
    painter, layers = canvas.painter, canvas.theme.layers
    fills = {name: QColor(colours.fill) for name, colours in layers.items()}
    edges = {name: QColor(layers[name].edge) for name in OUTLINED}
    for block in layout.blocks:
        box = canvas.span(block.left, block.right)
        painter.fillRect(box, fills[block.layer])
        edge = edges.get(block.layer)
        if edge is not None and box.width() > 4 and not compact:
            for side in _sides(box):
                painter.fillRect(side, edge)
    gap = QColor(canvas.theme.surface)
    for block, following in zip(layout.blocks, layout.blocks[1:], strict=False):
        if following.left > block.right:
            painter.fillRect(canvas.span(block.right, following.left), gap)


def _sides(box: QRectF) -> tuple[QRectF, QRectF, QRectF, QRectF]:
    return (
        QRectF(box.left(), box.top(), box.width(), 1),
        QRectF(box.left(), box.bottom() - 1, box.width(), 1),
        QRectF(box.left(), box.top() + 1, 1, box.height() - 2),
        QRectF(box.right() - 1, box.top() + 1, 1, box.height() - 2),
    )


def _paint_hatch(canvas: Canvas, layout: BarLayout, compact: bool) -> None:
    if layout.cached is None:
        return
    for block in layout.blocks:
        if block.left >= layout.cached:
            break
        brush = hatch_brush(canvas.theme, block.layer, canvas.dpr, small=compact)
        canvas.painter.fillRect(canvas.span(block.left, min(block.right, layout.cached)), brush)


def _paint_reserve(canvas: Canvas, layout: BarLayout) -> None:
    box = canvas.span(layout.used if layout.over else layout.limit, layout.width)
    canvas.painter.fillRect(box, QColor(canvas.theme.surface))
    canvas.painter.fillRect(box, stipple_brush(canvas.theme, canvas.dpr))


def _paint_overflow(canvas: Canvas, layout: BarLayout) -> None:
    box = canvas.span(layout.limit, layout.used)
    canvas.painter.fillRect(box, overflow_brush(canvas.theme, canvas.dpr))
    stroke_rounded(canvas.painter, box, canvas.theme.errline, 0, 2)


def _paint_line(canvas: Canvas, x: float, reach: float, ink: str, width: float) -> None:
    """Paint a line across the bar, one pixel of it left of the position, so that one edge is sharp."""
    fill_rounded(canvas.painter, _line_rect(canvas, x, reach, width), ink, 0)


def _paint_dashes(canvas: Canvas, x: float, reach: float, ink: str, width: float) -> None:
    line = _line_rect(canvas, x, reach, width)
    canvas.painter.setPen(dashed_pen(ink, width, 4, 3))
    middle = line.center().x()
    canvas.painter.drawLine(QPointF(middle, line.top()), QPointF(middle, line.bottom()))


def _line_rect(canvas: Canvas, x: float, reach: float, width: float) -> QRectF:
    return canvas.span(x - 1, x - 1 + width).adjusted(0, -reach, 0, reach)


def _label_text(label: Label, cost: int) -> str:
    """The longest text that fits: tag, word, or word with tokens; empty if none does."""
    word = layer_word(label.layer)
    choices = [layer_tag(label.layer), word, f"{word} {tokens(cost)}"][: label.detail + 1]
    room = label.right - label.left - 4
    measure = metrics("meta_strong")
    return next((text for text in reversed(choices) if measure.horizontalAdvance(text) <= room), "")


def _paint_label(canvas: Canvas, label: Label, text: str) -> None:
    painter = canvas.painter
    colours = canvas.theme.layers[label.layer]
    room = canvas.span(label.left, label.right)
    width = metrics("meta_strong").horizontalAdvance(text) + 8
    plate = QRectF(0, 0, min(width, room.width()), PLATE_HEIGHT)
    plate.moveCenter(room.center())
    fill_rounded(painter, plate, colours.fill, 3)
    set_text_style(painter, font("meta_strong"), QColor(colours.text))
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)
