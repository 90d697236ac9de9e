"""A text to be read that fetches nothing, opens nothing by itself, and gives plain text to the clipboard."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QByteArray, QMimeData, QObject, Qt, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from workbench.ui.chat.text.prose_writer import KEPT, MARKER, ORIGINAL, RULE
from workbench.ui.look.fonts import Role, font
from workbench.ui.widgets.menu import menu

# A document that never fetches anything: not a file, not an address, whatever its text names.


class SafeDocument(QTextDocument):
    """Answers every wish for a resource itself; left unanswered, Qt would go and read the file."""

    def __init__(self, parent: QObject | None = None, role: Role = "chat") -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font(role))

    def loadResource(self, kind: int, _name: QUrl | str) -> object:
        """Nothing: an empty picture, or no bytes. Our own pictures are added beforehand and never asked for here."""
        if kind == QTextDocument.ResourceType.ImageResource.value:
            empty = QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)
            empty.fill(Qt.GlobalColor.transparent)
            return empty
        return QByteArray()


# What is copied out of prose: the words as they were written, without what was put in to show them.


def selected_text(cursor: QTextCursor) -> str:
    """The selection of a cursor as plain text."""
    document = cursor.document()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    block, lines = document.findBlock(start), list[str]()
    while block.isValid() and block.position() <= end:
        lines.append(_line(block, start, end))
        block = block.next()
    return "\n".join(lines)


def _line(block: QTextBlock, start: int, end: int) -> str:
    text = "".join(_fragments(block, start, end))
    whole = start <= block.position()
    if block.blockFormat().hasProperty(RULE):
        return "---"
    marker = str(block.blockFormat().property(MARKER) or "")
    return f"{marker} {text}" if marker and whole else text


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
            found.append(_part(block, first, last) if kept is None else kept)
        step += 1
    return found


def _part(block: QTextBlock, first: int, last: int) -> str:
    """By a cursor, since Qt counts halves of the signs that Python counts whole."""
    cursor = QTextCursor(block)
    cursor.setPosition(first)
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText().replace("\u2028", "\n").replace("\u2029", "\n")


class SafeBrowser(QTextBrowser):
    """A text without frame or scroll bars that fetches nothing, opens nothing, and copies plain text only."""

    link_wished = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(font("chat"))
        self.setDocument(SafeDocument(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setAcceptDrops(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.anchorClicked.connect(self._on_link)

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        """Nothing; the document answers before this is asked."""
        return ""

    def createMimeDataFromSelection(self) -> QMimeData:
        """Plain text only: whoever pastes it gets no hidden markup."""
        held = QMimeData()
        held.setText(selected_text(self.textCursor()))
        return held

    def wrap_at(self, width: int) -> None:
        """Lay the text out for a width, where it is not already: Qt does it all over again even for the same one."""
        if self.lineWrapMode() != QTextEdit.LineWrapMode.FixedPixelWidth:
            self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        if width != self.lineWrapColumnOrWidth():
            self.setLineWrapColumnOrWidth(width)

    def to_start(self) -> None:
        """Show the beginning of long lines; what is written takes the view with it to the end."""
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)
        self.horizontalScrollBar().setValue(0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The transcript scrolls, not this."""
        event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A selection goes when another text is clicked, so that there is one in sight at most."""
        super().focusOutEvent(event)
        if event.reason() == Qt.FocusReason.MouseFocusReason:
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copy and select, and for a link its address."""
        made = menu(self)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = made.addAction(self.tr("Copy"))
        copy.triggered.connect(self.copy)
        copy.setEnabled(self.textCursor().hasSelection())
        made.addAction(self.tr("Select all")).triggered.connect(self.selectAll)
        url = self.anchorAt(event.pos())
        if url:
            made.addAction(self.tr("Open link…")).triggered.connect(partial(self._on_link, QUrl(url)))
        made.popup(event.globalPos())

    def _on_link(self, url: QUrl, _checked: bool = False) -> None:
        self.link_wished.emit(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
