"""The text of a request, to be read, searched and copied: folded where it is long, marked with its layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui import formatting
from workbench.ui.inspector.payload.document import PayloadDocument
from workbench.ui.inspector.payload.lines import opened_around, opened_from
from workbench.ui.inspector.payload.paragraphs import Paragraphs, paint_head
from workbench.ui.inspector.payload.places import Places
from workbench.ui.look.fonts import line_height, metrics
from workbench.ui.look.painting import TAG_WIDTH, paint_tag
from workbench.ui.look.theme import colour, theme_of

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
        self.setAccessibleName(self.tr("Text of the request"))
        self.viewport().setMouseTracking(True)
        self._theme = theme_of(self)
        self._take_colours()
        self.updateRequest.connect(self._on_update)
        self._paragraphs.grew.connect(self._approach)

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
