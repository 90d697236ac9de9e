"""A table of an answer, in a text of its own; a wide one scrolls sideways."""

from __future__ import annotations

from math import ceil
from typing import cast

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from workbench.ui.chat.text.blocks import Align, Table, spans_text
from workbench.ui.chat.text.formula import Drawn, FormulaJob, picture_of
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.prose import FORMULA_PX
from workbench.ui.chat.text.prose_writer import ProseLook, write_spans
from workbench.ui.chat.text.safe_browser import SafeBrowser, selected_text
from workbench.ui.chat.text.selection import WHOLE, Part
from workbench.ui.look.fonts import font, line_height, scale
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.stack import tell_height

LEAST_COLUMN_PX = 72
CELL_X_PX, CELL_Y_PX = 10, 4
BAR_PX = 12
_ALIGN: dict[Align, Qt.AlignmentFlag] = {
    "": Qt.AlignmentFlag.AlignLeading,
    "left": Qt.AlignmentFlag.AlignLeft,
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}


class TableView(SafeBrowser):
    """The cells, with hairlines between the rows."""

    sideways = True

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ink = ink
        self._table = Table(())
        self._theme = theme_of(self)
        self._natural = 0
        self._made: QTextTable | None = None
        self.setAccessibleName(tr("Table"))

    def show_table(self, table: Table) -> None:
        if table != self._table:
            self._table = table
            links = any(span.link for row in table.rows for cell in row for span in cell)
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
            self._write()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        columns = max(1, len(self._table.aligns))
        inner = min(max(width, columns * LEAST_COLUMN_PX), max(self._natural, 1))
        self.wrap_at(inner)
        return ceil(self.document().size().height()) + (BAR_PX if inner > width else 0)

    def sizeHint(self) -> QSize:
        return QSize(320, self.heightForWidth(max(1, self.width())))

    def cursor_of(self, part: Part) -> QTextCursor:
        """A cursor that selects a part; what comes from above or goes on below takes whole rows with it."""
        cursor, made = super().cursor_of(part), self._made
        if made is None or not (part.start == 0 or part.end is None) or part.start == part.end:
            return cursor
        first, last = made.cellAt(part.start), made.cellAt(part.end or 0)
        top = first.row() if first.isValid() else 0
        bottom = last.row() if last.isValid() else made.rows() - 1
        cursor.setPosition(made.cellAt(top, 0).firstPosition())
        end = made.cellAt(bottom, made.columns() - 1).lastPosition()
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def end_of_text(self) -> QPoint:
        made, row = self._made, self._table.rows[-1] if self._table.rows else ()
        column = max((number for number, cell in enumerate(row) if spans_text(cell)), default=0)
        if made is None or column >= made.columns():
            return super().end_of_text()
        return self.cursorRect(made.cellAt(made.rows() - 1, column).lastCursorPosition()).center()

    def text_of(self, part: Part) -> str:
        """Cells with tabs between them, a row a line; of a single cell the words that are selected."""
        cursor = self.cursor_of(part)
        if part != WHOLE and not cursor.hasComplexSelection():
            return selected_text(cursor)
        top, rows, left, columns = 0, len(self._table.rows), 0, max(1, len(self._table.aligns))
        if cursor.hasComplexSelection():
            top, rows, left, columns = cast("tuple[int, int, int, int]", cursor.selectedTableCells())
        cells = (row[left : left + columns] for row in self._table.rows[top : top + rows])
        return "\n".join("\t".join(spans_text(cell) for cell in row) for row in cells)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Sideways it scrolls itself; up and down the transcript does."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            QTextEdit.wheelEvent(self, event)
        else:
            event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if (
            event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange)
            and hasattr(self, "_theme")
            and theme_of(self) is not self._theme
        ):
            self._theme = theme_of(self)
            self._write()

    def _write(self) -> None:
        document = self.document()
        with self.written():
            document.clear()
            self._made = self._fill(QTextCursor(document)) if self._table.rows else None
        if not self.textCursor().hasSelection():
            self.to_start()
        document.setTextWidth(-1)
        self._natural = ceil(document.idealWidth()) + 2
        self.setLineWrapColumnOrWidth(self._natural)
        tell_height(self)

    def _fill(self, cursor: QTextCursor) -> QTextTable:
        cursor.beginEditBlock()
        rows, columns = len(self._table.rows), max(1, len(self._table.aligns))
        made = cursor.insertTable(rows, columns, self._shape())
        look = ProseLook(self._theme, self._formula)
        for number in range(rows):
            for column in range(columns):
                self._fill_cell(made, number, column, look)
        cursor.endEditBlock()
        return made

    def _shape(self) -> QTextTableFormat:
        shape = QTextTableFormat()
        shape.setBorder(0)
        shape.setCellSpacing(0)
        shape.setCellPadding(0)
        shape.setMargin(0)
        shape.setBorderCollapse(True)
        shape.setWidth(QTextLength())
        return shape

    def _fill_cell(self, made: QTextTable, row: int, column: int, look: ProseLook) -> None:
        cell = made.cellAt(row, column)
        style = QTextTableCellFormat()
        style.setLeftPadding(CELL_X_PX)
        style.setRightPadding(CELL_X_PX)
        style.setTopPadding(CELL_Y_PX)
        style.setBottomPadding(CELL_Y_PX)
        style.setBottomBorder(1)
        style.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        style.setBottomBorderBrush(QBrush(QColor(self._theme.line2 if row == 0 else self._theme.line)))
        cell.setFormat(style)
        cursor = cell.firstCursorPosition()
        shape = QTextBlockFormat()
        shape.setAlignment(_ALIGN[self._table.aligns[column] if column < len(self._table.aligns) else ""])
        shape.setLineHeight(line_height("ui"), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        cursor.setBlockFormat(shape)
        base = QTextCharFormat()
        base.setFont(font("ui"))
        if row == 0:
            base.setFontWeight(QFont.Weight.DemiBold)
        cells = self._table.rows[row]
        write_spans(cursor, cells[column] if column < len(cells) else (), look, base)

    def _formula(self, source: str) -> Drawn | None:
        svg = self._ink.get(FormulaJob(source, False, FORMULA_PX * scale()), self._write)
        return (
            None
            if svg is None
            else picture_of(svg, colour("t1", self._theme).name(), self.devicePixelRatioF())
        )
