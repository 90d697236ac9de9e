"""The letters of the payload's text: role lines, folds, marks of hidden characters, and the text itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextCursor

from workbench.ui.inspector.payload.document import PayloadDocument, ShownLine
from workbench.ui.inspector.payload.marks import marked_ranges
from workbench.ui.look.fonts import Role, font, metrics
from workbench.ui.look.painting import figure_width, paint_elided, paint_figure, set_text_style
from workbench.ui.look.theme import colour, theme_of

GAP = 8


def insert_lines(
    cursor: QTextCursor, lines: Sequence[tuple[int, ShownLine]], payload: PayloadDocument
) -> None:
    """Write lines (with the section of each) where the cursor is, each in the letters of its kind."""
    text, quiet, fold = _letters("t1", "diff"), _letters("t3", "diff"), _letters("t3", "meta")
    # A role line is painted by hand, since it reaches into the gutter; here it stands for those who hear it.
    unseen = _letters("t1", "meta")
    unseen.setForeground(QColor(Qt.GlobalColor.transparent))
    for number, (section, shown) in enumerate(lines):
        if number:
            cursor.insertBlock()
        if shown.kind == "text":
            cursor.insertText(shown.text, quiet if payload.key_of(section) is None else text)
            if "⟨" in shown.text:
                _mark_hidden(cursor, payload.text(section, shown.start, shown.end).removesuffix("\n"))
        else:
            cursor.insertText(shown.text, fold if shown.kind == "fold" else unseen)


def _mark_hidden(cursor: QTextCursor, text: str) -> None:
    """Tint the marks of hidden characters in the paragraph before the cursor, so that nobody takes them for text."""
    start, end, mark = cursor.block().position(), cursor.position(), _letters("warn", "diff")
    mark.setBackground(colour("warn_tint"))
    for at, length in marked_ranges(text):
        cursor.setPosition(start + at)
        cursor.setPosition(start + at + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(mark)
    cursor.setPosition(end)


def paint_head(painter: QPainter, box: QRectF, role: str, words: str, tokens: str) -> None:
    """Paint a role line: the role, which message it is, and at the end its tokens."""
    theme = theme_of()
    line = colour("line", theme)
    wide = QRectF(box.left() - 40, box.top(), box.width() + 80, 1)
    painter.fillRect(wide, line)
    painter.fillRect(wide.translated(0, box.height() - 1), line)
    set_text_style(painter, font("meta", 600), colour("t1", theme))
    paint_elided(painter, box, role)
    figures = figure_width(font("meta"), tokens)
    after = metrics("meta", 600).horizontalAdvance(role) + GAP
    set_text_style(painter, font("meta"), colour("t3", theme))
    paint_elided(painter, box.adjusted(after, 0, -figures - GAP, 0), words)
    paint_figure(painter, box, tokens)


def _letters(token: str, role: Role, weight: int | None = None) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font(role, weight))
    made.setForeground(colour(token))
    return made
