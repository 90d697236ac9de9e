"""What the colours and patterns of the budget bar mean, with each layer's tokens."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.segment import LayerName
from workbench.ui.formatting import tokens
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.layers import layer_word
from workbench.ui.look.painting import (
    figure_width,
    fill_rounded,
    mark_brush,
    paint_figure,
    set_text_style,
    stipple_brush,
    stroke_rounded,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.budget_bar.segments import BarModel

HEIGHT = 20
SWATCH_WIDTH, SWATCH_HEIGHT, LAYER_WIDTH = 14, 12, 12
SWATCHES_FROM_PX = 680
GAP, WORD_GAP, FIGURE_GAP = 11, 5, 5


class Legend(QWidget):
    """A line of colours, words and figures; at the end the two patterns, where there is room."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = BarModel()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bar(self, bar: BarModel) -> None:
        if bar != self._bar:
            self._bar = bar
            pieces = [f"{layer_word(layer)} {tokens(cost)}" for layer, cost in bar.layer_tokens().items()]
            self.setAccessibleName(", ".join(pieces))
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(720, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        x = 0.0
        for layer, cost in self._bar.layer_tokens().items():
            word, figure = layer_word(layer), tokens(cost)
            word_width = metrics("small").horizontalAdvance(word)
            cost_width = figure_width(font("small", 600), figure)
            width = LAYER_WIDTH + WORD_GAP + word_width + FIGURE_GAP + cost_width
            if x + width > self.width():
                return
            self._paint_layer(painter, x, layer)
            set_text_style(painter, font("small"), colour("t2", theme_of(self)))
            at = x + LAYER_WIDTH + WORD_GAP
            painter.drawText(self._at(at, word_width + 1), Qt.AlignmentFlag.AlignCenter, word)
            set_text_style(painter, font("small", 600), colour("t1", theme_of(self)))
            paint_figure(painter, self._at(at + word_width + FIGURE_GAP, cost_width), figure)
            x += width + GAP
        self._paint_swatches(painter, x)

    def _paint_layer(self, painter: QPainter, x: float, layer: LayerName) -> None:
        colours = theme_of(self).layers[layer]
        box = QRectF(x, (self.height() - LAYER_WIDTH) / 2, LAYER_WIDTH, LAYER_WIDTH)
        fill_rounded(painter, box, colours.fill, 3)
        stroke_rounded(painter, box, colours.edge, 3)

    def _paint_swatches(self, painter: QPainter, taken: float) -> None:
        words = [self.tr("cached"), self.tr("reply")]
        widths = [SWATCH_WIDTH + WORD_GAP + metrics("small").horizontalAdvance(word) for word in words]
        x = self.width() - sum(widths) - GAP
        if self.width() < SWATCHES_FROM_PX or x < taken:
            return
        theme = theme_of(self)
        dpr = self.devicePixelRatioF()
        brushes = [mark_brush(theme, dpr), stipple_brush(theme, dpr)]
        lines = [theme.t2, theme.edge]
        painter.setFont(font("small"))
        for word, width, brush, line in zip(words, widths, brushes, lines, strict=True):
            box = self._at(x, SWATCH_WIDTH)
            box = QRectF(box.left(), (self.height() - SWATCH_HEIGHT) / 2, SWATCH_WIDTH, SWATCH_HEIGHT)
            painter.setBrushOrigin(box.topLeft())
            fill_rounded(painter, box, theme.surface, 2)
            fill_rounded(painter, box, brush, 2)
            stroke_rounded(painter, box, line, 2)
            painter.setPen(QColor(theme.t2))
            text = self._at(x + SWATCH_WIDTH + WORD_GAP, width - SWATCH_WIDTH - WORD_GAP + 1)
            painter.drawText(text, Qt.AlignmentFlag.AlignCenter, word)
            x += width + GAP

    def _at(self, x: float, width: float) -> QRectF:
        return QRectF(x, 0, width, self.height())
