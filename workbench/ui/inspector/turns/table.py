"""The list of turns: how its cells look, and a row of sums under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QWidget

from workbench.domain.settings.context_settings import Layout
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.verdict_words import our_break, turn_badge, turn_description
from workbench.ui.inspector.turns.timeline_layout import paint_cached, paint_mark
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import (
    badge_width,
    elided,
    fill_rounded,
    paint_badge,
    paint_elided,
    paint_figure,
    set_text_style,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import model_name
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.guided import with_more
from workbench.ui.widgets.items.item_model import ITEM, ItemModel
from workbench.ui.widgets.items.views import (
    ColumnHead,
    Index,
    ItemOption,
    RowDelegate,
    RowTree,
    paint_ground,
    paint_rule,
)
from workbench.ui.widgets.plain import tip

# The list of turns as a table, the newest first: its columns, and which go where there is little room.


EDGE = 16
LEAST_CACHE = 140
_LAYOUTS: Mapping[Layout, str] = {
    "layered": N_("layered"),
    "append_only": N_("append-only"),
    "auto": N_("auto"),
}


class Column(IntEnum):
    """The columns, in their order."""

    TURN = 0
    SENT = 1
    LAYOUT = 2
    TOKENS_IN = 3
    PREDICTED = 4
    REPORTED = 5
    CACHE = 6
    OUT = 7
    PRICE = 8


FIGURES = frozenset({Column.PREDICTED, Column.REPORTED, Column.OUT, Column.PRICE})
"""Columns whose figures stand at the end."""
_WIDTHS: Mapping[Column, int] = {
    Column.TURN: 34 + EDGE,
    Column.SENT: 46,
    Column.LAYOUT: 84,
    Column.TOKENS_IN: 94,
    Column.PREDICTED: 60,
    Column.REPORTED: 60,
    Column.CACHE: 0,
    Column.OUT: 52,
    Column.PRICE: 70 + EDGE,
}
_GIVING_WAY = (Column.LAYOUT, Column.SENT, Column.PRICE, Column.OUT)
"""Which columns go first where the verdict would have no room."""
_HEADS: Mapping[Column, str] = {
    Column.TURN: N_("Turn"),
    Column.SENT: N_("Sent"),
    Column.LAYOUT: N_("Layout"),
    Column.TOKENS_IN: N_("Tokens in"),
    Column.PREDICTED: N_("Predicted"),
    Column.REPORTED: N_("Reported"),
    Column.CACHE: N_("Cache"),
    Column.OUT: N_("Out"),
    Column.PRICE: N_("Price"),
}


_TIPS: Mapping[Column, str] = {
    Column.TOKENS_IN: N_("The turn’s last request as the provider counted it, or as counted here."),
    Column.PREDICTED: N_("What the cache was expected to serve of the turn’s last request."),
    Column.REPORTED: N_("What the provider says its cache served of the turn’s last request."),
    Column.CACHE: N_("Whether the prediction came true for the turn’s last request."),
    Column.OUT: N_("Tokens of the answer as the provider counted them, all requests of the turn together."),
    Column.PRICE: N_("All requests of the turn together, at the model’s listed prices."),
}


_WATCHED_TIPS: Mapping[Column, str] = {
    Column.TOKENS_IN: N_("The request as the provider counted it, or as counted here."),
    Column.PREDICTED: N_("What the cache was expected to serve of the request."),
    Column.REPORTED: N_("What the provider says its cache served of the request."),
    Column.CACHE: N_("Whether the prediction came true."),
    Column.OUT: N_("Tokens of the answer as the provider counted them."),
    Column.PRICE: N_("At the model’s listed prices."),
}


def head_text(column: Column, watched: bool = False) -> str:
    """What stands over a column; other programs choose a model, and no layout of ours."""
    if watched and column in (Column.LAYOUT, Column.TURN):
        word = N_("Model") if column is Column.LAYOUT else N_("No.")
        return tr(word)
    return tr(_HEADS[column])


def head_tip(column: Column, watched: bool = False) -> str:
    """Where the figures of a column come from, and of which requests they are: a turn with tools makes several."""
    told = (_WATCHED_TIPS if watched else _TIPS).get(column)
    return "" if told is None else tr(told)


def widths(total: int) -> dict[Column, int]:
    """How wide each column is; 0 where it is left out. The verdict takes the rest."""
    found = {column: max(width, _needed(column)) if width else 0 for column, width in _WIDTHS.items()}
    for column in _GIVING_WAY:
        if total - sum(found.values()) >= LEAST_CACHE:
            break
        found[column] = 0
    found[Column.CACHE] = max(0, total - sum(found.values()))
    return found


def _needed(column: Column) -> int:
    """What the words of a column take in the shown language."""
    edge = EDGE if column in (Column.TURN, Column.PRICE) else 0
    head = metrics("meta").horizontalAdvance(head_text(column))
    words = tr("no cost") if column is Column.PRICE else ""
    return round(max(head, metrics("small").horizontalAdvance(words)) + GAP + 3) + edge


def layout_word(layout: Layout | None) -> str:
    """What a layout is called; a dash where it was not noted."""
    return "—" if layout is None else tr(_LAYOUTS[layout])


def tokens_in(turn: TurnRow) -> int:
    """The turn's last request, as the provider counted it, else as we did."""
    return turn.last_tokens


def price(turn: TurnRow) -> str:
    """What the turn cost."""
    if turn.local:
        return tr("no cost")
    return "—" if turn.cost_usd is None else formatting.usd(turn.cost_usd)


def cell_text(turn: TurnRow, column: Column) -> str:
    """What a cell says."""
    match column:
        case Column.TURN:
            return formatting.tokens(turn.number)
        case Column.SENT:
            return formatting.clock(turn.sent_utc) if turn.was_sent else tr("not sent")
        case Column.LAYOUT:
            return layout_word(turn.layout) if turn.tools is None else model_name(turn.model)
        case Column.TOKENS_IN:
            return formatting.tokens(tokens_in(turn)) if turn.was_sent else "—"
        case Column.PREDICTED:
            return _or_dash(turn.predicted_tokens)
        case Column.REPORTED:
            return _or_dash(turn.reported_tokens)
        case Column.CACHE:
            badge, found = turn_badge(turn), our_break(turn)
            return ", ".join(one.word for one in (badge, found) if one is not None and one.word)
        case Column.OUT:
            return _or_dash(turn.completion_tokens)
        case Column.PRICE:
            return price(turn)


def _or_dash(tokens: int | None) -> str:
    return "—" if tokens is None else formatting.tokens(tokens)


class TurnModel(ItemModel[TurnRow]):
    """One row a turn, the newest first."""

    column_count = len(Column)

    def __init__(self) -> None:
        super().__init__()
        self._turns: tuple[TurnRow, ...] = ()
        self.largest_tokens = 1

    @property
    def _watched(self) -> bool:
        return bool(self._turns) and self._turns[-1].watched

    def show(self, turns: tuple[TurnRow, ...]) -> None:
        """Show other turns; they come with the oldest first."""
        if turns is not self._turns:
            self._turns = turns
            self.largest_tokens = max(map(tokens_in, turns), default=1) or 1
            self.show_items(turns[::-1])

    def key_of(self, turn: TurnRow) -> int:
        return turn.number

    def text_of(self, turn: TurnRow, column: int = 0) -> str:
        return cell_text(turn, Column(column))

    def tip_of(self, turn: TurnRow, column: int = 0) -> str:
        when = formatting.moment(turn.sent_utc) if column == Column.SENT else ""
        told = self.spoken_of(turn)
        return with_more(f"{when}\n{told}" if when else told or "")

    def spoken_of(self, turn: TurnRow, column: int = Column.TURN) -> str | None:
        if column != Column.TURN:
            return None
        told = turn_description(turn)
        if not turn.model:
            return told
        return f"{told} {tr('Model: {name}.').format(name=model_name(turn.model))}"

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return head_text(Column(section), self._watched)
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return tip(with_more(head_tip(Column(section), self._watched)))
        return None


HEAD_HEIGHT = 26
ROW_HEIGHT = 27
GAP, CACHE_GAP = 6, 8
MINI_WIDTH, MINI_HEIGHT = 36, 6
FIGURE_WIDTH = 46
ACCENT_WIDTH = 2


class TurnHead(ColumnHead):
    """The heads of the columns, painted like everything else in the list."""

    def __init__(self) -> None:
        super().__init__(HEAD_HEIGHT)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.watched = False

    def paint_name(self, painter: QPainter, box: QRectF, section: int) -> None:
        column = Column(section)
        inner = inner_box(box, column)
        words = elided(painter.font(), head_text(column, self.watched), inner.width())
        paint_cell(painter, inner, words, column in FIGURES)


class TurnTable(RowTree):
    """Signals: `picked` tells the number of a turn, `opened` that Enter or a double click wants more of it."""

    picked = Signal(int)
    opened = Signal(int)
    room_changed = Signal(int)
    rings_rows = True

    def __init__(self) -> None:
        super().__init__()
        self._model = TurnModel()
        self.setUniformRowHeights(True)
        self.setModel(self._model)
        self.head = TurnHead()
        self.setHeader(self.head)
        self.setItemDelegate(TurnDelegate(self))
        self.setItemsExpandable(False)
        self.setAccessibleName(tr("Turns, the newest first"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.clicked.connect(self._tell)
        self.doubleClicked.connect(self._open)

    def show_turns(self, turns: tuple[TurnRow, ...]) -> None:
        watched = bool(turns) and turns[-1].watched
        self._model.show(turns)
        self.head.watched = watched
        named = tr("Requests, the newest first") if watched else tr("Turns, the newest first")
        self.setAccessibleName(named)
        self.setMaximumHeight(HEAD_HEIGHT + ROW_HEIGHT * max(len(turns), 1))

    def select(self, number: int | None) -> None:
        index = self._model.index_of(number)
        if not index.isValid():
            self.clearSelection()
        elif self.currentIndex().row() != index.row() or not self.selectionModel().hasSelection():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, flags)

    def sizeHint(self) -> QSize:
        return QSize(700, HEAD_HEIGHT + 8 * ROW_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(420, HEAD_HEIGHT + 2 * ROW_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.room_changed.emit(self.viewport().width())
        for column, width in widths(self.viewport().width()).items():
            self.setColumnHidden(column, width == 0)
            if width:
                self.setColumnWidth(column, width)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows choose, by row and, as in the chart below, by turn; Enter opens."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex())
            return
        before = self.currentIndex().row()
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            newer = event.key() == Qt.Key.Key_Right
            row = min(max(before + (-1 if newer else 1), 0), self._model.rowCount() - 1)
            self.setCurrentIndex(self._model.index(row, 0))
        else:
            super().keyPressEvent(event)
        if self.currentIndex().row() != before:
            self._tell(self.currentIndex())

    def _tell(self, index: QModelIndex) -> None:
        if (turn := self._model.item(index)) is not None:
            self.picked.emit(turn.number)

    def _open(self, index: QModelIndex) -> None:
        if (turn := self._model.item(index)) is not None:
            self.opened.emit(turn.number)


class TurnSums(QWidget):
    """The sums of all turns, under the columns they belong to."""

    def __init__(self) -> None:
        super().__init__()
        self._cells: dict[Column, str] = {}
        self._room = 0
        self.setFixedHeight(ROW_HEIGHT)

    def set_room(self, width: int) -> None:
        """Stand under columns that have this much room: a scroll bar takes some of it."""
        self._room = width
        self.update()

    def show_turns(self, turns: tuple[TurnRow, ...], layout: Layout | None = None) -> None:
        """Sum up other turns of a chat with this layout; what nobody reported is not part of a sum."""
        sent = [turn for turn in turns if turn.was_sent]
        told = [turn for turn in sent if turn.reported_tokens is not None]
        cached = sum(turn.reported_tokens or 0 for turn in told)
        read_from = sum(tokens_in(turn) for turn in told)
        prices = [turn.cost_usd for turn in turns if turn.cost_usd is not None]
        several = any(turn.requests > 1 for turn in told)
        words = tr("{share} of last requests cached") if several else tr("{share} read from cache")
        share = words.format(share=formatting.percent(cached / read_from if read_from else 0.0))
        named = tr("turns, layout {layout}").format(layout=layout_word(layout))
        self._cells = {
            Column.TURN: formatting.tokens(len(turns)),
            Column.SENT: self._kind(turns) if layout is None else named,
            Column.TOKENS_IN: formatting.tokens(sum(tokens_in(turn) for turn in sent)),
            Column.PREDICTED: _sum([turn.predicted_tokens for turn in sent]),
            Column.REPORTED: formatting.tokens(cached) if told else "—",
            Column.CACHE: share if told else tr("nothing reported"),
            Column.OUT: formatting.tokens(sum(turn.completion_tokens or 0 for turn in turns)),
            Column.PRICE: formatting.usd(sum(prices), about=True) if any(prices) else _without_price(turns),
        }
        tooltip = tr("The sum of each column; turns without a report are left out of what was reported.")
        if turns and turns[-1].watched:
            tooltip = tr(
                "The sum of each column; requests without a report are left out of what was reported."
            )
        self.setToolTip(tip(with_more(tooltip)))
        self.setAccessibleName(tr("Sum"))
        self.setAccessibleDescription(
            ", ".join(f"{head_text(column)} {words}" for column, words in self._cells.items())
        )
        self.update()

    def _kind(self, turns: tuple[TurnRow, ...]) -> str:
        return tr("requests") if turns and turns[-1].watched else tr("turns")

    def words(self, column: Column) -> str:
        return self._cells.get(column, "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.fillRect(self.rect(), colour("sunken", theme))
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), colour("line", theme))
        x = 0
        found = widths(self._room or self.width())
        for column, own in found.items():
            # The words about all turns run on where the sum has nothing to say of a layout.
            width = own + found[Column.LAYOUT] if column == Column.SENT else own
            left, x = x, x + own
            if not width or column == Column.LAYOUT:
                continue
            box = inner_box(QRectF(left, 0, width, self.height()), column)
            if column == Column.TOKENS_IN:
                box = QRectF(box.left(), 0, FIGURE_WIDTH, box.height())
            strong = column not in (Column.SENT, Column.CACHE)
            painter.setFont(font("small", 600 if strong else None))
            painter.setPen(colour("t1" if strong else "t2", theme))
            if column == Column.TURN:
                paint_turn(painter, box, self.words(column))
            else:
                paint_cell(painter, box, self.words(column), column in FIGURES or column == Column.TOKENS_IN)


def _without_price(turns: Sequence[TurnRow]) -> str:
    """What stands for a sum of prices where there is none: nothing is paid here, or nobody knows."""
    return price(turns[-1]) if turns and all(turn.local for turn in turns) else "—"


def _sum(tokens: Sequence[int | None]) -> str:
    known = [one for one in tokens if one is not None]
    return formatting.tokens(sum(known)) if known else "—"


class TurnDelegate(RowDelegate):
    """Paints every cell of a turn."""

    height = ROW_HEIGHT

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        turn, column = index.data(ITEM), Column(index.column())
        paint_ground(painter, row)
        paint_rule(painter, row.box)
        if row.selected and column == Column.TURN:
            accent = QRectF(row.box.left(), row.box.top(), ACCENT_WIDTH, row.box.height())
            painter.fillRect(accent, colour("accent"))
        box = inner_box(row.box, column)
        match column:
            case Column.TOKENS_IN:
                model = index.model()
                largest = model.largest_tokens if isinstance(model, TurnModel) else 1
                _paint_tokens(painter, box, turn, largest)
            case Column.CACHE:
                _paint_cache(painter, box, turn)
            case _:
                _paint_text(painter, box, turn, column)


def inner_box(box: QRectF, column: Column) -> QRectF:
    """A cell without its padding; the first and the last column keep the pane's edge."""
    before = EDGE if column == Column.TURN else CACHE_GAP if column == Column.CACHE else 0
    after = EDGE if column == Column.PRICE else GAP
    return box.adjusted(before, 0, -after, 0)


def paint_cell(painter: QPainter, box: QRectF, words: str, at_end: bool) -> None:
    """Words at the beginning of a cell, or a figure at its end."""
    if not at_end:
        paint_elided(painter, box, words)
        return
    paint_figure(painter, box, words)


def _paint_text(painter: QPainter, box: QRectF, turn: TurnRow, column: Column) -> None:
    missed = column == Column.REPORTED and (turn.reported_tokens or 0) < (turn.predicted_tokens or 0)
    strong = column == Column.TURN or missed
    quiet = column in (Column.SENT, Column.LAYOUT, Column.PREDICTED)
    painter.setFont(font("small", 600 if strong else None))
    painter.setPen(colour("warn" if missed else "t2" if quiet else "t1"))
    if column == Column.TURN:
        paint_turn(painter, box, cell_text(turn, column))
    else:
        paint_cell(painter, box, cell_text(turn, column), column in FIGURES)


def paint_turn(painter: QPainter, box: QRectF, number: str) -> None:
    """A turn's number at the beginning; it is never shortened."""
    paint_figure(painter, box, number, Qt.AlignmentFlag.AlignLeft)


def _paint_tokens(painter: QPainter, box: QRectF, turn: TurnRow, largest: int) -> None:
    set_text_style(painter, font("small"), colour("t1"))
    figure = QRectF(box.left(), box.top(), FIGURE_WIDTH, box.height())
    paint_cell(painter, figure, cell_text(turn, Column.TOKENS_IN), at_end=True)
    if not turn.was_sent:
        return
    bar = QRectF(figure.right() + GAP, round(box.center().y() - MINI_HEIGHT / 2), MINI_WIDTH, MINI_HEIGHT)
    fill_rounded(painter, bar, theme_of().track, 2)
    _paint_share(painter, bar, tokens_in(turn) / largest, "fresh")
    if turn.reported_tokens:
        _paint_share(painter, bar, min(turn.reported_tokens, tokens_in(turn)) / largest, "cached")


def _paint_share(painter: QPainter, bar: QRectF, share: float, token: str) -> None:
    width = max(1.5, bar.width() * min(share, 1.0))
    box = QRectF(bar.left(), bar.top(), width, bar.height())
    if token == "cached" and width >= 8:
        paint_cached(painter, box)
    else:
        fill_rounded(painter, box, getattr(theme_of(), token), min(2.0, width / 2))


def _paint_cache(painter: QPainter, box: QRectF, turn: TurnRow) -> None:
    """The verdict as a badge; beside it a mark and a word where our own change broke the prefix."""
    badge, found = turn_badge(turn), our_break(turn)
    if badge is not None:
        paint_badge(painter, box, badge.tone, badge.icon, badge.word)
        width = badge_width(badge.icon, badge.word) + 8
        box = box.adjusted(width, 0, 0, 0)
    if found is not None and box.width() > 24:
        paint_mark(
            painter, QPointF(box.left() + 5, box.center().y() + 3.5), "expired" if found.free else "broke"
        )
        set_text_style(painter, font("meta"), colour("warn" if found.free else "err"))
        paint_elided(painter, box.adjusted(14, 0, 0, 0), found.word)
