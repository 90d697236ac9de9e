"""Text in one width, to be read and copied: code, and a unified diff with line numbers, signs and tints."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from workbench.domain.shown.parts_view import ChangedLine
from workbench.ui.formatting import counted
from workbench.ui.look.fonts import Role, font, line_height, metrics
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown

NUMBER_PADDING, SIGN_WIDTH = 8, 28
LONGEST_LINE = 400
DiffLine = ChangedLine


class CodeView(QPlainTextEdit):
    """A read-only text without a frame, which leaves the wheel to what is around it at its ends."""

    def __init__(self, text: str = "", role: Role = "code", wrap: bool = False) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(font(role))
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setLineWrapMode(
            QPlainTextEdit.LineWrapMode.WidgetWidth if wrap else QPlainTextEdit.LineWrapMode.NoWrap
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.document().setDocumentMargin(0)
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.setProperty("ring", False)
        self.setPlainText(text)

    def selected(self) -> tuple[str, int]:
        """What is selected, and how many lines stand before it."""
        cursor = self.textCursor()
        text = cursor.selection().toPlainText()
        return text, self.document().findBlock(cursor.selectionStart()).blockNumber()


def unified_lines(before: str, after: str, context: int = 3) -> tuple[DiffLine, ...]:
    """What changed from one text to another, with some lines around each change."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[DiffLine] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        if lines:
            lines.append(DiffLine(None, None, "⋯", ""))
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                pairs = zip(range(old_from, old_to), range(new_from, new_to), strict=True)
                lines.extend(DiffLine(o + 1, n + 1, " ", old[o]) for o, n in pairs)
                continue
            lines.extend(DiffLine(o + 1, None, "-", old[o]) for o in range(old_from, old_to))
            lines.extend(DiffLine(None, n + 1, "+", new[n]) for n in range(new_from, new_to))
    return tuple(lines)


class DiffText(QWidget):
    """Paints the lines of a diff; it always reads from left to right, as code does."""

    def __init__(self, lines: Sequence[DiffLine] = (), most: int = 0) -> None:
        super().__init__()
        self._lines: tuple[DiffLine, ...] = ()
        self._most = most
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_lines(lines)

    def show_lines(self, lines: Sequence[DiffLine]) -> None:
        self._lines = tuple(lines)
        added = sum(line.sign == "+" for line in self._lines)
        removed = sum(line.sign == "-" for line in self._lines)
        words = counted(added, tr("1 line added, %2 removed"), tr("{n} lines added, %2 removed"))
        words = words.replace("%2", str(removed))
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()

    def lines(self) -> tuple[DiffLine, ...]:
        return self._lines[: self._most] if self._most else self._lines

    def sizeHint(self) -> QSize:
        return QSize(320, len(self.lines()) * line_height("diff"))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(font("diff"))
        high = line_height("diff")
        first = max(0, event.rect().top() // high)
        for index, line in enumerate(self.lines()[first : event.rect().bottom() // high + 1], first):
            self._paint_line(painter, QRectF(0, index * high, self.width(), high), line)

    def _paint_line(self, painter: QPainter, box: QRectF, line: DiffLine) -> None:
        theme = theme_of(self)
        token = {"+": "diff_add", "-": "diff_del"}.get(line.sign, "t2")
        if line.sign in "+-":
            painter.fillRect(box, colour(f"{token}_bg", theme))
        number = self._number_width()
        painter.setPen(colour("t3", theme))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column, value in enumerate((line.old, line.new)):
            if value is not None:
                cell = QRectF(box.left() + column * number, box.top(), number - NUMBER_PADDING, box.height())
                painter.drawText(cell, right, str(value))
        painter.setPen(colour(token, theme))
        sign = QRectF(box.left() + 2 * number, box.top(), SIGN_WIDTH, box.height())
        painter.drawText(sign, Qt.AlignmentFlag.AlignCenter, "−" if line.sign == "-" else line.sign)
        text = box.adjusted(2 * number + SIGN_WIDTH, 0, 0, 0)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(text, left, shown(line.text.expandtabs(4), LONGEST_LINE))

    def _number_width(self) -> float:
        largest = max((max(line.old or 0, line.new or 0) for line in self._lines), default=0)
        digits = max(2, len(str(largest)))
        return metrics("diff").horizontalAdvance("0" * digits) + 2 * NUMBER_PADDING
