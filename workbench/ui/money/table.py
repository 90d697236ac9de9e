"""The table of money: requests by model, workspace and program with the sum of each, or one by one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QSizePolicy

from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import paint_elided, paint_figure, set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.money.words import Line
from workbench.ui.translation import N_, tr
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

NAME, REQUESTS, SENT, CACHED, PRICE, PREDICTED, SAVED, REREAD = range(8)
EDGE, HEAD_HEIGHT, ROW_HEIGHT = 16, 26, 25
WIDTHS: Mapping[int, int] = {
    REQUESTS: 66, SENT: 72, CACHED: 64, PRICE: 72, PREDICTED: 74, SAVED: 70, REREAD: 66 + EDGE,
}  # fmt: skip
_GIVING_WAY = (PREDICTED, REREAD)
_HEADS = (
    N_("Name"), N_("Requests"), N_("Sent"), N_("Cached"), N_("Price"), N_("Predicted"), N_("Saved"), N_("Re-read"),
)  # fmt: skip
_TOKENS = {CACHED: "t2", SENT: "t2", PREDICTED: "t2", SAVED: "ok", REREAD: "warn"}


def head_text(column: int) -> str:
    """What stands over a column."""
    return tr(_HEADS[column])


class _Lines(ItemModel[Line]):
    column_count = len(_HEADS)

    def key_of(self, line: Line) -> Hashable:
        return line.key

    def headerData(self, section: int, _orientation: Qt.Orientation, role: int = 0) -> Any:
        return head_text(section) if role == Qt.ItemDataRole.DisplayRole else None

    def text_of(self, line: Line, column: int = 0) -> str:
        return line.cells[column] if column < len(line.cells) else ""

    def spoken_of(self, line: Line, column: int = 0) -> str | None:
        if column:
            return None if self.text_of(line, column) else line.cells[0]  # the line of a group has no figures
        figures = (f"{head_text(place)} {text}" for place, text in enumerate(line.cells) if place and text)
        return ", ".join([" ".join(word for word in (line.cells[0], line.quiet) if word), *figures])


class SpendTable(RowTree):
    """The lines in columns; figures flush right, so that they add up down the page."""

    rings_rows = True

    def __init__(self) -> None:
        super().__init__()
        self.lines = _Lines()
        self.setUniformRowHeights(True)
        self.setModel(self.lines)
        self.setHeader(_Head())
        self.setItemDelegate(_Cells(self))
        self.setItemsExpandable(False)
        self.setAccessibleName(tr("What requests cost"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for column in range(len(_HEADS)):
            stretches = column == NAME
            mode = QHeaderView.ResizeMode.Stretch if stretches else QHeaderView.ResizeMode.Fixed
            self.header().setSectionResizeMode(column, mode)
            if column in WIDTHS:
                self.setColumnWidth(column, WIDTHS[column])

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show other lines, all of them: the page around the table scrolls. Single requests need no count."""
        self.setColumnHidden(REQUESTS, any(line.key[0] == "request" for line in lines))
        self.lines.show_items(lines)
        self.setFixedHeight(HEAD_HEIGHT + ROW_HEIGHT * len(lines))

    def set_few(self, few: bool) -> None:
        """Leave out what a narrow window has no room for, or show it again."""
        for column in _GIVING_WAY:
            self.setColumnHidden(column, few)
        self.setColumnWidth(SAVED, WIDTHS[SAVED] + (EDGE if few else 0))


class _Head(ColumnHead):
    def __init__(self) -> None:
        super().__init__(HEAD_HEIGHT)

    def paint_name(self, painter: QPainter, box: QRectF, section: int) -> None:
        painter.setPen(colour("t2", theme_of(self)))
        if section == NAME:
            paint_elided(painter, box.adjusted(EDGE - 2, 0, 0, 0), head_text(section))
        else:
            paint_figure(painter, _figure_box(box, section, self.isSectionHidden(REREAD)), head_text(section))


class _Cells(RowDelegate):
    height = ROW_HEIGHT

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        line, column, theme = index.data(ITEM), index.column(), theme_of()
        if not isinstance(line, Line):
            return
        if line.kind == "group":
            painter.fillRect(row.box, colour("raised_hover" if theme.dark else "sunken", theme))
        else:
            paint_ground(painter, row)
        if line.kind == "sum":
            paint_rule(painter, row.box, top=True)
        if column == NAME:
            self._paint_name(painter, row.box, line)
            return
        strong = column == PRICE or line.kind == "sum"
        text = line.cells[column] if column < len(line.cells) else ""
        token = "t3" if text == "—" else _TOKENS.get(column, "t1")
        token = "t1" if line.kind == "sum" and token == "t2" else token
        set_text_style(painter, font("small", 600 if strong else None), colour(token, theme))
        table = self.view()
        few = isinstance(table, SpendTable) and table.isColumnHidden(REREAD)
        paint_figure(painter, _figure_box(row.box, column, few), text)

    def _paint_name(self, painter: QPainter, box: QRectF, line: Line) -> None:
        theme, strong = theme_of(), line.kind != "row"
        if line.icon:
            paint_icon(
                painter, QRectF(box.left() + EDGE + 14, box.top(), 16, box.height()), line.icon, "t2", 14
            )
        left = EDGE if line.kind == "group" else EDGE + 36 if line.icon else EDGE + 14
        words = box.adjusted(left, 0, -8, 0)
        set_text_style(painter, font("small", 600 if strong else None), colour("t1", theme))
        paint_elided(painter, words, line.cells[0])
        if line.quiet:
            used = metrics("small").horizontalAdvance(line.cells[0]) + 8
            set_text_style(painter, font("meta"), colour("t2", theme))
            paint_elided(painter, words.adjusted(min(used, words.width()), 0, 0, 0), line.quiet)


def _figure_box(box: QRectF, column: int, few: bool) -> QRectF:
    """Where a figure stands: the last column keeps the card's edge."""
    return box.adjusted(0, 0, -EDGE if column == (SAVED if few else REREAD) else -4, 0)
