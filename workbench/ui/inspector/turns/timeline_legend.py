"""What the patterns and ticks of the timeline mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.inspector.turns.timeline_painting import paint_cached
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of

HEIGHT = 16
SWATCH, DASH = 12, 10
WORD_GAP, GAP = 5, 14


class TimelineLegend(QWidget):
    """A line of swatches with their words, at the end of a heading."""

    def __init__(self) -> None:
        super().__init__()
        self._words = (
            ("cached", self.tr("cached")),
            ("fresh", self.tr("fresh")),
            ("output", self.tr("output")),
            ("predicted", self.tr("predicted")),
            ("reported", self.tr("reported")),
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Legend"))
        self.setAccessibleDescription(", ".join(word for _, word in self._words))

    def sizeHint(self) -> QSize:
        return QSize(
            round(sum(self._width(word) for _, word in self._words)) + GAP * (len(self._words) - 1), HEIGHT
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(0, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint as many as fit, those at the end first, since they stand there."""
        painter, theme = QPainter(self), theme_of(self)
        end = float(self.width())
        for name, word in reversed(self._words):
            start = end - self._width(word)
            if start < 0:
                return
            self._paint_swatch(painter, QRectF(start, 2, SWATCH, SWATCH), name)
            set_text_style(painter, font("meta"), colour("t2", theme))
            width = metrics("meta").horizontalAdvance(word) + 1
            painter.drawText(QRectF(end - width, 0, width, HEIGHT), Qt.AlignmentFlag.AlignCenter, word)
            end = start - GAP

    def _width(self, word: str) -> float:
        return SWATCH + WORD_GAP + metrics("meta").horizontalAdvance(word) + 1

    def _paint_swatch(self, painter: QPainter, box: QRectF, name: str) -> None:
        theme = theme_of(self)
        match name:
            case "cached":
                paint_cached(painter, box)
            case "fresh":
                painter.fillRect(box, colour("fresh", theme))
            case "output":
                painter.fillRect(box, colour("surface", theme))
                stroke_rounded(painter, box, theme.edge, 1)
            case _:
                token = "t1" if name == "predicted" else "accent"
                painter.fillRect(QRectF(box.left(), box.center().y() - 1, DASH, 2), colour(token, theme))
