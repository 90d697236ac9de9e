"""The text of a request, to be read, searched and copied: folded where it is long, marked with its layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit, QWidget

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui import formatting
from workbench.ui.inspector.payload.document import PayloadDocument, ShownLine
from workbench.ui.inspector.payload.lines import marked_ranges, opened_around, opened_from
from workbench.ui.inspector.payload.places import Places, TextPosition
from workbench.ui.look.fonts import Role, font, line_height, metrics
from workbench.ui.look.painting import TAG_WIDTH, figure_width, paint_figure, paint_tag, paint_text
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr

# The document behind the payload's view: laid out a part at a time, and changed by the smallest edit.


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
        grew: a few more sections have their paragraphs, from this paragraph on.
    """

    grew = Signal(int)

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
        unfolded = old is not None and old.payload is payload
        count = len(self._signatures) if unfolded else len(payload.sections.all)
        if old is None:
            count = min(count, SECTIONS_AT_ONCE)  # there is nothing to compare the others with
        wanted = [payload.signature(number) for number in range(count)]
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
        self.places.add(new)
        # Nothing moves in front of it: only its scroll bar is told, where Qt would paint all that is in view again.
        self._heights.blockSignals(True)
        self._edit(part, [(n, line) for n, own in enumerate(new, done) for line in own])
        self._heights.blockSignals(False)
        self._heights.documentSizeChanged.emit(self._heights.documentSize())
        self.grew.emit(part.first)

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
    letters = {
        "text": _letters("t1", "diff"),
        "quiet": _letters("t3", "diff"),
        "fold": _letters("t3", "meta"),
    }
    # A role line is painted by hand, since it reaches into the gutter; here it stands for those who hear it.
    letters["role"] = _letters("t1", "meta")
    letters["role"].setForeground(QColor(Qt.GlobalColor.transparent))

    def look(line: tuple[int, ShownLine]) -> tuple[str, tuple[int, ShownLine] | None]:
        section, shown = line
        kind = "quiet" if shown.kind == "text" and payload.key_of(section) is None else shown.kind
        return kind, line if shown.kind == "text" and "⟨" in shown.text else None

    # Lines that look alike are written at once: each call of Qt takes longer than the letters of a line.
    begins = ""
    for (kind, marked), run in groupby(lines, look):
        cursor.insertText(begins + "\n".join(shown.text for _, shown in run), letters[kind])
        begins = "\n"
        if marked is not None:
            section, shown = marked
            _mark_hidden(cursor, payload.text(section, shown.start, shown.end).removesuffix("\n"))


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
    paint_text(painter, box, role, "meta", "t1", 600)
    figures = figure_width(font("meta"), tokens)
    after = metrics("meta", 600).horizontalAdvance(role) + GAP
    paint_text(painter, box.adjusted(after, 0, -figures - GAP, 0), words, "meta", "t3")
    paint_figure(painter, box, tokens)


def _letters(token: str, role: Role, weight: int | None = None) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font(role, weight))
    made.setForeground(colour(token))
    return made


EDGE = 12
TAB_COLUMNS = 4
LINES_ABOVE = 2
GUTTER_WIDTH = 40
LINE_WIDTH = 3
TAG_AT = 9
WIDEST = 4_000
"""As wide as any role line that reaches into the gutter."""


class PayloadView(QPlainTextEdit):
    """Shows a `PayloadDocument`; whose bytes are chosen has a ground of its own.

    Signals:
        picked: whose text the cursor was put into, by a click or a key.
    """

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._key: RowKey | None = None
        self._goal: RowKey | None = None
        self._paragraphs = Paragraphs(self)
        self._gutter = Gutter(self, self)
        self.setDocument(self._paragraphs)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabStopDistance(TAB_COLUMNS * metrics("diff").horizontalAdvance(" "))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportMargins(GUTTER_WIDTH, 0, 0, 0)
        self.setObjectName("surface")
        self.setAccessibleName(tr("Text of the request"))
        self.viewport().setMouseTracking(True)
        self._theme = theme_of(self)
        self._take_colours()
        self.updateRequest.connect(self._on_update)
        self._paragraphs.grew.connect(self._on_grown)

    def payload(self) -> PayloadDocument | None:
        return self._paragraphs.payload

    def places(self) -> Places | None:
        return self._paragraphs.places

    def show_payload(self, payload: PayloadDocument | None) -> None:
        """Show another text, or the same one grown: only what differs is laid out anew."""
        begins = self.payload() is None
        self._paragraphs.show(payload)
        if begins:
            self.moveCursor(QTextCursor.MoveOperation.Start)
            self._goal = self._key
            self._approach()
        self._repaint()

    def select(self, key: RowKey | None, scroll: bool = True) -> None:
        moved, self._key = key != self._key, key
        if moved and scroll:
            self._goal = key
            self._approach()
        self._repaint()

    def selected_key(self) -> RowKey | None:
        return self._key

    def reveal(self, start: int, end: int) -> None:
        payload = self.payload()
        if payload is None:
            return
        self._paragraphs.lay_out(payload.sections.at(end))
        places = self.places()
        if places is not None and not (places.shows(start) and places.shows(max(start, end - 1))):
            payload.open(*opened_around(payload.sections, start))
            self.show_payload(payload)
        cursor = QTextCursor(self._paragraphs)
        cursor.setPosition(self._paragraphs.position_of(start))
        cursor.setPosition(self._paragraphs.position_of(end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        if not self.viewport().rect().contains(self.cursorRect()):
            self.centerCursor()

    def unfold(self, number: int) -> None:
        places = self.places()
        if places is None or places.line(number).kind != "fold":
            return
        section, fold, payload = places.section(number), places.line(number), places.payload
        payload.open(section, opened_from(payload.sections, section, (fold.start, fold.end)))
        self.show_payload(payload)

    def cursor_character(self) -> int:
        return self._paragraphs.character_at(self.textCursor().selectionStart())

    def selected_text(self) -> str:
        """What is selected, exactly as it is sent: with what is folded away, without role lines and marks."""
        cursor, payload = self.textCursor(), self.payload()
        if payload is None or not cursor.hasSelection():
            return ""
        start = self._paragraphs.character_at(cursor.selectionStart())
        end = self._paragraphs.character_at(cursor.selectionEnd(), end=True)
        return payload.written.text[start:end]

    def bands(self) -> Iterator[Band]:
        block, places = self.firstVisibleBlock(), self.places()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while places is not None and block.isValid() and top < self.viewport().height():
            height = self.blockBoundingRect(block).height()
            if block.blockNumber() < places.count:
                yield Band(block.blockNumber(), round(top), round(height))
            top += height
            block = block.next()

    def ground_of(self, number: int) -> str:
        """The token of a paragraph's ground; empty where it has none of its own."""
        places = self.places()
        if places is None:
            return ""
        if places.line(number).kind == "role":
            return "chrome"
        chosen = self._key is not None and places.payload.key_of(places.section(number)) == self._key
        return "sel" if chosen else ""

    def paint_role(self, painter: QPainter, box: QRectF, number: int) -> None:
        """Paint a role line; the gutter paints the same, and each shows its part of it."""
        places = self.places()
        message = places.payload.sections.all[places.section(number)].message if places is not None else None
        if places is None or message is None:
            return
        said = places.payload.messages[message]
        tokens = formatting.token_words(said.tokens)
        box = box.adjusted(TAG_AT, 0, -EDGE, 0)
        paint_head(painter, box, said.role, places.payload.head(message), tokens)

    def pick(self, y: int) -> None:
        self.setTextCursor(self.cursorForPosition(QPoint(0, y)))
        self._pick_at_cursor()

    def createMimeDataFromSelection(self) -> QMimeData:
        mime = QMimeData()
        mime.setText(self.selected_text())
        return mime

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if hasattr(self, "_theme") and self._theme is not theme_of(self):
            self._theme = theme_of(self)
            self._take_colours()
            self._paragraphs.restyle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        places = self.places()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and places is not None:
            self.unfold(min(self.textCursor().blockNumber(), places.count - 1))
        else:
            super().keyPressEvent(event)
            self._pick_at_cursor()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        on_fold = self._fold_under(event.position().toPoint()) is not None
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if on_fold else Qt.CursorShape.IBeamCursor
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pick_at_cursor()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        number = self._fold_under(event.position().toPoint())
        if (
            number is not None
            and event.button() == Qt.MouseButton.LeftButton
            and not self.textCursor().hasSelection()
        ):
            self.unfold(number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._gutter.setGeometry(0, 0, GUTTER_WIDTH, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self.viewport()), theme_of(self)
        painter.fillRect(event.rect(), colour("surface", theme))
        bands = list(self.bands())
        for band in bands:
            ground = self.ground_of(band.number)
            if ground:
                painter.fillRect(0, band.top, self.viewport().width(), band.height, colour(ground, theme))
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        for band in bands:
            if self.ground_of(band.number) == "chrome":
                box = QRectF(-GUTTER_WIDTH, band.top, GUTTER_WIDTH + self.viewport().width(), band.height)
                self.paint_role(painter, box, band.number)

    def _pick_at_cursor(self) -> None:
        places = self.places()
        if places is None or not places.count:
            return
        number = min(self.textCursor().blockNumber(), places.count - 1)
        key = places.payload.key_of(places.section(number))
        if key is not None and key != self._key:
            self.select(key, scroll=False)
            self.picked.emit(key)

    def _approach(self) -> None:
        places, goal = self.places(), self._goal
        section = places.payload.first_section(goal) if places is not None and goal is not None else None
        if places is None or section is None:
            self._goal = None
        elif section < len(places.lines):
            self._goal = None
            self._scroll_to(places.first_line(section))

    def _scroll_to(self, number: int) -> None:
        block = self._paragraphs.findBlockByNumber(number)
        lowest = self.viewport().height() - 3 * line_height("diff")
        in_view = any(band.number == number and 0 <= band.top <= lowest for band in self.bands())
        self.setTextCursor(QTextCursor(block))
        if not in_view:
            self.verticalScrollBar().setValue(max(0, block.firstLineNumber() - LINES_ABOVE))

    def _fold_under(self, at: QPoint) -> int | None:
        places = self.places()
        number = next(
            (band.number for band in self.bands() if band.top <= at.y() < band.top + band.height), None
        )
        on_fold = places is not None and number is not None and places.line(number).kind == "fold"
        return number if on_fold else None

    def _repaint(self) -> None:
        self.viewport().update()
        self._gutter.update()

    def _on_update(self, _rect: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update()

    def _on_grown(self, first: int) -> None:
        lines_in_view = self.viewport().height() // line_height("diff") + 1
        if first <= self.firstVisibleBlock().blockNumber() + lines_in_view:
            self._repaint()
        self._approach()

    def _take_colours(self) -> None:
        """What the user selects must stand out from what is chosen, which has the usual colour of selections."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Highlight, colour("accent"))
        palette.setColor(QPalette.ColorRole.HighlightedText, colour("on_accent"))
        self.setPalette(palette)


class Band(NamedTuple):
    """A paragraph in view: which one it is, and from where to where it reaches."""

    number: int
    top: int
    height: int


class TextBeside(Protocol):
    """What the gutter asks the text it stands beside."""

    def bands(self) -> Iterator[Band]:
        """The paragraphs in view."""

    def places(self) -> Places | None:
        """Which paragraph is which."""

    def ground_of(self, number: int) -> str:
        """The token of a paragraph's ground."""

    def paint_role(self, painter: QPainter, box: QRectF, number: int) -> None:
        """Paint a role line."""

    def pick(self, y: int) -> None:
        """Choose what stands at a height."""


class Gutter(QWidget):
    """Paints along with the text; a click chooses what stands beside it."""

    def __init__(self, view: TextBeside, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._view.pick(event.position().toPoint().y())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.fillRect(self.rect(), colour("surface", theme))
        places = self._view.places()
        if places is None:
            return
        for band in self._view.bands():
            self._paint_band(painter, places, band)

    def _paint_band(self, painter: QPainter, places: Places, band: Band) -> None:
        theme, box = theme_of(self), QRectF(0, band.top, self.width(), band.height)
        ground, line = self._view.ground_of(band.number), places.line(band.number)
        if ground:
            painter.fillRect(box, colour(ground, theme))
        if line.kind == "role":
            self._view.paint_role(painter, box.adjusted(0, 0, WIDEST, 0), band.number)
        layer = places.payload.layer_of(places.section(band.number))
        if layer is not None:
            painter.fillRect(QRectF(0, band.top, LINE_WIDTH, band.height), colour(theme.layers[layer].fill))
        if layer is not None and line.start == 0:
            paint_tag(painter, QRectF(TAG_AT, band.top, TAG_WIDTH, line_height("diff")), layer)
