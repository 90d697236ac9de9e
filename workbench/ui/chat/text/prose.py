"""Finished prose: lines to be read, selected and copied, whose links are shown before they are opened."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QTextBlock,
    QTextCharFormat,
    QTextDocument,
    QTextLayout,
    QTextLine,
)
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.text.blocks import Line
from workbench.ui.chat.text.formula import Drawn, FormulaJob, picture_of
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.prose_writer import (
    CODE_RUN,
    INDENT_PX,
    MARKER,
    MARKER_GAP_PX,
    QUOTE,
    QUOTE_PX,
    RULE,
    ProseLook,
    marker_width,
    write_lines,
)
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.chat.text.selection import Mark
from workbench.ui.look.fonts import font, scale
from workbench.ui.look.painting import fill_rounded, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.found_words import fact_colour, qt_spans
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.stack import tell_height

# Where things stand in laid-out prose that the view paints itself: grounds of inline code, bars of quotes.

ASCENT_PX, DESCENT_PX = 15, 6


def span_of(block: QTextBlock) -> tuple[float, float]:
    """From the top of a block's first line to the bottom of its last, as the eye sees them."""
    layout = block.layout()
    if not layout.lineCount():
        return layout.position().y(), layout.position().y()
    first, last = layout.lineAt(0), layout.lineAt(layout.lineCount() - 1)
    top = layout.position().y() + first.y() + first.ascent() - ASCENT_PX
    return top, layout.position().y() + last.y() + last.ascent() + DESCENT_PX


def code_boxes(block: QTextBlock) -> list[QRectF]:
    """Where inline code stands in a block: one box for each line that it is on."""
    return boxes_of(block, _code_ranges(block))


def boxes_of(block: QTextBlock, ranges: Sequence[tuple[int, int]]) -> list[QRectF]:
    """Where ranges of a block's text stand: one box for each line that they are on."""
    boxes: list[QRectF] = []
    layout = block.layout()
    for first, last in ranges:
        begin = layout.lineForTextPosition(first).lineNumber()
        for number in range(begin, layout.lineCount()):
            line = layout.lineAt(number)
            if line.textStart() >= last:
                break
            start, end = max(first, line.textStart()), min(last, line.textStart() + line.textLength())
            if start < end:
                x1, x2 = _x(line, start), _x(line, end)
                left, right = min(x1, x2), max(x1, x2)
                at = layout.position()
                middle = at.y() + line.y() + line.ascent() - 4.5
                boxes.append(QRectF(at.x() + left, middle - 9, right - left, 18))
    return boxes


def _x(line: QTextLine, position: int) -> float:
    found: object = line.cursorToX(position)
    # PySide gives the position back too; its stubs do not say so.
    return float(found[0]) if isinstance(found, tuple) else float(str(found))


def _code_ranges(block: QTextBlock) -> list[tuple[int, int]]:
    """Runs of code, neighbours joined: a run may consist of several fragments."""
    found: list[tuple[int, int]] = []
    step = block.begin()
    while not step.atEnd():
        fragment = step.fragment()
        if fragment.charFormat().hasProperty(CODE_RUN):
            start = fragment.position() - block.position()
            end = start + fragment.length()
            if found and found[-1][1] == start:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        step += 1
    return found


class LineBelow(NamedTuple):
    """A line below a range of a document's text: dotted below a numbered word, unbroken below how an answer began."""

    start: int
    end: int
    number: int | None = None


class FactSign(NamedTuple):
    """A fact with a sign behind its last letter, or with a ring where it is the chosen one."""

    start: int
    end: int
    line: str
    token: str
    chosen: bool


def paint_double(painter: QPainter, box: QRectF, ink: QColor) -> None:
    """Two lines at the foot of a box, within it: below the last line of a text there is hardly more room."""
    painter.setPen(QPen(ink, 1))
    for y in (floor(box.bottom()) - 2.5, floor(box.bottom()) - 0.5):
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))


_SIGNS = {"double": "=", "dotted": "?"}
SIGN_PX = 12


def _make_room(document: QTextDocument, before: Sequence[FactSign], signs: Sequence[FactSign]) -> None:
    """Space the last letters of signed facts; formats of a layout change neither the text nor what is copied."""
    for number in {document.findBlock(one.end - 1).blockNumber() for one in (*before, *signs)}:
        block, ranges = document.findBlockByNumber(number), []
        if not block.isValid():
            continue  # the text is shorter than the one that was marked
        for one in signs:
            if one.line in _SIGNS and block.contains(one.end - 1):
                wide, made = QTextCharFormat(), QTextLayout.FormatRange()
                wide.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
                wide.setFontLetterSpacing(SIGN_PX + 1)
                made.start, made.length = one.end - 1 - block.position(), 1  # type: ignore[attr-defined]
                made.format = wide  # type: ignore[attr-defined]
                ranges.append(made)
        block.layout().setFormats(ranges)
        document.markContentsDirty(block.position(), block.length())


POINTED_MS = 300
DOTS = (0.01, 2.0)
FORMULA_PX = 16.0
MORE_COMING_MS = 150


class ProseView(SafeBrowser):
    """Lines of prose; grows line by line without laying out again what it has.

    Signals:
        word_pointed: the pointer rests on a word with a number.
    """

    word_pointed = Signal(int)
    own_line = "double"

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ink = ink
        self.setAccessibleName(tr("Text of a message"))
        self._lines: tuple[Line, ...] = ()
        self._theme = theme_of(self)
        self._grounds: list[QRectF] | None = None
        self._laid_out = QSizeF()
        self._lines_below: tuple[LineBelow, ...] = ()
        self._chosen_below: int | None = None
        self._signs: tuple[FactSign, ...] = ()
        self._pointed: int | None = None
        self._pointing = single_shot(self, self._on_pointed, POINTED_MS)
        self._later = single_shot(self, self._write_anew, MORE_COMING_MS)

    def lines(self) -> tuple[Line, ...]:
        return self._lines

    def show_lines(self, lines: tuple[Line, ...]) -> None:
        """Show these; where they only go on, what is there stays."""
        if lines == self._lines:
            return
        known = len(self._lines)
        goes_on = known and lines[:known] == self._lines
        self._lines = lines
        links = any(span.link for line in lines for span in line.spans)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
        if goes_on:
            self._write(lines[known:])
        else:
            self._write_anew()

    def set_token(self, token: str) -> None:
        self.setProperty("token", token)
        self._dress()

    def heightForWidth(self, width: int) -> int:
        self.wrap_at(width)
        return ceil(self.document().size().height())

    def hasHeightForWidth(self) -> bool:
        return True

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(max(1, self.width())))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange) and hasattr(self, "_theme"):
            theme = theme_of(self)
            if theme is not self._theme:
                self._theme = theme
                self._dress()
                self._write_anew()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        theme = theme_of(self)
        for box in self._code_grounds():
            fill_rounded(painter, box, theme.sunken, 4)
        block = self.document().begin()
        while block.isValid():
            self._paint_beside(painter, block)
            block = block.next()
        painter.end()
        super().paintEvent(event)
        if self._lines_below or self._signs:
            self._paint_below(QPainter(self.viewport()))

    def mark_carried(self, marks: Sequence[Mark]) -> None:
        """Mark ranges; behind a fact that is computed or absent there is a sign, and room is made for it."""
        super().mark_carried(marks)
        signed = [one for one in marks if one.look[0] in _SIGNS or (one.look[0] and one.strong)]
        spans = qt_spans(self.document().toPlainText(), [one[:2] for one in signed])
        facts = tuple(FactSign(*span, *one.look, one.strong) for span, one in zip(spans, signed, strict=True))
        if facts != self._signs:
            before, self._signs = self._signs, facts
            _make_room(self.document(), before, facts)
            self._grounds = None
            tell_height(self)  # wider, it may take a line more
            self.viewport().update()

    def show_below(self, lines: tuple[LineBelow, ...]) -> None:
        """Draw lines below these ranges of the text."""
        if lines != self._lines_below:
            self._lines_below = lines
            self.setMouseTracking(True)
            self.viewport().setMouseTracking(True)
            self.viewport().update()

    def choose_below(self, number: int | None) -> None:
        """Draw a ring around a numbered range; None for none."""
        if number != self._chosen_below:
            self._chosen_below = number
            self.viewport().update()

    def numbers_below(self) -> set[int]:
        """The numbers of the ranges that stand here."""
        return {one.number for one in self._lines_below if one.number is not None}

    def box_below(self, number: int) -> QRect:
        """Where a numbered range stands, on the screen; empty where it does not stand here."""
        found = next((one for one in self._lines_below if one.number == number), None)
        boxes = [] if found is None else self._boxes(found)
        if not boxes:
            return QRect()
        box = boxes[0].toRect()
        return QRect(self.viewport().mapToGlobal(box.topLeft()), box.size())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        spot = QPointF(event.position())
        there = (
            one.number
            for one in self._lines_below
            if one.number is not None and any(box.contains(spot) for box in self._boxes(one))
        )
        over = None if event.buttons() else next(there, None)
        if over != self._pointed:
            self._pointed = over
            self._pointing.stop() if over is None else self._pointing.start()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._pointed = None
        self._pointing.stop()

    def _on_pointed(self) -> None:
        if self._pointed is not None:
            self.word_pointed.emit(self._pointed)

    def _boxes(self, line: LineBelow | FactSign) -> list[QRectF]:
        block, found = self.document().findBlock(line.start), list[QRectF]()
        while block.isValid() and block.position() < line.end:
            first, last = line.start - block.position(), line.end - block.position()
            found += boxes_of(block, [(max(0, first), min(last, block.length() - 1))])
            block = block.next()
        return found

    def _paint_below(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line in self._lines_below:
            ink = theme_of(self).layers["L5_USER"].edge if line.number is None else "t3"
            pen = QPen(colour(ink, self._theme), 1.5 if line.number is None else 2.0)
            if line.number is not None:
                pen.setCapStyle(Qt.PenCapStyle.RoundCap)
                pen.setDashPattern(DOTS)
            painter.setPen(pen)
            for box in self._boxes(line):
                painter.drawLine(
                    QPointF(box.left() + 1, box.bottom()), QPointF(box.right() - 1, box.bottom())
                )
                if line.number is not None and line.number == self._chosen_below:
                    stroke_rounded(painter, box.adjusted(-1, 0, 1, 1), self._theme.accent, 4, 1.5)

        for one in self._signs:
            self._paint_sign(painter, one, self._boxes(one))

    def _paint_sign(self, painter: QPainter, one: FactSign, boxes: list[QRectF]) -> None:
        """A ring around the chosen fact, two lines below a computed one, and the sign behind its last letter."""
        ink = fact_colour(one.token, self._theme)
        for number, box in enumerate(boxes, 1):
            if one.chosen:
                stroke_rounded(painter, box.adjusted(-1, 0, 1, 1), self._theme.accent, 4, 1.5)
            if one.line == self.own_line:
                room = SIGN_PX + 1 if number == len(boxes) else 0
                paint_double(painter, box.adjusted(0, 0, -room, 0), ink)
        if boxes and one.line in _SIGNS:
            spot = QRectF(boxes[-1].right() - SIGN_PX, boxes[-1].top(), SIGN_PX, SIGN_PX)
            if one.line == "dotted":
                stroke_rounded(painter, spot.adjusted(0.5, 0.5, -0.5, -0.5), ink, SIGN_PX / 2, 1)
            set_text_style(painter, font("meta", 600), ink)
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, _SIGNS[one.line])

    def _dress(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Text, colour(str(self.property("token") or "t1"), self._theme))
        if palette != self.palette():
            self.setPalette(palette)

    def _write(self, lines: tuple[Line, ...]) -> None:
        with self.written():
            write_lines(self.document(), lines, ProseLook(self._theme, self._formula))
            _make_room(self.document(), (), self._signs)
        self._grounds = None
        tell_height(self)

    def _write_anew(self) -> None:
        self._later.stop()
        with self.written():
            self.document().clear()
            self._write(self._lines)

    def _formula(self, source: str) -> Drawn | None:
        svg = self._ink.get(FormulaJob(source, False, FORMULA_PX * scale()), self._on_drawn)
        token = colour(str(self.property("token") or "t1"), self._theme).name()
        return None if svg is None else picture_of(svg, token, self.devicePixelRatioF())

    def _on_drawn(self) -> None:
        """Formulas come one after the other: written anew when all are there, or when the rest takes long."""
        jobs = {
            FormulaJob(span.text, False, FORMULA_PX * scale())
            for line in self._lines
            for span in line.spans
            if span.math
        }
        if all(self._ink.knows(job) for job in jobs):
            self._write_anew()
        elif not self._later.isActive():
            self._later.start()

    def _code_grounds(self) -> list[QRectF]:
        # By its size, not by the signal of its layout: PySide never frees a layout that was connected.
        size = self.document().size()
        if self._grounds is None or self._laid_out != size:
            self._grounds, self._laid_out = [], size
            block = self.document().begin()
            while block.isValid():
                self._grounds.extend(code_boxes(block))
                block = block.next()
        return self._grounds

    def _paint_beside(self, painter: QPainter, block: QTextBlock) -> None:
        shape, theme = block.blockFormat(), self._theme
        quote, marker = int(shape.property(QUOTE) or 0), shape.property(MARKER)
        if not (quote or marker or shape.hasProperty(RULE)):
            return
        top, bottom = span_of(block)
        mirrored = block.textDirection() == Qt.LayoutDirection.RightToLeft
        above = block.previous()
        for level in range(quote):
            start = top
            if above.isValid() and int(above.blockFormat().property(QUOTE) or 0) > level:
                start = span_of(above)[1]
            x = self.viewport().width() - level * QUOTE_PX - 3 if mirrored else level * QUOTE_PX
            painter.fillRect(QRectF(x, start, 3, bottom - start), colour("line2", theme))
        if shape.hasProperty(RULE):
            left = shape.leftMargin()
            line = QRectF(left, round((top + bottom) / 2), self.viewport().width() - left, 1)
            painter.fillRect(line, colour("line", theme))
        if marker:
            self._paint_marker(painter, block, str(marker), mirrored)

    def _paint_marker(self, painter: QPainter, block: QTextBlock, marker: str, mirrored: bool) -> None:
        layout = block.layout()
        if not layout.lineCount():
            return
        line = layout.lineAt(0)
        width = marker_width(marker)
        # Signs stand in the middle of their step, numbers end where the text begins.
        gap = (INDENT_PX - width) // 2 if len(marker) == 1 else MARKER_GAP_PX
        left = layout.position().x() + line.x() - gap - width
        if mirrored:
            left = layout.position().x() + line.x() + line.width() + gap
        baseline = layout.position().y() + line.y() + line.ascent()
        set_text_style(painter, font("chat"), self.palette().color(QPalette.ColorRole.Text))
        painter.drawText(round(left), round(baseline), marker)
