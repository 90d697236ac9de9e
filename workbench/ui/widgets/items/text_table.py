"""A table of plain texts: columns with heads that stay while the rows are scrolled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QSizePolicy

from workbench.ui.look.fonts import font
from workbench.ui.look.painting import elided, paint_elided, paint_figure, set_text_style
from workbench.ui.look.theme import colour
from workbench.ui.widgets.items.item_model import ItemModel
from workbench.ui.widgets.items.views import (
    ColumnHead,
    Index,
    ItemOption,
    RowDelegate,
    RowTree,
    paint_ground,
    paint_rule,
)

HEAD_HEIGHT, ROW_HEIGHT, EDGE, GAP = 28, 30, 12, 8


class Column(NamedTuple):
    """One column; without a width it takes what the others leave."""

    head: str
    width: int = 0
    quiet: bool = False
    figures: bool = False


class TextRow(NamedTuple):
    """What the cells of a row say, and its tooltip."""

    cells: tuple[str, ...]
    tip: str


class TextModel(ItemModel[TextRow]):
    """The rows as they were given."""

    def __init__(self, columns: Sequence[Column]) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.column_count = len(columns)

    def headerData(self, section: int, _orientation: Qt.Orientation, role: int = 0) -> Any:
        return self.columns[section].head if role == Qt.ItemDataRole.DisplayRole else None

    def text_of(self, row: TextRow, column: int = 0) -> str:
        return row.cells[column]

    def spoken_of(self, row: TextRow, column: int = 0) -> str:
        return f"{self.columns[column].head}: {row.cells[column]}"

    def tip_of(self, row: TextRow, _column: int = 0) -> str:
        return row.tip


class TextTable(RowTree):
    """The rows in columns."""

    rings_rows = True

    def __init__(self, columns: Sequence[Column], name: str) -> None:
        super().__init__()
        self.rows = TextModel(columns)
        self.setUniformRowHeights(True)
        self.setModel(self.rows)
        self.setHeader(_Head(self.rows))
        self.setItemDelegate(_Cells(self))
        self.setItemsExpandable(False)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        for number, column in enumerate(columns):
            mode = QHeaderView.ResizeMode.Fixed if column.width else QHeaderView.ResizeMode.Stretch
            self.header().setSectionResizeMode(number, mode)
            if column.width:
                self.setColumnWidth(number, column.width)


class _Head(ColumnHead):
    def __init__(self, shown: TextModel) -> None:
        super().__init__(HEAD_HEIGHT)
        self._columns = shown.columns

    def paint_name(self, painter: QPainter, box: QRectF, section: int) -> None:
        inner = _inner(box, section, self._columns)
        words = elided(painter.font(), self._columns[section].head, inner.width())
        _paint(painter, inner, words, self._columns[section])


class _Cells(RowDelegate):
    height = ROW_HEIGHT

    def __init__(self, table: TextTable) -> None:
        super().__init__(table)
        self._columns = table.rows.columns

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        paint_ground(painter, row)
        paint_rule(painter, row.box)
        column = self._columns[index.column()]
        set_text_style(painter, font("small"), colour("t2" if column.quiet else "t1"))
        _paint(painter, _inner(row.box, index.column(), self._columns), str(index.data()), column)


def _inner(box: QRectF, number: int, columns: Sequence[Column]) -> QRectF:
    """A cell without its padding; the first and the last one keep the card's edge."""
    return box.adjusted(EDGE if number == 0 else 0, 0, -EDGE if number == len(columns) - 1 else -GAP, 0)


def _paint(painter: QPainter, box: QRectF, words: str, column: Column) -> None:
    (paint_figure if column.figures else paint_elided)(painter, box, words)
