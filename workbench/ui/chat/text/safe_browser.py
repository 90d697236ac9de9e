"""A text to be read that fetches nothing, opens nothing by itself, and gives plain text to the clipboard."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QMimeData, Qt, QUrl, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from workbench.ui.chat.text.prose_copy import selected_text
from workbench.ui.chat.text.safe_document import SafeDocument
from workbench.ui.look.fonts import font
from workbench.ui.widgets.menu import menu


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
