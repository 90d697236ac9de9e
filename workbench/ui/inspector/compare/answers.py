"""The grid of answers under the columns of a comparison, painted as one view."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.domain.experiment import Cell, Experiment
from workbench.domain.variant import AS_SENT
from workbench.ui.inspector.compare.answer_words import (
    AnswerRow,
    answer_rows,
    empty_words,
    figures,
    other_words,
    spoken,
)
from workbench.ui.inspector.compare.columns import PADDING, RADIUS, ColumnsView
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import paint_elided, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.plain import tip

CELL_HEIGHT, LINE, TOP, MOST_CHECKS = 151, 17, 10, 4
MOST_CHARS = 1200


class AnswersView(QWidget):
    """One row a model and repeat, under the columns of the variants; arrows choose, Enter opens an answer.

    Signals:
        chosen: another cell is. opened: the one to read in full.
    """

    spoken_role = QAccessible.Role.Table
    chosen = Signal()
    opened = Signal()

    def __init__(self, columns: ColumnsView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = columns
        self._found: Experiment | None = None
        self._running = False
        self._rows: tuple[AnswerRow, ...] = ()
        self._names: tuple[str, ...] = ()
        self._row = 0
        self._offset = 0.0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring_radius", RADIUS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Answers side by side"))
        columns.chosen.connect(lambda _place: self._on_column())

    # --- what is shown ------------------------------------------------------------------------------------

    def show_answers(self, found: Experiment | None, first: str = AS_SENT, *, running: bool = False) -> None:
        # The first column is called in the user's language.
        names = (first, *(one.name for one in self._columns.columns()[1:]))
        if found is self._found and names == self._names and running == self._running:
            return
        self._found, self._names, self._running = found, names, running
        self._rows = () if found is None else answer_rows(found, names)
        self._row = min(self._row, max(0, len(self._rows) - 1))
        self._tell()
        self.updateGeometry()
        self.update()

    def set_offset(self, offset: int) -> None:
        self._offset = max(0.0, float(offset))
        self.update()

    def rows(self) -> tuple[AnswerRow, ...]:
        return self._rows

    def cell(self) -> Cell | None:
        """The chosen one."""
        place = self._columns.place()
        if not self._rows or not 0 <= place < len(self._names):
            return None
        return self._rows[self._row].cells.get(self._names[place])

    def choose(self, row: int) -> None:
        row = min(max(row, 0), len(self._rows) - 1)
        if self._rows and row != self._row:
            self._row = row
            self._on_column()

    def sizeHint(self) -> QSize:
        return QSize(718, round(len(self._rows) * self._height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def _on_column(self) -> None:
        self._tell()
        self.update()
        self.chosen.emit()

    def _tell(self) -> None:
        place = self._columns.place()
        if self._rows and 0 <= place < len(self._names):
            self.setAccessibleDescription(spoken(self._rows[self._row], self._names[place], self._running))

    # --- what Qt calls ------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                step = 1 if event.key() == Qt.Key.Key_Right else -1
                self._columns.choose(self._columns.place() + step)
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self.choose(self._row + (1 if event.key() == Qt.Key.Key_Down else -1))
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place, row = self._at(event.position())
        if place is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self.choose(row)
        self._columns.choose(place)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._at(event.position())[0] is not None:
            self.opened.emit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place, row = self._at(QPointF(event.pos()))
            cell = None if place is None else self._rows[row].cells.get(self._names[place])
            words = "" if cell is None else cell.problem or self.tr("Enter or double-click shows all of it.")
            QToolTip.showText(event.globalPos(), tip(words), self)
            return True
        return bool(super().event(event))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        whole = QRectF(0, 0, self._columns.box(len(self._names)).left(), self.height())
        outline = QPainterPath()
        outline.addRoundedRect(whole, RADIUS, RADIUS)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(outline)
        painter.fillRect(whole, colour("raised", theme))
        for place, name in enumerate(self._names):
            self._paint_column(painter, place, name)
        painter.translate(self._offset, 0)
        self._paint_labels(painter)
        painter.restore()
        stroke_rounded(painter, whole, theme.line, RADIUS)

    # --- painting -----------------------------------------------------------------------------------------

    def _paint_column(self, painter: QPainter, place: int, name: str) -> None:
        theme, height = theme_of(self), self._height()
        box = self._columns.box(place)
        column = QRectF(box.left(), 0, box.width(), self.height())
        if place == self._columns.place():
            painter.fillRect(column, colour("accent_tint", theme))
        elif place == 0:
            painter.fillRect(column, colour("sunken", theme))
        painter.fillRect(QRectF(box.left(), 0, 1, self.height()), colour("line", theme))
        for number, row in enumerate(self._rows):
            room = QRectF(box.left() + PADDING, number * height, box.width() - 2 * PADDING, height)
            if number:
                painter.fillRect(QRectF(box.left(), room.top(), box.width(), 1), colour("line", theme))
            self._paint_cell(painter, room, row, name)
            if number == self._row and place == self._columns.place() and self.hasFocus():
                inside = QRectF(box.left() + 2, room.top() + 2, box.width() - 4, height - 4)
                stroke_rounded(painter, inside, theme.accent, 6)

    def _paint_labels(self, painter: QPainter) -> None:
        theme, height, width = theme_of(self), self._height(), self._columns.box(0).left()
        painter.fillRect(QRectF(0, 0, width, self.height()), colour("raised", theme))
        painter.fillRect(QRectF(width, 0, 1, self.height()), colour("line", theme))
        for number, row in enumerate(self._rows):
            top, line = number * height, LINE * self._factor()
            if number:
                painter.fillRect(QRectF(0, top, width, 1), colour("line", theme))
            set_text_style(painter, font("small", 600), colour("t1", theme))
            room = QRectF(PADDING, top + TOP, width - PADDING - 2, line)
            first, second = in_two(row.title, room.width())
            paint_elided(painter, room, first)
            if second:
                room = room.translated(0, line)
                paint_elided(painter, room, second)
            set_text_style(painter, font("meta"), colour("t2", theme))
            paint_elided(painter, room.translated(0, line), row.note)

    def _paint_cell(self, painter: QPainter, room: QRectF, row: AnswerRow, name: str) -> None:
        theme, line = theme_of(self), LINE * self._factor()
        cell = row.cells.get(name)
        if cell is None or (cell.state in ("waiting", "asking") and not (cell.answer or cell.problem)):
            paint_icon(
                painter, QRectF(room.center().x() - 8, room.center().y() - 18, 16, 16), "clock", "t3", 14
            )
            set_text_style(painter, font("small"), colour("t2", theme))
            below = QRectF(room.left(), room.center().y() + 2, room.width(), line)
            words = empty_words(cell, self._running)
            painter.drawText(below, int(Qt.AlignmentFlag.AlignHCenter), words)
            return
        if cell.state in ("waiting", "failed"):
            set_text_style(painter, font("small"), colour("err", theme))
            inside = room.adjusted(0, TOP, 0, -TOP)
            painter.drawText(inside, int(Qt.TextFlag.TextWordWrap), cell.problem)
            return
        checks = cell.checks[:MOST_CHECKS]
        first = row.cells.get(self._names[0])
        base = first.answer if first is not None and first is not cell else ""
        lines = len(checks) + 1 + bool(cell.problem)
        free = room.height() - 2 * TOP - lines * line - 4
        self._paint_answer(
            painter, QRectF(room.left(), room.top() + TOP, room.width(), free), cell.answer, base
        )
        bottom = room.bottom() - TOP
        set_text_style(painter, font("meta"), colour("t2", theme))
        ending = self.tr("being answered…") if cell.state == "asking" else figures(cell)
        paint_elided(painter, QRectF(room.left(), bottom - line, room.width(), line), ending)
        for number, (words, held) in enumerate(reversed(checks), start=2):
            at = QRectF(room.left(), bottom - number * line, room.width(), line)
            token = "ok" if held else "err"
            paint_icon(painter, QRectF(at.left(), at.top() + 2, 14, 14), "check" if held else "x", token, 12)
            set_text_style(painter, font("meta", 500), colour(token, theme))
            paint_elided(painter, at.adjusted(18, 0, 0, 0), words)
        if cell.problem:
            set_text_style(painter, font("meta"), colour("warn", theme))
            lacks = QRectF(room.left(), bottom - lines * line, room.width(), line)
            paint_elided(painter, lacks, cell.problem)

    def _paint_answer(self, painter: QPainter, room: QRectF, answer: str, first: str) -> None:
        """As many lines as there is room for, with words marked that the first answer does not have."""
        line = LINE * self._factor()
        # A line end is a blank here, of the same length: marks are found by their places.
        text = answer[:MOST_CHARS].replace("\n", " ")
        layout = QTextLayout(text, font("small"))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats(self._marks(text, first))
        layout.beginLayout()
        lines = max(1, int(room.height() // line))
        end = 0
        for number in range(lines):
            drawn = layout.createLine()
            if not drawn.isValid():
                break
            # The last line leaves room for the sign that there is more.
            drawn.setLineWidth(room.width() - (12 if number == lines - 1 else 0))
            drawn.setPosition(QPointF(0, number * line))
            end = drawn.textStart() + drawn.textLength()
        layout.endLayout()
        painter.setPen(colour("t1", theme_of(self)))
        layout.draw(painter, room.topLeft())
        if end < len(text):
            last = layout.lineAt(layout.lineCount() - 1)
            at = QPointF(room.left() + last.naturalTextWidth(), room.top() + last.y() + last.ascent())
            set_text_style(painter, font("small"), colour("t2", theme_of(self)))
            painter.drawText(at, "…")

    def _marks(self, text: str, first: str) -> list[QTextLayout.FormatRange]:
        theme, found = theme_of(self), []
        for start, end in other_words(first, text):
            mark, look = QTextLayout.FormatRange(), QTextCharFormat()
            look.setBackground(colour("diff_add_bg", theme))
            look.setForeground(colour("diff_add", theme))
            # The stub lacks the three fields that Qt documents.
            mark.start = start  # type: ignore[attr-defined]
            mark.length = end - start  # type: ignore[attr-defined]
            mark.format = look  # type: ignore[attr-defined]
            found.append(mark)
        return found

    # --- where everything stands --------------------------------------------------------------------------

    def _factor(self) -> float:
        return max(1.0, metrics("small").height() / 15.0)

    def _height(self) -> float:
        return CELL_HEIGHT * self._factor()

    def _at(self, at: QPointF) -> tuple[int | None, int]:
        row = min(max(int(at.y() // self._height()), 0), max(0, len(self._rows) - 1))
        if not self._rows or at.x() < self._offset + self._columns.box(0).left():
            return None, row
        places = (place for place in range(len(self._names)) if self._columns.box(place).contains(at.x(), 1))
        return next(places, None), row


def in_two(title: str, width: float) -> tuple[str, str]:
    """A title that is too long for its line in two, where it has words."""
    head, _, tail = title.rpartition(" ")
    fits = metrics("small", 600).horizontalAdvance(title) <= width
    return (title, "") if fits or not head else (head, tail)
