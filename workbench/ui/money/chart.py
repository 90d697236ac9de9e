"""Prices over time: a bar for each day, week or month, with what was cached, fresh and answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent

from workbench.domain.spending import SpendSum
from workbench.ui import formatting
from workbench.ui.formatting import dollars
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import (
    dashed_pen,
    fill_rounded,
    hatch_brush,
    paint_figure,
    set_text_style,
    stroke_rounded,
)
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.money.words import Period, bar_told
from workbench.ui.translation import tr
from workbench.ui.widgets.stepped_chart import SteppedChart

LEFT, RIGHT, TOP, PLOT, NUMBERS = 48, 74, 14, 132, 22
BAR = 14.0
FEW = 14
_CAP_WORDS_GAP = 8


class Scale(NamedTuple):
    """The axis: its lines, and the amount at its top."""

    steps: tuple[float, ...]
    top: float


def scale_of(largest: float) -> Scale:
    """At most five lines at round amounts, the highest of them at or below the top."""
    largest = max(largest, 0.0001)
    unit = 10.0**-6
    while True:
        for digit in (1, 2, 5):
            if largest / (digit * unit) <= 5:
                step = digit * unit
                return Scale(tuple(step * n for n in range(int(largest / step + 1e-9) + 1)), largest * 1.04)
        unit *= 10


class SpendChart(SteppedChart):
    """A bar for each part of a period, and a dashed line for the cap on it."""

    def __init__(self) -> None:
        super().__init__(tr("Price over time"))
        self._period = Period("day", 1970)
        self._sums: tuple[SpendSum, ...] = ()
        self._cap: float | None = None
        self._now = datetime(1970, 1, 2).astimezone()
        self._few = False
        self.setFixedHeight(TOP + PLOT + NUMBERS + 8)

    def show_period(self, period: Period, sums: Sequence[SpendSum], cap: float | None, now: datetime) -> None:
        """Show other sums, one for each part of the period."""
        self._period, self._sums, self._cap, self._now = period, tuple(sums), cap, now
        self.tell()
        self.update()

    def numbers(self) -> Sequence[int]:
        """The parts that there is room for: all of them, or the last two weeks before what is chosen."""
        count = len(self._sums)
        if not self._few or count <= FEW:
            return range(count)
        last = self._chosen if self._chosen is not None else count - 1
        first = min(max(0, last - FEW + 1 if last >= FEW else 0), count - FEW)
        return range(first, first + FEW)

    def set_few(self, few: bool) -> None:
        """Show two weeks at a time, or all of the period."""
        self._few = few
        self.update()

    def nearest_place(self, x: float) -> int | None:
        places = range(len(self.numbers()))
        return min(places, key=lambda place: abs(self._middle(place) - x), default=None)

    def told(self, place: int) -> str:
        number = self.numbers()[place]
        return ". ".join(bar_told(self._period, number, self._sums[number], self._now))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        scale = scale_of(max([*(one.usd or 0.0 for one in self._sums), self._cap or 0.0]))
        self._paint_grid(painter, theme, scale)
        self._paint_chosen(painter, theme)
        for place, number in enumerate(self.numbers()):
            self._paint_bar(painter, theme, place, self._sums[number], scale)
        self._paint_numbers(painter, theme)
        self._paint_cap(painter, theme, scale)

    def _middle(self, place: int) -> float:
        step = (self.width() - LEFT - RIGHT) / max(1, len(self.numbers()))
        return LEFT + step * (place + 0.5)

    def _height(self, usd: float, scale: Scale) -> float:
        return usd / scale.top * PLOT

    def _paint_grid(self, painter: QPainter, theme: Theme, scale: Scale) -> None:
        for amount in scale.steps:
            y = round(TOP + PLOT - self._height(amount, scale))
            token = "line2" if not amount else "line"
            painter.fillRect(QRectF(LEFT, y, self.width() - LEFT - RIGHT, 1), colour(token, theme))
            if self._cap is not None and abs(amount - self._cap) < 1e-9:
                continue  # its own line says so
            set_text_style(painter, font("meta"), colour("t2", theme))
            paint_figure(painter, QRectF(0, y - 8, LEFT - 8, 16), _axis_words(amount, scale))

    def _paint_chosen(self, painter: QPainter, theme: Theme) -> None:
        place = self.selected_place()
        if place is not None:
            box = QRectF(self._middle(place) - BAR / 2 - 4, TOP - 7, BAR + 8, PLOT + NUMBERS + 8)
            fill_rounded(painter, box, theme.accent_tint, 4)
            stroke_rounded(painter, box, theme.accent, 4, 1.5)

    def _paint_bar(self, painter: QPainter, theme: Theme, place: int, total: SpendSum, scale: Scale) -> None:
        if not total.usd:
            return
        bottom, left = float(TOP + PLOT), round(self._middle(place) - BAR / 2)
        parts = [self._height(usd, scale) for usd in (total.cached_usd, total.fresh_usd, total.output_usd)]
        boxes = []
        for height in parts:
            boxes.append(QRectF(left, bottom - height, BAR, height))
            bottom -= height
        cached, fresh, output = boxes
        painter.fillRect(fresh, colour("fresh", theme))
        painter.fillRect(cached, colour("cached", theme))
        painter.setBrushOrigin(cached.bottomLeft())
        painter.fillRect(cached, hatch_brush(theme, None, self.devicePixelRatioF(), small=True))
        painter.fillRect(output, colour("raised", theme))
        if output.height() >= 1.5:
            stroke_rounded(painter, output, theme.t2, 0)

    def _paint_numbers(self, painter: QPainter, theme: Theme) -> None:
        numbers, chosen = self.numbers(), self.selected()
        step = (self.width() - LEFT - RIGHT) / max(1, len(numbers))
        widest = max(
            (metrics("meta", 600).horizontalAdvance(self._period.label_of(n)) for n in numbers), default=0
        )
        every = 1 if step >= widest + 4 else 2 if 2 * step >= widest + 4 else 4
        for place, number in enumerate(numbers):
            if place % every and number != chosen:
                continue
            if number != chosen and chosen is not None and every > 1 and abs(number - chosen) < every:
                continue
            paid = bool(self._sums[number].requests)
            token = "accent_text" if number == chosen else "t2" if paid else "t3"
            set_text_style(painter, font("meta", 600 if number == chosen else None), colour(token, theme))
            box = QRectF(self._middle(place) - 24, TOP + PLOT + 2, 48, NUMBERS - 4)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._period.label_of(number))

    def _paint_cap(self, painter: QPainter, theme: Theme, scale: Scale) -> None:
        if self._cap is None:
            return
        y, end = round(TOP + PLOT - self._height(self._cap, scale)) + 0.5, self.width() - RIGHT
        painter.setPen(dashed_pen(theme.warn, 1.5, 4, 3))
        painter.drawLine(LEFT, round(y), end, round(y))
        set_text_style(painter, font("meta"), colour("warn", theme))
        words = tr("cap {usd}").format(usd=_short_dollars(self._cap))
        painter.drawText(
            QRectF(end + _CAP_WORDS_GAP, y - 8, RIGHT - _CAP_WORDS_GAP, 16),
            Qt.AlignmentFlag.AlignVCenter,
            words,
        )


def _axis_words(amount: float, scale: Scale) -> str:
    if scale.top >= 1 and all(abs(step - round(step)) < 1e-9 for step in scale.steps):
        return tr("$%1").replace("%1", formatting.tokens(round(amount)))
    return dollars(amount) if amount else formatting.usd(0)


def _short_dollars(usd: float) -> str:
    return dollars(usd)
