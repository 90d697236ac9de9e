"""A piece of foreign text with its matches marked: painted character by character, never read as markup."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QTextCharFormat, QTextLayout, QTextOption

from workbench.ui.chats.found_lines import Marks
from workbench.ui.look.fonts import font, line_height
from workbench.ui.look.painting import elided
from workbench.ui.look.theme import Theme

LINES = 2


def paint_snippet(painter: QPainter, box: QRectF, text: str, marks: Marks, theme: Theme) -> None:
    """Paint the snippet in at most two lines, its matches in bold on a tint."""
    fitting = fitting_text(text, marks, box.width())
    layout = _layout(fitting, marks, theme)
    height = line_height("small")
    _break(layout, box.width())
    painter.setPen(QColor(theme.t2))
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        line.setPosition(QPointF(0, number * height + (height - line.height()) / 2))
    layout.draw(painter, box.topLeft())


def snippet_height(text: str, marks: Marks, width: float) -> int:
    """How high the snippet is at a width: one line or two."""
    layout = _layout(text, marks, None)
    _break(layout, width)
    return max(1, layout.lineCount()) * line_height("small")


def fitting_text(text: str, marks: Marks, width: float) -> str:
    """As much of the text as two lines hold."""
    layout = _layout(text, marks, None)
    _break(layout, width)
    if layout.lineCount() < LINES:
        return text
    last = layout.lineAt(LINES - 1).textStart()
    # In bold, which is the widest that anything in it may be.
    return text[:last] + elided(font("small", 600), text[last:], width)


def _layout(text: str, marks: Marks, theme: Theme | None) -> QTextLayout:
    layout = QTextLayout(text, font("small"))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setAlignment(Qt.AlignmentFlag.AlignLeading)
    layout.setTextOption(option)
    layout.setFormats(
        [_range(start, min(end, len(text)), theme) for start, end in marks if start < len(text)]
    )
    return layout


def _range(start: int, end: int, theme: Theme | None) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    # The stub lacks the three fields that Qt documents.
    made.start = start  # type: ignore[attr-defined]
    made.length = end - start  # type: ignore[attr-defined]
    look = QTextCharFormat()
    look.setFontWeight(QFont.Weight.DemiBold)
    if theme is not None:
        look.setForeground(QColor(theme.accent_text))
        look.setBackground(QColor(theme.accent_tint))
    made.format = look  # type: ignore[attr-defined]
    return made


def _break(layout: QTextLayout, width: float) -> None:
    layout.beginLayout()
    for _ in range(LINES):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
    layout.endLayout()
