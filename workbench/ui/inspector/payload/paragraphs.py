"""The document behind the payload's view: laid out a part at a time, and changed by the smallest edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from workbench.ui.inspector.payload.document import PayloadDocument, ShownLine
from workbench.ui.inspector.payload.marks import marked_ranges
from workbench.ui.inspector.payload.places import Places, TextPosition
from workbench.ui.look.fonts import Role, font, line_height, metrics
from workbench.ui.look.painting import figure_width, paint_elided, paint_figure, set_text_style
from workbench.ui.look.theme import colour, theme_of

GAP = 8


class LineHeights(QPlainTextDocumentLayout):
    """Gives each line of a block the height that its kind has, and puts the text in the middle of it.

    Qt's own layout of plain text takes the font's line height and ignores that of a block's format. It asks this
    function for a block's place whenever it paints, scrolls or looks for a position, and only for blocks in view:
    so moving the lines here holds everywhere and costs nothing for the rest.
    """

    def __init__(self, document: QTextDocument, height_of: Callable[[int], int]) -> None:
        super().__init__(document)
        self._height_of = height_of

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        box = super().blockBoundingRect(block)
        if not block.isValid() or not block.isVisible():
            return box
        height = self._height_of(block.blockNumber())
        layout = block.layout()
        count = layout.lineCount()
        for number in range(count):
            line = layout.lineAt(number)
            y = number * height + round((height - line.height()) / 2)
            if line.y() != y:
                line.setPosition(QPointF(line.x(), y))
        box.setHeight(height * max(1, count))
        return box


ROLE_EXTRA = 2
SECTIONS_AT_ONCE = 150
"""So many take a few milliseconds; the rest follows when nothing else is to be done."""
Lines = list[tuple[ShownLine, ...]]


class Part(NamedTuple):
    """Paragraphs `first` to `last` (excluded), of as many as there were."""

    first: int
    last: int
    of: int


class Paragraphs(QTextDocument):
    """Holds what is laid out of a request: what was asked for, and no more.

    Signals:
        grew: a few more sections have their paragraphs.
    """

    grew = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.places: Places | None = None
        self._signatures: list[tuple[object, ...]] = []
        # Qt keeps no reference to a layout made in Python.
        self._heights = LineHeights(self, self.height_of)
        self.setDocumentLayout(self._heights)
        self.setDefaultFont(font("diff"))
        self.setDocumentMargin(0)
        self.setUndoRedoEnabled(False)
        self._later = QTimer(self)
        self._later.setInterval(0)
        self._later.timeout.connect(self._go_on)

    @property
    def payload(self) -> PayloadDocument | None:
        return self.places.payload if self.places is not None else None

    @property
    def is_whole(self) -> bool:
        return self.payload is None or len(self._signatures) == len(self.payload.sections.all)

    def show(self, payload: PayloadDocument | None) -> None:
        """Show another text, or the same one grown or unfolded: what stays the same is not touched."""
        old, self.places = self.places, None if payload is None else Places(payload, ())
        if payload is None or old is None:
            self.clear()
            self._signatures = []
        if payload is None:
            return
        count = len(payload.sections.all)
        unfolded = old is not None and old.payload is payload
        wanted = [payload.signature(number) for number in range(len(self._signatures) if unfolded else count)]
        same = _common(self._signatures, wanted)
        most = min(len(self._signatures), len(wanted)) - same
        comparable = unfolded or (old is not None and len(old.lines) == len(old.payload.sections.all))
        tail = _common(self._signatures[::-1][:most], wanted[::-1][:most]) if comparable else 0
        self._replace(old, payload, (same, tail), wanted)
        self._later.start()

    def lay_out(self, section: int) -> None:
        while self.payload is not None and len(self._signatures) <= section and not self.is_whole:
            self._go_on()

    def restyle(self) -> None:
        payload = self.payload
        self.show(None)
        self.show(payload)

    def height_of(self, number: int) -> int:
        places = self.places
        is_role = places is not None and number < places.count and places.line(number).kind == "role"
        return line_height("diff") + (ROLE_EXTRA if is_role else 0)

    def position_of(self, character: int) -> int:
        if self.places is None:
            return 0
        place = self.places.of(character)
        block = self.findBlockByNumber(place.number)
        return block.position() + min(place.units, block.length() - 1)

    def character_at(self, position: int, end: bool = False) -> int:
        block = self.findBlock(position)
        if self.places is None or block.blockNumber() >= self.places.count:
            return 0
        return self.places.character(TextPosition(block.blockNumber(), position - block.position()), end)

    def _replace(
        self,
        old: Places | None,
        payload: PayloadDocument,
        kept: tuple[int, int],
        wanted: list[tuple[object, ...]],
    ) -> None:
        same, tail = kept
        before: Lines = list(old.lines) if old is not None else []
        end = len(wanted) - tail
        if not tail:
            end = min(end, max(same + SECTIONS_AT_ONCE, len(before)))
        new: Lines = [payload.lines(number) for number in range(same, end)]
        behind = before[len(before) - tail :] if tail else []
        part = Part(0, 0, 0)
        if old is not None:
            part = Part(old.first_line(same), old.first_line(len(before) - tail), old.count)
        self.places = Places(payload, [*before[:same], *new, *behind])
        self._signatures = wanted[: end + tail]
        self._edit(part, [(n, line) for n, own in enumerate(new, same) for line in own])

    def _go_on(self) -> None:
        if self.places is None or self.is_whole:
            self._later.stop()
            return
        payload, done = self.places.payload, len(self._signatures)
        end = min(done + SECTIONS_AT_ONCE, len(payload.sections.all))
        part = Part(self.places.count, self.places.count, self.places.count)
        new = [payload.lines(number) for number in range(done, end)]
        self._signatures += [payload.signature(number) for number in range(done, end)]
        self.places = Places(payload, [*self.places.lines, *new])
        self._edit(part, [(n, line) for n, own in enumerate(new, done) for line in own])
        self.grew.emit()

    def _edit(self, part: Part, lines: list[tuple[int, ShownLine]]) -> None:
        if self.places is None or (part.first == part.last and not lines):
            return
        cursor = QTextCursor(self)
        cursor.beginEditBlock()
        self._select(cursor, part)
        cursor.removeSelectedText()
        if lines and part.first > 0:
            cursor.insertBlock()
        insert_lines(cursor, lines, self.places.payload)
        if lines and part.first == 0 and part.last < part.of:
            cursor.insertBlock()
        cursor.endEditBlock()

    def _select(self, cursor: QTextCursor, part: Part) -> None:
        """Select paragraphs with one line end: the one before them, or for the first ones the one behind them."""
        keep = QTextCursor.MoveMode.KeepAnchor
        if part.first == 0 and part.last >= part.of:
            cursor.select(QTextCursor.SelectionType.Document)
        elif part.first == 0:
            cursor.setPosition(self.findBlockByNumber(part.last).position(), keep)
        else:
            before = self.findBlockByNumber(part.first - 1)
            cursor.setPosition(before.position() + before.length() - 1)
            if part.last > part.first:
                end = self.findBlockByNumber(part.last - 1)
                cursor.setPosition(end.position() + end.length() - 1, keep)


def _common(one: list[tuple[object, ...]], other: list[tuple[object, ...]]) -> int:
    most = min(len(one), len(other))
    return next((number for number in range(most) if one[number] != other[number]), most)


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
