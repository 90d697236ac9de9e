"""Growth as a picture: what one new message takes, from 50 to 10,000 turns, in the program's own look."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from tests.benchmarks.running.figures import Figure
from workbench.sources.resources import resource_path
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import elided, fill_rounded, paint_figure
from workbench.ui.look.theme import LIGHT, Theme, colour
from workbench.ui.program.app import make_app

WIDTH, HEIGHT, SCALE = 960, 540, 2
PLOT = QRectF(76, 76, 570, 396)
LABELS_LEFT, LABELS_WIDTH, LABEL_ROW = 660.0, 290.0, 20.0
FRAME_MS = 16.0
DOT, LINE, OWN_LINE = 3.5, 1.75, 3.0
LESS = "everything kept"  # the same program without the budget: a dashed line
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Scale:
    """Powers of ten over a stretch of pixels."""

    least: float
    most: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value stands."""
        share = (math.log10(value) - math.log10(self.least)) / (
            math.log10(self.most) - math.log10(self.least)
        )
        return self.start + share * (self.end - self.start)


def series_of(figures: Iterable[Figure]) -> dict[str, Points]:
    """Points by the name of their line, in the order in which the lines came."""
    found: dict[str, Points] = defaultdict(list)
    for figure in figures:
        if figure.series and figure.value:
            found[figure.series].append((figure.at, figure.value))
    return {name: sorted(points) for name, points in found.items()}


def draw_growth(figures: Sequence[Figure], path: Path) -> bool:
    """Write the picture; whether there was anything to draw."""
    series = series_of(figures)
    if not series:
        return False
    app = make_app(resource_path())
    Appearance(app).apply(app, "light")
    image = QImage(WIDTH * SCALE, HEIGHT * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    image.fill(colour(LIGHT.surface))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _Chart(painter, series, LIGHT).paint()
    painter.end()
    path.parent.mkdir(parents=True, exist_ok=True)
    return image.save(str(path))


class _Chart:
    """The parts of the picture, from the back to the front."""

    def __init__(self, painter: QPainter, series: dict[str, Points], theme: Theme) -> None:
        self._painter, self._series, self._theme = painter, series, theme
        turns = [at for points in series.values() for at, _ in points]
        times = [value for points in series.values() for _, value in points]
        least, most = 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times)))
        self._x = Scale(min(turns), max(turns), PLOT.left() + 16, PLOT.right() - 12)
        self._y = Scale(least, most, PLOT.bottom(), PLOT.top())
        # Our own line in the program's colour, and thicker, so that it is found without colours too.
        self._inks = [theme.accent, theme.info, theme.warn, theme.err, theme.ok, theme.t2]

    def paint(self) -> None:
        """Ground, axes, lines, names."""
        self._words(
            QRectF(24, 18, WIDTH - 48, 26),
            "One new message, until the request is ready",
            font("title"),
            self._theme.t1,
        )
        self._words(
            QRectF(24, 44, WIDTH - 48, 20),
            "time by length of the conversation · 50 files; the same messages, budget and tokenizer for all",
            font("ui"),
            self._theme.t2,
        )
        self._axes()
        self._frame()
        names = list(self._series)
        for number, name in reversed(list(enumerate(names))):
            self._line(self._series[name], self._ink(number), own=number == 0, dashed=name.endswith(LESS))
        self._names(names)

    def _ink(self, number: int) -> QColor:
        return QColor(self._inks[number % len(self._inks)])

    def _axes(self) -> None:
        painter, theme = self._painter, self._theme
        painter.setPen(QPen(colour(theme.line), 1))
        power = self._y.least
        while power <= self._y.most * 1.01:
            y = self._y.at(power)
            painter.setPen(QPen(colour(theme.line), 1))
            painter.drawLine(QPointF(PLOT.left(), y), QPointF(PLOT.right(), y))
            painter.setFont(font("meta"))
            painter.setPen(colour(theme.t2))
            paint_figure(painter, QRectF(8, y - 10, PLOT.left() - 18, 20), _time_words(power))
            power *= 10
        for turns in sorted({at for points in self._series.values() for at, _ in points}):
            x = self._x.at(turns)
            painter.setPen(QPen(colour(theme.line2), 1))
            painter.drawLine(QPointF(x, PLOT.bottom()), QPointF(x, PLOT.bottom() + 5))
            painter.setFont(font("meta"))
            painter.setPen(colour(theme.t2))
            paint_figure(
                painter,
                QRectF(x - 40, PLOT.bottom() + 8, 80, 18),
                f"{turns:,.0f}",
                Qt.AlignmentFlag.AlignHCenter,
            )
        self._words(
            QRectF(PLOT.left(), PLOT.bottom() + 30, PLOT.width(), 18),
            "turns",
            font("meta"),
            theme.t2,
            Qt.AlignmentFlag.AlignHCenter,
        )

    def _frame(self) -> None:
        """One frame of a screen: what takes longer is felt."""
        if not self._y.least < FRAME_MS < self._y.most:
            return
        y, theme = self._y.at(FRAME_MS), self._theme
        pen = QPen(colour(theme.t3), 1, Qt.PenStyle.DashLine)
        self._painter.setPen(pen)
        self._painter.drawLine(QPointF(PLOT.left(), y), QPointF(PLOT.right(), y))
        middle = QRectF(PLOT.left() + PLOT.width() * 0.3, y - 19, 200, 18)
        self._words(middle, "one frame, 16 ms", font("meta"), theme.t2)

    def _line(self, points: Points, ink: QColor, own: bool, dashed: bool) -> None:
        painter = self._painter
        places = [QPointF(self._x.at(at), self._y.at(value)) for at, value in points]
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        pen = QPen(ink, OWN_LINE if own else LINE, style)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(places)
        painter.setPen(QPen(colour(self._theme.surface), 1.5))
        painter.setBrush(ink)
        for place in places:
            size = DOT + (1.0 if own else 0.0)
            painter.drawEllipse(place, size, size)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _names(self, names: Sequence[str]) -> None:
        """Each beside the end of its line, moved apart where two would stand on one another."""
        ends = {name: self._y.at(self._series[name][-1][1]) for name in names}
        below = PLOT.top()
        for name in sorted(names, key=lambda each: ends[each]):
            y = max(ends[name], below)
            below = y + 2 * LABEL_ROW
            self._name(name, y, names.index(name))

    def _name(self, name: str, y: float, number: int) -> None:
        painter, theme = self._painter, self._theme
        at, value = self._series[name][-1]
        painter.setPen(Qt.PenStyle.NoPen)
        fill_rounded(painter, QRectF(LABELS_LEFT, y - 5, 10, 10), self._inks[number % len(self._inks)], 2)
        used = font("ui", 600 if number == 0 else None)
        words = elided(used, name, LABELS_WIDTH - 20)
        self._words(QRectF(LABELS_LEFT + 18, y - 10, LABELS_WIDTH, 20), words, used, theme.t1)
        told = f"{_time_words(value)} at {at:,.0f}"
        self._words(QRectF(LABELS_LEFT + 18, y + 7, LABELS_WIDTH, 18), told, font("meta"), theme.t2)

    def _words(
        self,
        box: QRectF,
        words: str,
        used: QFont,
        ink: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        self._painter.setFont(used)
        self._painter.setPen(colour(ink))
        self._painter.drawText(box, align | Qt.AlignmentFlag.AlignVCenter, words)


def _time_words(value_ms: float) -> str:
    if value_ms >= 1000:
        return (
            f"{value_ms / 1000:,.0f} s"
            if value_ms >= 10_000 or value_ms % 1000 == 0
            else f"{value_ms / 1000:.1f} s"
        )
    if value_ms >= 10:
        return f"{value_ms:.0f} ms"
    return f"{value_ms:g} ms" if value_ms in (0.1, 0.01, 1.0) else f"{value_ms:.2f} ms"
