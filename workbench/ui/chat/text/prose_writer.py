"""Writes lines of prose into a text document, span by span; text is never interpreted as markup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple
from unicodedata import bidirectional

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
)

from workbench.ui.chat.text.blocks import Line, Span, line_lead
from workbench.ui.chat.text.formula import Drawn
from workbench.ui.chat.text.safe_text import safe_pieces
from workbench.ui.look.fonts import Role, font, line_height, metrics
from workbench.ui.look.theme import Theme
from workbench.ui.widgets.plain import tip

_OWN = QTextFormat.Property.UserProperty.value
CODE_RUN, ORIGINAL, SERIAL = _OWN + 1, _OWN + 2, _OWN + 3
MARKER, QUOTE, RULE = _OWN + 4, _OWN + 5, _OWN + 6
LEAD, PARAGRAPH_GAP = _OWN + 7, _OWN + 8
"""Properties of a run or paragraph besides its looks, for painting it and for copying the original text."""

KEPT = "="
"""Prefix of every original text, since Qt does not return an empty one from a format."""

INDENT_PX, QUOTE_PX, MARKER_GAP_PX = 24, 16, 6
GAP_PX, ITEM_GAP_PX, HEADING_GAP_PX, RULE_PX = 8, 4, 14, 17
PAD = "\u202f\u202f"
"""Narrow no-break spaces at both ends of inline code, so that its background is wider; never copied."""
_HEADINGS: tuple[Role, ...] = ("figure2", "strip_first", "title")


class ProseLook(NamedTuple):
    """The theme for prose, and the function that draws formulas (None while one is not drawn yet)."""

    theme: Theme
    formula: Callable[[str], Drawn | None]


def write_lines(document: QTextDocument, lines: Sequence[Line], look: ProseLook) -> None:
    """Write lines at the end of a document."""
    _Writer(document, look).write(lines)


def write_spans(cursor: QTextCursor, spans: Sequence[Span], look: ProseLook, base: QTextCharFormat) -> None:
    """Write spans at a cursor."""
    writer = _Writer(cursor.document(), look)
    writer.cursor = cursor
    for span in spans:
        writer.write_span(span, base)


class _Writer:
    def __init__(self, document: QTextDocument, look: ProseLook) -> None:
        self._document, self._look = document, look
        self._serial = document.characterCount()
        self.cursor = QTextCursor(document)
        self.cursor.movePosition(QTextCursor.MoveOperation.End)

    def write(self, lines: Sequence[Line]) -> None:
        self.cursor.beginEditBlock()
        for line in lines:
            empty = self._document.characterCount() <= 1
            block_format = _block_format(line, first=empty)
            plain = QTextCharFormat()
            if empty and not self._document.firstBlock().blockFormat().hasProperty(SERIAL):
                self.cursor.setBlockFormat(block_format)
            else:
                self.cursor.insertBlock(block_format, plain)
            base = _base_format(line)
            self.cursor.setBlockCharFormat(base)
            for span in line.spans:
                self.write_span(span, base)
        self.cursor.endEditBlock()

    def write_span(self, span: Span, base: QTextCharFormat) -> None:
        style = _span_format(span, base, self._look.theme)
        if span.math and self._write_formula(span.text):
            return
        if span.code or span.math:
            pad = QTextCharFormat(style)
            pad.setFont(font("chat"))
            self._insert(PAD, pad, original="")
            self._write_text(span.text, style)
            self._insert(PAD, pad, original="")
        else:
            self._write_text(span.text, style)

    def _write_text(self, text: str, style: QTextCharFormat) -> None:
        for piece in safe_pieces(text):
            if piece.text == piece.original:
                self.cursor.insertText(piece.text.replace("\n", "\u2028"), style)
            else:
                self._insert(piece.text, style, piece.original)

    def _insert(self, text: str, style: QTextCharFormat, original: str) -> None:
        self._serial += 1
        own = QTextCharFormat(style)
        own.setProperty(ORIGINAL, KEPT + original)
        own.setProperty(SERIAL, self._serial)
        self.cursor.insertText(text, own)

    def _write_formula(self, source: str) -> bool:
        drawn = self._look.formula(source)
        if drawn is None:
            return False
        image, alignment = _aligned_picture(drawn)
        self._serial += 1
        name = f"formula:{self._serial}"
        self._document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
        shown = QTextImageFormat()
        shown.setName(name)
        shown.setWidth(image.width() / image.devicePixelRatio())
        shown.setHeight(image.height() / image.devicePixelRatio())
        shown.setVerticalAlignment(alignment)
        shown.setProperty(ORIGINAL, f"{KEPT}${source}$")
        shown.setProperty(SERIAL, self._serial)
        self.cursor.insertImage(shown)
        return True


def _block_format(line: Line, first: bool) -> QTextBlockFormat:
    made = QTextBlockFormat()
    made.setProperty(SERIAL, 1)
    made.setTopMargin(0 if first else gap_above(line))
    indent = line.indent * INDENT_PX
    if line.marker:
        # A long number pushes its text further in, rather than standing on it.
        indent = max(indent, (line.indent - 1) * INDENT_PX + marker_width(line.marker) + MARKER_GAP_PX)
        made.setProperty(MARKER, line.marker)
    if lead := line_lead(line):
        made.setProperty(LEAD, lead)
    if not line.close:
        made.setProperty(PARAGRAPH_GAP, True)
    room = indent + line.quote * QUOTE_PX
    if reads_right_to_left(line):
        made.setRightMargin(room)
    else:
        made.setLeftMargin(room)
    if line.quote:
        made.setProperty(QUOTE, line.quote)
    if line.kind == "rule":
        made.setProperty(RULE, True)
        made.setLineHeight(RULE_PX, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    elif any(span.math for span in line.spans) or line.kind == "heading":
        made.setLineHeight(line_height("chat"), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    else:
        made.setLineHeight(line_height("chat"), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    if line.kind == "heading":
        made.setHeadingLevel(line.level)
    return made


def gap_above(line: Line) -> int:
    """The gap in pixels above a line."""
    if line.kind == "heading":
        return HEADING_GAP_PX
    if line.close:
        return 0
    return ITEM_GAP_PX if line.marker else GAP_PX


def reads_right_to_left(line: Line) -> bool:
    """Whether the first letter of a line belongs to a right-to-left script."""
    kinds = (bidirectional(sign) for span in line.spans for sign in span.text)
    return next((kind != "L" for kind in kinds if kind in ("L", "R", "AL")), False)


def marker_width(marker: str) -> int:
    """The width in pixels of a list's number or bullet."""
    return round(metrics("chat").horizontalAdvance(marker))


def _base_format(line: Line) -> QTextCharFormat:
    made = QTextCharFormat()
    role: Role = _HEADINGS[min(line.level, len(_HEADINGS)) - 1] if line.kind == "heading" else "chat"
    made.setFont(font(role))
    return made


def _span_format(span: Span, base: QTextCharFormat, theme: Theme) -> QTextCharFormat:
    made = QTextCharFormat(base)
    if span.code or span.math:
        made.setFont(font("code"))
        made.setProperty(CODE_RUN, True)
    if span.bold:
        made.setFontWeight(QFont.Weight.DemiBold)
    if span.italic:
        made.setFontItalic(True)
    if span.struck:
        made.setFontStrikeOut(True)
    if span.link:
        made.setAnchor(True)
        made.setAnchorHref(span.link)
        made.setForeground(QColor(theme.accent_text))
        made.setFontUnderline(True)
        made.setToolTip(tip(span.link))
    return made


def _aligned_picture(drawn: Drawn) -> tuple[QImage, QTextCharFormat.VerticalAlignment]:
    """A formula's picture padded so that its baseline is the text's, and the alignment to insert it with."""
    descent = QFontMetricsF(font("chat")).descent()
    alignments = QTextCharFormat.VerticalAlignment
    if drawn.depth <= descent:
        return _padded(drawn.image, 0.0, descent - drawn.depth), alignments.AlignBaseline
    above = drawn.height - drawn.depth
    half = max(above, drawn.depth)
    return _padded(drawn.image, half - above, half - drawn.depth), alignments.AlignMiddle


def _padded(image: QImage, top: float, bottom: float) -> QImage:
    dpr = image.devicePixelRatio()
    made = QImage(
        image.width(), image.height() + round((top + bottom) * dpr), QImage.Format.Format_ARGB32_Premultiplied
    )
    made.setDevicePixelRatio(dpr)
    made.fill(0)
    painter = QPainter(made)
    painter.drawImage(0, round(top), image)
    painter.end()
    return made
