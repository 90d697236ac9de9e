"""Four figures in a row: what a difference costs, what it leaves, and what kind it is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.inspector.diff.words import Figure
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import elided, paint_elided, paint_figure, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of

HEIGHT, PADDING, RADIUS = 54, 12, 10


class DiffFigures(QWidget):
    """A card of figures; one that is bad has a ground of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: tuple[Figure, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("What it costs"))

    def show_figures(self, figures: tuple[Figure, ...]) -> None:
        self._figures = figures
        self.setAccessibleDescription(", ".join(f"{figure.value} {figure.unit}" for figure in figures))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(720, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, box = QPainter(self), theme_of(self), QRectF(self.rect())
        outline = QPainterPath()
        outline.addRoundedRect(box, RADIUS, RADIUS)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(outline)
        painter.fillRect(box, colour("raised", theme))
        for number, figure in enumerate(self._figures):
            self._paint_cell(painter, self._cell(number), figure, first=number == 0)
        painter.setClipping(False)
        stroke_rounded(painter, box, theme.line, RADIUS)

    def _cell(self, number: int) -> QRectF:
        width = self.width() / max(len(self._figures), 1)
        left = round(number * width)
        return QRectF(left, 0, round((number + 1) * width) - left, self.height())

    def _paint_cell(self, painter: QPainter, cell: QRectF, figure: Figure, first: bool) -> None:
        theme = theme_of(self)
        if figure.token == "err":
            painter.fillRect(cell, colour("err_tint", theme))
        if not first:
            painter.fillRect(QRectF(cell.left(), cell.top(), 1, cell.height()), colour("line", theme))
        inner = cell.adjusted(PADDING, 0, -PADDING, 0)
        set_text_style(painter, font("figure2"), colour(figure.token, theme))
        value = elided(font("figure2"), figure.value, inner.width())
        paint_figure(painter, QRectF(inner.left(), 8, inner.width(), 22), value, Qt.AlignmentFlag.AlignLeft)
        fits = metrics("meta").horizontalAdvance(figure.unit) <= inner.width()
        unit = figure.unit if fits else figure.short or figure.unit
        set_text_style(painter, font("meta"), colour("err" if figure.token == "err" else "t3", theme))
        paint_elided(painter, QRectF(inner.left(), 31, inner.width(), 15), unit)
