"""Two requests as bars on one scale, and one line through both where they begin to differ."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.diff_view import DiffSide, DiffView
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.diff.relation_words import difference_words, sentence, side_name, side_tokens
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import figure_width, paint_elided, paint_figure, set_text_style, snapped
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.budget_bar.layout import BarLayout, lay_out
from workbench.ui.widgets.budget_bar.painting import Canvas, paint_bar
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment

FLAG_HEIGHT, BAR_HEIGHT, GAP = 18, 18, 8
NAME_WIDTH = 96
REACH = 4
TRIANGLE = 4.0


def side_bar(side: DiffSide, same_tokens: int | None) -> BarModel:
    """A request as a bar without a limit; what both have in common is marked as what a cache may serve."""
    segments = tuple(
        BarSegment(RowKey(layer, str(number)), tokens)
        for number, (layer, tokens) in enumerate(side.parts)
        if tokens
    )
    same = None if same_tokens is None else min(same_tokens, side.total_tokens)
    return BarModel(segments, limit_tokens=max(side.total_tokens, 1), cached_tokens=same)


class DiffBars(QWidget):
    """The earlier request above, the later one below."""

    def __init__(self) -> None:
        super().__init__()
        self._diff: DiffView | None = None
        self.name_width = NAME_WIDTH
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Both requests"))

    def show_diff(self, diff: DiffView) -> None:
        self._diff = diff
        self.name_width = max(NAME_WIDTH, *(_name_width(side) for side in (diff.before, diff.after)))
        self.setAccessibleDescription(sentence(diff))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(720, FLAG_HEIGHT + 2 * BAR_HEIGHT + GAP + REACH)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def layout_of(self, side: DiffSide) -> BarLayout:
        """Where the parts of a request lie; both requests are on the scale of the longer one."""
        diff = self._diff
        most = max(diff.before.total_tokens, diff.after.total_tokens, 1) if diff is not None else 1
        width = (self.width() - self.name_width) * side.total_tokens / most
        bar = side_bar(side, self._same_tokens())
        return lay_out(bar, max(width, 4.0), self.devicePixelRatioF())

    def difference_x(self) -> float | None:
        """Where the requests begin to differ, from the beginning of the bars."""
        if self._diff is None or not difference_words(self._diff):
            return None
        longer = max((self._diff.before, self._diff.after), key=lambda side: side.total_tokens)
        return self.layout_of(longer).cached

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._diff is None:
            return
        painter = QPainter(self)
        for number, side in enumerate((self._diff.before, self._diff.after)):
            self._paint_side(painter, side, FLAG_HEIGHT + number * (BAR_HEIGHT + GAP))
        x = self.difference_x()
        if x is not None:
            self._paint_difference(painter, x)

    def _same_tokens(self) -> int | None:
        diff = self._diff
        if diff is None or diff.change == "first":
            return None
        if diff.first_difference_token is not None:
            return diff.first_difference_token
        return min(diff.before.total_tokens, diff.after.total_tokens)

    def _paint_side(self, painter: QPainter, side: DiffSide, top: int) -> None:
        theme = theme_of(self)
        box = QRectF(self.name_width, top, self.width() - self.name_width, BAR_HEIGHT)
        layout = self.layout_of(side)
        own = QRectF(box.left(), top, layout.width, BAR_HEIGHT)
        paint_bar(Canvas(painter, theme, own, self.devicePixelRatioF()), layout, compact=True)
        words = QRectF(0, top, self.name_width - 8, BAR_HEIGHT)
        set_text_style(painter, font("small", 600), colour("t1", theme))
        name = side_name(side)
        paint_elided(painter, words, name)
        figure = side_tokens(side)
        step = metrics("small", 600).horizontalAdvance(name) + 4
        set_text_style(painter, font("small"), colour("t2", theme))
        width = figure_width(font("small"), figure)
        paint_figure(painter, QRectF(words.left() + step, top, width, BAR_HEIGHT), figure)

    def _paint_difference(self, painter: QPainter, x: float) -> None:
        theme = theme_of(self)
        at = snapped(self.name_width + x, self.devicePixelRatioF())
        top = FLAG_HEIGHT - REACH
        painter.fillRect(
            QRectF(at - 0.75, top, 1.5, 2 * BAR_HEIGHT + GAP + 2 * REACH), colour("errline", theme)
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("errline", theme))
        tip = QPointF(at, top)
        painter.drawPolygon(
            QPolygonF(
                [tip, tip + QPointF(-TRIANGLE, -2 * TRIANGLE + 1), tip + QPointF(TRIANGLE, -2 * TRIANGLE + 1)]
            )
        )
        self._paint_flag(painter, at, difference_words(self._diff) if self._diff is not None else "")

    def _paint_flag(self, painter: QPainter, at: float, words: str) -> None:
        width = metrics("meta_strong").horizontalAdvance(words) + 1
        left = at - width - 8
        right = at + 8
        on_right = right + width <= self.width()
        set_text_style(painter, font("meta_strong"), colour("err", theme_of(self)))
        box = QRectF(right if on_right else max(0.0, left), 0, width, FLAG_HEIGHT - REACH)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def _name_width(side: DiffSide) -> int:
    """What the name of a request and its tokens take, and the gap behind them."""
    name = metrics("small", 600).horizontalAdvance(side_name(side))
    return round(name + 4 + figure_width(font("small"), side_tokens(side)) + 8)
