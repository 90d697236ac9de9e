"""The end of an answer that is still being written: plain text, laid out line by line, with a cursor behind it."""

from __future__ import annotations

import re
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.chat.text.code_block import HEAD_PX, PADDING_PX, RADIUS, SIDE_PX
from workbench.ui.chat.text.prose_writer import INDENT_PX, MARKER_GAP_PX, marker_width
from workbench.ui.chat.text.safe_text import safe, visible
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.painting import fill_rounded, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.stack import tell_height

MOST_CHARS = 6_000
"""Of an end longer than that, only this much is shown; the rest comes when it is finished."""
CURSOR_WIDTH, CURSOR_HEIGHT = 8, 16
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\s*([\w+#.-]*)[^\n]*(?:\n|$)")
_ITEM = re.compile(r"(\s*)([-+*]|\d{1,9}[.)])\s+")


class _Row(NamedTuple):
    """One line of the source, laid out: its marker, how far it stands in, and how high it is."""

    text: str
    marker: str
    indent: int
    layout: QTextLayout
    height: int


class Tail(QWidget):
    """Lays out only the lines that changed, and paints only those in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._language: str | None = None
        self._rows: list[_Row] = []
        self._code: list[str] = []
        self._width = 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """What it shows."""
        return self._text

    def is_code(self) -> bool:
        """Whether it is a block of code that is not closed yet."""
        return self._language is not None

    def show_text(self, text: str) -> None:
        """Show this end."""
        if text == self._text:
            return
        self._text = text
        shown = text[-MOST_CHARS:]
        fence = _FENCE.match(text)
        self._language = fence.group(1) if fence else None
        if fence:
            body = text[fence.end() :][-MOST_CHARS:]
            self._code = visible(body).expandtabs(4).split("\n")
        else:
            self._lay_out(shown.strip("\n"))
        tell_height(self)
        self.update()

    def hasHeightForWidth(self) -> bool:
        """Text wraps."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As high as its lines."""
        if self.is_code():
            return HEAD_PX + 2 * PADDING_PX + len(self._code) * line_height("code")
        if width != self._width:
            self._width = width
            self._rows = []
            self._lay_out(self._text[-MOST_CHARS:].strip("\n"))
        return sum(row.height for row in self._rows)

    def sizeHint(self) -> QSize:
        """As high as it is now."""
        return QSize(320, self.heightForWidth(max(1, self.width())))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines in sight."""
        painter = QPainter(self)
        painter.setPen(colour("t1", theme_of(self)))
        if self.is_code():
            self._paint_code(painter, QRectF(event.rect()))
        else:
            self._paint_rows(painter, QRectF(event.rect()))

    def _lay_out(self, text: str) -> None:
        lines = text.split("\n") if text else []
        kept = 0
        while kept < min(len(lines), len(self._rows)) and self._rows[kept].text == lines[kept]:
            kept += 1
        self._rows = self._rows[:kept]
        self._rows.extend(self._row(line) for line in lines[kept:])

    def _row(self, line: str) -> _Row:
        item = _ITEM.match(line)
        if not line.strip():
            return _Row(line, "", 0, QTextLayout(""), 8)
        indent = INDENT_PX * (1 + len(item.group(1)) // 2) if item else 0
        layout = QTextLayout(safe(line[item.end() :] if item else line), font("chat"))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setCacheEnabled(True)
        layout.beginLayout()
        height, step = 0, line_height("chat")
        while (made := layout.createLine()).isValid():
            made.setLineWidth(max(1, self._width - indent))
            # Where the lines of finished prose have their baseline, so that nothing moves when this is finished.
            made.setPosition(QPointF(0, height + step * 0.8 - made.ascent()))
            height += step
        layout.endLayout()
        marker = (item.group(2) if item.group(2)[0].isdigit() else "•") if item else ""
        return _Row(line, marker, indent, layout, max(height, step))

    def _paint_rows(self, painter: QPainter, seen: QRectF) -> None:
        top = 0
        painter.setFont(font("chat"))
        for row in self._rows:
            if top + row.height >= seen.top() and top <= seen.bottom():
                row.layout.draw(painter, QPointF(row.indent, top))
                if row.marker:
                    x = row.indent - MARKER_GAP_PX - marker_width(row.marker)
                    painter.drawText(QPointF(x, round(top + line_height("chat") * 0.8)), row.marker)
            top += row.height
        if self._rows:
            self._paint_cursor(painter, *self._end_of_rows(top))

    def _end_of_rows(self, bottom: int) -> tuple[float, float]:
        row = self._rows[-1]
        if not row.layout.lineCount():
            return 0.0, float(bottom - row.height)
        line = row.layout.lineAt(row.layout.lineCount() - 1)
        return row.indent + line.naturalTextWidth() + 2, bottom - line_height("chat") + 3.0

    def _paint_code(self, painter: QPainter, seen: QRectF) -> None:
        theme, box, step = theme_of(self), QRectF(self.rect()), line_height("code")
        fill_rounded(painter, box, theme.code_bg, RADIUS)
        stroke_rounded(painter, box, theme.line, RADIUS)
        painter.fillRect(QRectF(1, HEAD_PX, box.width() - 2, 1), colour("line", theme))
        painter.setPen(colour("t3", theme))
        painter.setFont(font("meta"))
        head = QRectF(SIDE_PX, 0, box.width() - 2 * SIDE_PX, HEAD_PX)
        painter.drawText(
            head,
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading,
            self._language or self.tr("code"),
        )
        painter.setClipRect(box.adjusted(2, HEAD_PX + 1, -2, -2))
        painter.setPen(colour("t1", theme))
        painter.setFont(font("code"))
        top = HEAD_PX + PADDING_PX
        first = max(0, int((seen.top() - top) // step))
        last = min(len(self._code), int((seen.bottom() - top) // step) + 1)
        for number in range(first, last):
            painter.drawText(QPointF(SIDE_PX, top + number * step + step * 0.8), self._code[number][:500])
        x = SIDE_PX + metrics("code").horizontalAdvance(self._code[-1][:500])
        self._paint_cursor(painter, x + 1, top + (len(self._code) - 1) * step + 2)

    def _paint_cursor(self, painter: QPainter, x: float, y: float) -> None:
        painter.fillRect(
            QRectF(round(x), round(y), CURSOR_WIDTH, CURSOR_HEIGHT), colour("accent", theme_of(self))
        )
