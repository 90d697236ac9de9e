"""A read-only text view that fetches nothing, opens nothing without asking, and copies plain text only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import ClassVar, NamedTuple

from PySide6.QtCore import QByteArray, QMimeData, QObject, QPoint, QRect, Qt, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from workbench.ui.chat.text.prose_writer import KEPT, LEAD, ORIGINAL, PARAGRAPH_GAP, RULE
from workbench.ui.chat.text.selection import Mark, Part, Readable, Selection
from workbench.ui.look.fonts import Role, font
from workbench.ui.look.proxy_style import unseen_style
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.found_words import Spans, mark_carried, mark_facts, mark_spans, qt_spans, spans_in
from workbench.ui.widgets.menu import menu

OWN_MENU = "own_menu"
"""Property of a widget that has one context menu for everything in it."""

# A document that never fetches anything: not a file, not an address, whatever its text names.


class SafeDocument(QTextDocument):
    """A document that never loads a resource; without this, Qt would read files that the text names."""

    def __init__(self, parent: QObject | None = None, role: Role = "chat") -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font(role))

    def loadResource(self, kind: int, _name: QUrl | str) -> object:
        """Return an empty picture or no bytes; the program's own pictures are added to the document beforehand."""
        if kind == QTextDocument.ResourceType.ImageResource.value:
            empty = QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)
            empty.fill(Qt.GlobalColor.transparent)
            return empty
        return QByteArray()


# What is copied out of prose: the words as they were written, without what was put in to show them.


def selected_text(cursor: QTextCursor) -> str:
    """The selection of a cursor as plain text, with an empty line between paragraphs that have a gap."""
    document = cursor.document()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    block, text = document.findBlock(start), ""
    while block.isValid() and block.position() <= end:
        if block.position() > start:
            text += "\n\n" if block.blockFormat().hasProperty(PARAGRAPH_GAP) else "\n"
        text += _paragraph_text(block, start, end)
        block = block.next()
    return text


def _paragraph_text(block: QTextBlock, start: int, end: int) -> str:
    """The selected text of a paragraph, with its list marker and quote signs if its start is selected."""
    text = "".join(_fragments(block, start, end))
    if block.blockFormat().hasProperty(RULE):
        return "---"
    lead = str(block.blockFormat().property(LEAD) or "")
    return f"{lead}{text}" if start <= block.position() < end else text


def _fragments(block: QTextBlock, start: int, end: int) -> list[str]:
    found: list[str] = []
    step = block.begin()
    while not step.atEnd():
        fragment = step.fragment()
        first = max(start, fragment.position())
        last = min(end, fragment.position() + fragment.length())
        if first < last:
            original = fragment.charFormat().property(ORIGINAL)
            kept = None if original is None else str(original).removeprefix(KEPT)
            found.append(_text_between(block, first, last) if kept is None else kept)
        step += 1
    return found


def _text_between(block: QTextBlock, first: int, last: int) -> str:
    """Part of a paragraph's text, read by a cursor since Qt counts UTF-16 units."""
    cursor = QTextCursor(block)
    cursor.setPosition(first)
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText().replace("\u2028", "\n").replace("\u2029", "\n")


class _Found(NamedTuple):
    """Where the matches of a pattern are in one revision of a document."""

    pattern: re.Pattern[str]
    revision: int
    spans: Spans


class SafeBrowser(QTextBrowser):
    """A text view without frame or scroll bars that fetches nothing, opens nothing, and copies plain text only."""

    link_wished = Signal(str)
    role: ClassVar[Role] = "chat"
    sideways: ClassVar[bool] = False
    own_line: ClassVar[str] = ""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.verticalScrollBar().setStyle(unseen_style())
        if not self.sideways:
            self.horizontalScrollBar().setStyle(unseen_style())
        self.setFont(font(self.role))
        self.setDocument(SafeDocument(self, self.role))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setAcceptDrops(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if not self.sideways:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.anchorClicked.connect(self._on_link)
        self._selection: Selection | None = None
        self._found: _Found | None = None
        self._marked: tuple[object, ...] = ()
        self._chosen: tuple[int, int] | None = None

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        """Return nothing; the document answers first."""
        return ""

    def join(self, across: Selection) -> None:
        self._selection = across

    def block(self) -> Readable:
        return self

    def place_at(self, spot: QPoint) -> int:
        """The position in the text nearest to a point; below the text it is the end."""
        last = self.document().characterCount() - 1
        if spot.y() < 0 or spot.y() >= self.height():
            return 0 if spot.y() < 0 else last
        return self.cursorForPosition(spot).position()

    def word_at(self, place: int) -> tuple[int, int]:
        cursor = QTextCursor(self.document())
        cursor.setPosition(place)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart(), cursor.selectionEnd()

    def select_part(self, part: Part | None, seen: int | None = None) -> None:
        """Show a part as selected, or nothing; a position given as `seen` is scrolled into view."""
        bar = self.horizontalScrollBar()
        before, cursor = bar.value(), self.cursor_of(part or Part(0, 0))
        if part is not None and seen == part.start:
            anchor = cursor.anchor()
            cursor.setPosition(cursor.position())
            cursor.setPosition(anchor, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        if seen is None:
            bar.setValue(before)

    def cursor_of(self, part: Part) -> QTextCursor:
        last = self.document().characterCount() - 1
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(part.start, last))
        end = last if part.end is None else min(part.end, last)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def end_of_text(self) -> QPoint:
        """The point where the next letter would be painted."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return self.cursorRect(cursor).center()

    def text_of(self, part: Part) -> str:
        return selected_text(self.cursor_of(part))

    def count_words(self, pattern: re.Pattern[str]) -> int:
        revision = self.document().revision()
        if self._found is None or self._found[:2] != (pattern, revision):
            text = self.document().toPlainText()
            self._found = _Found(pattern, revision, spans_in(pattern, text))
        return len(self._found.spans)

    def mark_words(self, pattern: re.Pattern[str] | None, current: int | None = None) -> None:
        """Mark all matches, the current one more strongly; None removes the marks."""
        if pattern is None:
            if self._marked:
                self._found, self._marked = None, ()
                self.setExtraSelections([])
            return
        self.count_words(pattern)
        wanted = (self._found, current, theme_of(self))
        if self._found is not None and wanted != self._marked:
            self._marked = wanted
            mark_spans(self, self._found.spans, current)

    def mark_carried(self, marks: Sequence[Mark]) -> None:
        """Mark ranges of the text; an empty sequence removes the marks."""
        text = self.document().toPlainText()
        chosen = [one[:2] for one in marks if one.strong and one.look[0]]
        self._chosen = next(iter(qt_spans(text, [max(chosen)])), None) if chosen else None
        if marks and marks[0].look[0]:
            looks = [(*one.look, one.strong) for one in marks]
            mark_facts(self, qt_spans(text, [one[:2] for one in marks]), looks, self.own_line)
            return
        plain, strong = ([one[:2] for one in marks if one.strong is wanted] for wanted in (False, True))
        mark_carried(self, qt_spans(text, plain), qt_spans(text, strong))

    def chosen_box(self) -> QRect:
        """Where the chosen fact stands, on the screen: its last place here; empty where it has none."""
        if self._chosen is None:
            return QRect()
        box = self.cursorRect(SafeBrowser.cursor_of(self, Part(*self._chosen)))
        return QRect(self.viewport().mapToGlobal(box.topLeft()), box.size())

    def spot_of(self, number: int) -> QRect:
        """The rectangle of a marked match; a long line is scrolled sideways to it."""
        spans = self._found.spans if self._found is not None else ()
        if number >= len(spans):
            return QRect(0, 0, 1, 1)
        seen = self.cursorRect(SafeBrowser.cursor_of(self, Part(*spans[number])))
        bar = self.horizontalScrollBar()
        if not 0 <= seen.x() < self.viewport().width():
            bar.setValue(bar.value() + seen.x() - self.viewport().width() // 2)
        return seen

    @contextmanager
    def written(self) -> Iterator[None]:
        """Context in which the text may be rewritten; afterwards the same range is selected as before."""
        held = self.textCursor()
        anchor, position = held.anchor(), held.position()
        yield
        if anchor != position:
            last = self.document().characterCount() - 1
            cursor = QTextCursor(self.document())
            cursor.setPosition(min(anchor, last))
            cursor.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)

    def createMimeDataFromSelection(self) -> QMimeData:
        """The selection as plain text only, so that no hidden markup is pasted."""
        held = QMimeData()
        across = self._selection.text() if self._selection is not None else ""
        held.setText(across or selected_text(self.textCursor()))
        return held

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection; the old one is cleared first, or Qt would start to drag it."""
        if self._selection is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._selection.clear()
        super().mousePressEvent(event)
        self._begin_selection()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._begin_selection(by_words=True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend the selection over the message's blocks; without a button, let Qt look for links."""
        if self._selection is None or not event.buttons() & Qt.MouseButton.LeftButton:
            super().mouseMoveEvent(event)
        else:
            self._selection.drag_to(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._selection is not None:
            self._selection.release()
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._selection is not None and event.matches(QKeySequence.StandardKey.SelectAll):
            self._selection.select_all()
        elif self._selection and self._selection.parts() and event.matches(QKeySequence.StandardKey.Copy):
            self._selection.copy()
        else:
            super().keyPressEvent(event)

    def wrap_at(self, width: int) -> None:
        """Wrap the text at a width, unless it is already; Qt would lay it out again even for the same width."""
        if self.lineWrapMode() != QTextEdit.LineWrapMode.FixedPixelWidth:
            self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        if width != self.lineWrapColumnOrWidth():
            self.setLineWrapColumnOrWidth(width)

    def to_start(self) -> None:
        """Scroll to the beginning of long lines; writing scrolls the view to the end."""
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)
        self.horizontalScrollBar().setValue(0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Clear the selection when something else is clicked, except by a right click, whose menu can copy it."""
        super().focusOutEvent(event)
        other_button = QGuiApplication.mouseButtons() == Qt.MouseButton.RightButton
        if event.reason() != Qt.FocusReason.MouseFocusReason or other_button:
            return
        if self._selection is not None:
            self._selection.clear()
        self.select_part(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open a menu for the selection or a link; without either, leave it to the message's own menu."""
        across, url = self._selection, self.anchorAt(event.pos())
        selected = bool(across.parts()) if across is not None else self.textCursor().hasSelection()
        if not selected and not url and _has_menu(self.parentWidget()):
            event.ignore()
            return
        made = menu(self)
        copy = made.addAction(tr("Copy"))
        copy.triggered.connect(across.copy if across is not None else self.copy)
        copy.setEnabled(selected)
        everything = made.addAction(tr("Select all"))
        everything.triggered.connect(across.select_all if across is not None else self.selectAll)
        if url:
            made.addAction(tr("Open link…")).triggered.connect(partial(self._on_link, QUrl(url)))
        made.popup(event.globalPos())

    def _begin_selection(self, *, by_words: bool = False) -> None:
        if self._selection is not None:
            cursor = self.textCursor()
            first = (cursor.selectionStart(), cursor.selectionEnd())
            self._selection.begin(self.block(), first, by_words=by_words)

    def _on_link(self, url: QUrl, _checked: bool = False) -> None:
        self.link_wished.emit(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))


def _has_menu(widget: QWidget | None) -> bool:
    """Whether a widget or one of its parents has a menu for everything in it."""
    return widget is not None and (bool(widget.property(OWN_MENU)) or _has_menu(widget.parentWidget()))
