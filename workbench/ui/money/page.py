"""The page of money, in place of chat and inspector: what was spent, its picture over time, caps, and re-reads."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.domain.shown.spend_view import SpendView
from workbench.domain.spending import (
    RereadCause,
    SpendSum,
    Spent,
    grouped,
    key_of,
    reread_causes,
    sum_of,
)
from workbench.engine.metering import limits_at
from workbench.ui import formatting
from workbench.ui.formatting import dollars
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import fill_rounded, hatch_brush, stroke_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.money.chart import SpendChart
from workbench.ui.money.table import SpendTable
from workbench.ui.money.words import (
    CapLine,
    Figure,
    Period,
    Unit,
    accuracy_words,
    bar_told,
    cap_lines,
    cause_words,
    figures,
    group_lines,
    local,
    period_at,
    request_lines,
    within,
)
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card, Hairline, Panel
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.widgets.stack import transparent
from workbench.ui.wishes import OpenSettings, Wishes

HEAD, RIGHT, GAP, MARGIN = 44, 372, 12, 16
WIDE_PX = 1_040
_UNITS: tuple[tuple[Unit, str], ...] = (("day", N_("Day")), ("week", N_("Week")), ("month", N_("Month")))
_TITLES: dict[Unit, str] = {
    "day": N_("Price per day"),
    "week": N_("Price per week"),
    "month": N_("Price per month"),
}
_SOURCE = N_("As providers reported it, at their listed prices; what none reported is predicted.")


class MoneyPage(QWidget):
    """What was spent; ←/→ choose a day, Enter lists its requests, Esc goes back.

    Signals:
        closed: the page is to be left.
    """

    closed = Signal()

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.setAccessibleName(tr("Money"))
        self.wishes = wishes
        self._view = SpendView()
        self._now = local("")
        self._period = Period("day", 1970)
        self._spent: tuple[Spent, ...] = ()
        self._listed = False
        self._narrow: bool | None = None
        self._make_head()
        self.figures = _Figures()
        self.nothing = Card()
        columns(self.nothing, (MARGIN, 14, MARGIN, 14)).addWidget(label(tr("Nothing spent yet."), "ui", "t2"))
        self.chart, self.table = SpendChart(), SpendTable()
        self.legend = _Legend()
        self.chart_title = label("", "ui_heading")
        self.chosen_name, self.chosen_words = label("", "small"), label("", "small", "t2", wrap=True)
        self.chosen_name.setFont(font("small", 600))
        self.chart_card, self.table_card = self._chart_card(), Card()
        rows(self.table_card, (1, 4, 1, 5)).addWidget(self.table)
        self.caps, self.causes = _CapsCard(wishes), _CausesCard()
        self._place()
        for card in (self.figures, self.nothing, self.chart_card, self.table_card, self.causes):
            card.hide()  # until it is known what there is
        self.unit.chosen.connect(self._turn_unit)
        self.chart.chosen.connect(self._choose)
        self.chart.opened.connect(self._list)

    def show_view(self, view: SpendView) -> None:
        """Show what was spent; the first time, the present month."""
        first = not self._view.now_utc
        if view is self._view:
            return
        self._view, self._now = view, local(view.now_utc)
        if first:
            self._show_period(period_at(self._now, "day"))
        else:
            self._show_period(self._period, keep=True)

    def go_back(self) -> bool:
        """Leave the list of requests; False where there is none to leave."""
        if not self._listed:
            return False
        self._listed = False
        self._show_table()
        self.chart.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif not self.go_back():
            self.closed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.chart.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    # What is shown.

    def _show_period(self, period: Period, *, keep: bool = False) -> None:
        chosen = self.chart.selected() if keep else None
        self._period = period
        self._spent = within(self._view.spent, period)
        sums = {row.key: row for row in grouped(self._spent, period.unit, local)}
        bars = tuple(sums.get(key, SpendSum(key)) for key in period.keys)
        caps = {"day": self._view.caps.day_usd, "month": self._view.caps.month_usd}
        self.chart.show_period(period, bars, caps.get(period.unit), self._now)
        if chosen is None:
            here = period.place_of(self._now)
            last = max((place for place, bar in enumerate(bars) if bar.requests), default=-1)
            chosen = here if here >= 0 else last if last >= 0 else None
        self.chart.select(chosen)
        set_text(self.when, period.title)
        set_text(self.chart_title, tr(_TITLES[period.unit]))
        total = sum_of("", self._spent)
        self.figures.show_figures(figures(total))
        self.legend.show_sums(total)
        self._listed = self._listed and keep
        self._show_chosen()
        self._show_table()
        self.caps.show_lines(cap_lines(self._view, limits_at(self._view.caps, self._view.now_utc), self._now))
        self.causes.show_causes(reread_causes(self._spent), accuracy_words(self._spent))
        anything = bool(self._view.spent)
        self.nothing.setVisible(not anything)
        for card in (self.figures, self.chart_card, self.table_card, self.causes):
            card.setVisible(anything)

    def _show_chosen(self) -> None:
        number = self.chart.selected()
        name, words = "", ""
        if number is not None:
            some = self._of_part(number)
            name, words = bar_told(self._period, number, sum_of("", some), self._now)
        set_text(self.chosen_name, name)
        set_text(self.chosen_words, words)

    def _show_table(self) -> None:
        number = self.chart.selected()
        if self._listed and number is not None:
            name = self._period.name_of(number, self._now)
            self.table.show_lines(request_lines(name, self._of_part(number), self._view))
        else:
            self.table.show_lines(group_lines(self._spent, self._view))

    def _of_part(self, number: int) -> tuple[Spent, ...]:
        key, unit = self._period.keys[number], self._period.unit
        return tuple(one for one in self._spent if key_of(one, unit, local) == key)

    def _choose(self, _number: int) -> None:
        self._show_chosen()
        if self._listed:
            self._show_table()

    def _list(self, number: int) -> None:
        if self._of_part(number):
            self._listed = True
            self._show_table()

    def _turn_unit(self, unit: str) -> None:
        wanted = next(one for one, _ in _UNITS if one == unit)
        self._show_period(period_at(self._now, wanted))

    def _turn(self, by: int) -> None:
        self._show_period(self._period.shifted(by))

    # How it is laid out.

    def _make_head(self) -> None:
        self.when = label("", "ui_heading")
        self.when.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.when.setFixedWidth(132)
        self.before = on_click(tool_button("chevron-left", tr("Before")), lambda: self._turn(-1))
        self.after = on_click(tool_button("chevron-right", tr("After")), lambda: self._turn(1))
        self.unit = Segmented([(unit, tr(words)) for unit, words in _UNITS])
        self.unit.setAccessibleName(tr("Sums by"))
        self.close_button = on_click(tool_button("x", tr("Close"), tr("Close (Esc)")), self.closed)
        self.head = Panel()
        self.head.line_below = True
        self.head.setFixedHeight(HEAD)
        self.head_line = ElidedLabel(tr("prices as reported; your own models cost nothing"), "small", "t2")
        fill(
            columns(self.head, (MARGIN, 0, 12, 0), 8), label(tr("Money"), "title"), (self.head_line, 100), STRETCH,
            self.before, self.when, self.after, self.unit, 4, self.close_button,
        )  # fmt: skip

    def _chart_card(self) -> Card:
        card = _ChartCard()
        down = rows(card, (1, 1, 1, 1))
        fill(columns(down, (MARGIN - 2, 10, MARGIN, 4), 8), self.chart_title, STRETCH, self.legend)
        across = columns(down, (2, 0, 0, 0))
        across.addWidget(self.chart)
        down.addWidget(Hairline())
        line = columns(down, (MARGIN - 2, 9, MARGIN, 10), 8)
        line.addWidget(self.chosen_name, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.chosen_words, 1, Qt.AlignmentFlag.AlignTop)
        tell_figure(self.chart, tr(_SOURCE), "money")
        return card

    def _place(self) -> None:
        content = transparent()
        down = rows(content, (MARGIN, 14, MARGIN, 14), GAP)
        fill(down, self.figures)
        across = columns(down, spacing=MARGIN)
        self._left, self._right = rows(None, spacing=GAP), rows(None, spacing=GAP)
        self._right_side = transparent()
        self._right_side.setLayout(self._right)
        self._right_side.setFixedWidth(RIGHT)
        across.addLayout(self._left, 1)
        across.addWidget(self._right_side, 0, Qt.AlignmentFlag.AlignTop)
        down.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        fill(rows(self), self.head, (area, 1))
        self._arrange()

    def _arrange(self) -> None:
        """Two columns, or one where there is no room: caps come first then."""
        narrow = self.width() < WIDE_PX
        if narrow == self._narrow:
            return
        self._narrow = narrow
        one = (self.nothing, self.caps, self.chart_card, self.table_card, self.causes)
        two: tuple[tuple[QVBoxLayout, Sequence[QWidget]], ...] = (
            (self._left, one if narrow else (self.nothing, self.chart_card, self.table_card)),
            (self._right, () if narrow else (self.caps, self.causes)),
        )
        for layout in (self._left, self._right):
            while layout.count():
                layout.takeAt(0)
        for layout, cards in two:
            fill(layout, *cards, STRETCH)
        self._right_side.setVisible(not narrow)
        self.figures.arrange(3 if narrow else 5)
        self.head_line.setVisible(not narrow)
        self.chart.set_few(narrow)
        self.table.set_few(narrow)


class _ChartCard(Card):
    def update_look(self) -> None:
        """In the dark a chart lies on the surface: its fills are too near to what is raised."""
        self.ground = "surface" if theme_of(self).dark else "raised"


class _Figures(Card):
    """The figures at the top, side by side or in two rows."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(MARGIN, 11, MARGIN, 11)
        self._grid.setHorizontalSpacing(0)
        self._grid.setVerticalSpacing(12)
        self.cells = [_FigureCell() for _ in range(5)]
        self.arrange(5)

    def arrange(self, across: int) -> None:
        for place, cell in enumerate(self.cells):
            self._grid.addWidget(cell, place // across, place % across)
            cell.separate(place % across > 0)
        for column in range(5):
            self._grid.setColumnStretch(column, 1 if column < across else 0)

    def show_figures(self, some: Sequence[Figure]) -> None:
        for cell, figure in zip(self.cells, some, strict=True):
            cell.show_figure(figure)


class _FigureCell(QWidget):
    separated = False

    def __init__(self) -> None:
        super().__init__()
        self.name, self.value, self.line = (
            label("", "small", "t2"),
            label("", "figure"),
            label("", "small", "t2"),
        )
        self.line.setWordWrap(True)
        self._down = fill(rows(self, (0, 0, 8, 0), 1), self.name, self.value, self.line, STRETCH)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def separate(self, separated: bool) -> None:
        """Put a line before it, and room beside that, unless it is the first of its row."""
        self.separated = separated
        self._down.setContentsMargins(MARGIN if separated else 0, 0, 8, 0)

    def show_figure(self, figure: Figure) -> None:
        set_text(self.name, figure.name)
        set_text(self.value, figure.value)
        set_token(self.value, "t3" if figure.value == "—" else figure.token)
        set_text(self.line, figure.line)
        self.setAccessibleName(f"{figure.name}: {figure.value}")
        tell_figure(self, tr(_SOURCE), "money")

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.separated:
            QPainter(self).fillRect(0, 0, 1, self.height(), colour("line", theme_of(self)))


class _Legend(QWidget):
    """What the parts of a bar are, with their sums."""

    def __init__(self) -> None:
        super().__init__()
        across = columns(self, spacing=6)
        names = (("cached", tr("cached")), ("fresh", tr("fresh")), ("output", tr("output")))
        self.sums: dict[str, QLabel] = {}
        for part, words in names:
            self.sums[part] = label("", "small")
            self.sums[part].setFont(font("small", 600))
            fill(across, _Swatch(part), label(words, "small", "t2"), self.sums[part], 8)

    def show_sums(self, total: SpendSum) -> None:
        set_text(self.sums["cached"], dollars(total.cached_usd))
        set_text(self.sums["fresh"], dollars(total.fresh_usd))
        set_text(self.sums["output"], dollars(total.output_usd))


class _Swatch(QWidget):
    def __init__(self, part: str) -> None:
        super().__init__()
        self._part = part
        self.setFixedSize(13, 12)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, box = QPainter(self), theme_of(self), QRectF(0, 0, 13, 12)
        if self._part == "output":
            stroke_rounded(painter, box, theme.t2, 2)
            return
        fill_rounded(painter, box, colour(self._part, theme), 2)
        if self._part == "cached":
            painter.fillRect(box, hatch_brush(theme, None, self.devicePixelRatioF(), small=True))


class _Bar(QWidget):
    """How full something is: a line with its part in a colour."""

    def __init__(self) -> None:
        super().__init__()
        self._share, self._token = 0.0, "accent"
        self.setFixedHeight(6)

    def show_share(self, share: float, token: str) -> None:
        self._share, self._token = min(1.0, max(0.0, share)), token
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, box = QPainter(self), theme_of(self), QRectF(self.rect())
        fill_rounded(painter, box, colour("track", theme), 2)
        part = QRectF(box.left(), box.top(), max(2.0, box.width() * self._share), box.height())
        if self._share:
            fill_rounded(painter, part, colour(self._token, theme), 2)


class _CapRow(Panel):
    def __init__(self, line: CapLine) -> None:
        super().__init__()
        self.line_above = True
        bar, token = _Bar(), {"": "accent", "warn": "warn", "err": "errline"}[line.tone]
        words = {"": "t2", "warn": "warn", "err": "err"}[line.tone]
        bar.show_share(line.share, token)
        percent = formatting.percent(line.share)
        spent = label(line.spent, "small")
        spent.setFont(font("small", 600))
        down = rows(self, (MARGIN - 2, 7, MARGIN - 2, 6), 4)
        of = label(tr("of {usd}").format(usd=line.cap), "small", "t2")
        fill(columns(down, spacing=4), (ElidedLabel(line.name, "small"), 1), spent, of)
        down.addWidget(bar)
        fill(columns(down), label(line.left, "meta", words), STRETCH, label(percent, "meta", words))
        self.setAccessibleName(f"{line.name}: {line.spent} {of.text()}, {line.left}, {percent}")


class _CapsCard(Card):
    """The caps, how full each is, and what they do."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.add = on_click(button(tr("Add cap…"), "ghost", "plus", size="small"), self._open)
        self._wishes = wishes
        down = rows(self, (1, 1, 1, 1))
        self.count = label("", "small", "t3")
        fill(
            columns(down, (MARGIN - 2, 5, 6, 5), 8),
            label(tr("Caps"), "ui_heading"),
            self.count,
            STRETCH,
            self.add,
        )
        self._lines = rows(down)
        self.shown: list[QWidget] = []
        down.addWidget(Hairline())
        words = tr(
            "A request that would pass a cap isn’t sent. You can allow it once; a watched program gets its vendor’s "
            "own error."
        )
        inner = columns(down, (MARGIN - 2, 9, MARGIN - 2, 10))
        inner.addWidget(label(words, "small", "t2", wrap=True))

    def show_lines(self, lines: Sequence[CapLine]) -> None:
        for row in self.shown:
            self._lines.removeWidget(row)
            row.deleteLater()
        self.shown = [_CapRow(line) for line in lines]
        fill(self._lines, *self.shown)
        set_text(self.count, formatting.tokens(len(lines)) if lines else "")

    def _open(self) -> None:
        self._wishes.run(OpenSettings("spending"))


class _CausesCard(Card):
    """What was read again, by cause; and how well the forecasts came true."""

    def __init__(self) -> None:
        super().__init__()
        down = rows(self, (1, 1, 1, 1))
        self.times, self.sum = label("", "small", "t2"), label("", "ui_heading")
        head = columns(down, (MARGIN - 2, 11, MARGIN - 2, 11), 12)
        fill(head, label(tr("Re-read, by cause"), "ui_heading"), STRETCH, self.times, self.sum)
        self._lines = rows(down)
        self.shown: list[QWidget] = []
        self.accuracy = label("", "small", "t2", wrap=True)
        below = columns(down, (MARGIN - 2, 4, MARGIN - 2, 12))
        below.addWidget(self.accuracy)

    def show_causes(self, causes: Sequence[RereadCause], accuracy: str) -> None:
        for row in self.shown:
            self._lines.removeWidget(row)
            row.deleteLater()
        most = max((one.usd for one in causes), default=0.0)
        self.shown = [_CauseRow(one, most) for one in causes] or [_nothing_again()]
        fill(self._lines, *self.shown)
        times = sum(one.times for one in causes)
        set_text(self.times, formatting.counted(times, tr("1 time"), tr("{n} times")) if causes else "")
        set_text(self.sum, dollars(sum(one.usd for one in causes)) if causes else "")
        set_text(self.accuracy, accuracy)
        self.accuracy.setVisible(bool(accuracy))


class _CauseRow(Panel):
    def __init__(self, cause: RereadCause, most: float) -> None:
        super().__init__()
        self.line_above = True
        words, times = cause_words(cause), tr("{n}×").format(n=formatting.tokens(cause.times))
        bar = _Bar()
        bar.setFixedWidth(64)
        bar.show_share(cause.usd / most if most else 0.0, "warn")
        price = label(dollars(cause.usd), "small")
        price.setFont(font("small", 600))
        price.setMinimumWidth(54)
        price.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        many = label(times, "small", "t2")
        many.setMinimumWidth(32)
        many.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        fill(
            columns(self, (MARGIN - 2, 5, MARGIN - 2, 5), 10),
            (ElidedLabel(words, "small"), 1),
            many,
            bar,
            price,
        )
        self.setAccessibleName(f"{words}: {times}, {price.text()}")


def _nothing_again() -> QWidget:
    line = Panel()
    line.line_above = True
    words = label(tr("Nothing was read again."), "small", "t2")
    columns(line, (MARGIN - 2, 9, MARGIN - 2, 9)).addWidget(words)
    return line
