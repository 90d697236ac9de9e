"""The field a message is written in: it grows with its lines, sends with Enter and recalls with the arrows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from PySide6.QtCore import QEvent, QMimeData, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from workbench.ui.chat.composer.recollection import Recall
from workbench.ui.chat.pasting import can_take
from workbench.ui.look.fonts import font, line_height
from workbench.ui.look.painting import set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.plain import utf16_units

MOST_LINES = 8
MOST_FOLLOWED = 200
# As Qt itself makes plain text of a document's: separators of lines, and blanks that do not break.
PLAIN = {0x2028: "\n", 0x2029: "\n", 0xFDD0: "\n", 0xFDD1: "\n", 0xA0: " "}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ComposerText(QTextEdit):
    """A growing field of plain text.

    A rich text editor, since only that one can space its lines; nothing rich ever gets in or out.

    Signals:
        edited: the text was changed by hand; submitted: Enter was pressed; stopped: Escape was.
        typed: a key or an input method has changed something.
        offered: something was pasted or dropped; focused: whether the cursor is here; menu_wished: by a click or a key.

    Attributes:
        take_key: asked about every key first; whether it was taken.
        is_typing: while a key does its work. is_composing: while an input method has a word in hand.
    """

    edited = Signal(object)  # as a string of Qt's, a long draft would be copied twice with every key
    typed = Signal()
    submitted = Signal()
    stopped = Signal()
    offered = Signal(QMimeData)
    focused = Signal(bool)
    menu_wished = Signal(QContextMenuEvent)

    def __init__(self) -> None:
        super().__init__()
        self.recall = Recall()
        self._hint = ""
        self._quiet = False
        self._read: str | None = None
        self._flat = True
        self._marks: dict[str, list[QTextEdit.ExtraSelection]] = {}
        self.take_key: Callable[[QKeyEvent], bool] = lambda event: False
        self.is_typing, self.is_composing = False, False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFont(font("chat"))
        self.setProperty("ring", False)
        self.setObjectName("transparent")
        self.viewport().setAutoFillBackground(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self._space_lines()
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self.document().contentsChange.connect(self._note_change)
        self.textChanged.connect(self._on_text)
        self._grow()

    def text(self) -> str:
        """What is written; read from Qt once a change, since that takes a while for a long text."""
        if self._read is None:
            self._read = self.toPlainText()
            self._flat = len(self._read) == self.document().characterCount() - 1
        return self._read

    def before(self) -> str:
        return self._halves()[0]

    def after(self) -> str:
        return self._halves()[1]

    def _halves(self) -> tuple[str, str]:
        text, at = self.text(), self.textCursor().position()
        if not self._flat:
            # Qt counts places otherwise than Python where a letter takes two of them.
            units = text.encode("utf-16-le", "surrogatepass")
            at = len(units[: 2 * at].decode("utf-16-le", "surrogatepass"))
        return text[:at], text[at:]

    def set_marks(self, kind: str, marks: list[QTextEdit.ExtraSelection]) -> None:
        """Mark words for one reason; those of other reasons stay marked."""
        if marks or self._marks.get(kind):
            self._marks[kind] = marks
            self.setExtraSelections([mark for kinds in self._marks.values() for mark in kinds])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wished.emit(event)

    def set_hint(self, words: str) -> None:
        if words != self._hint:
            self._hint = words
            self.setAccessibleDescription(words)
            self.viewport().update()

    def begin_with(self, text: str) -> None:
        self._quiet = True
        self.setPlainText(text)
        self._space_lines()
        self.moveCursor(QTextCursor.MoveOperation.End)
        self._quiet = False
        self.recall.leave()

    def replace_text(self, text: str, cursor_at: int | None = None) -> None:
        """Change the whole text as one step that can be undone; the cursor stays where it can, behind whole letters."""
        cursor = self.textCursor()
        head = text[: len(self.before()) if cursor_at is None else cursor_at]
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        at = utf16_units(head)
        cursor.setPosition(min(at, self.document().characterCount() - 1))
        self.setTextCursor(cursor)

    def show_foreign(self, text: str) -> None:
        """Show what somebody else made of the draft, without telling them."""
        old = self.text()
        self._quiet = True
        self.replace_text(text, cursor_after(old, text, len(self.before())))
        self._quiet = False
        self.recall.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends, with Shift it begins a line; at the first and last line the arrows recall."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in ENTER:
            if shift:
                self.textCursor().insertBlock()
                self.ensureCursorVisible()
            elif not event.isAutoRepeat():
                self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.stopped.emit()
        elif not (plain and self._recalled(Qt.Key(event.key()))):
            self.is_typing = bool(event.text())
            super().keyPressEvent(event)
            self.is_typing = False
            if event.text():
                self.typed.emit()

    def _recalled(self, key: Qt.Key) -> bool:
        if key == Qt.Key.Key_Up and self._on_edge_line(first=True):
            text = self.recall.older(self.text())
            return self._show_recalled(text, 0)
        if key == Qt.Key.Key_Down and self._on_edge_line(first=False):
            text = self.recall.newer()
            return self._show_recalled(text, len(text or ""))
        return False

    def _show_recalled(self, text: str | None, cursor_at: int) -> bool:
        if text is None:
            return False
        self._quiet = True
        self.replace_text(text, cursor_at)
        self._quiet = False
        self.edited.emit(self.text())
        return True

    def _on_edge_line(self, first: bool) -> bool:
        """Whether the cursor is on the first (or last) line as it is shown, wrapped ones too."""
        cursor = self.textCursor()
        if cursor.hasSelection():
            return False
        if self.recall.is_browsing and (cursor.atStart() or cursor.atEnd()):
            # Just recalled: the arrows go on through the questions, however long this one is.
            return True
        block, layout = cursor.block(), cursor.block().layout()
        line = layout.lineForTextPosition(cursor.positionInBlock()).lineNumber()
        if first:
            return block.blockNumber() == 0 and line <= 0
        return block == self.document().lastBlock() and line >= layout.lineCount() - 1

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window where there is nothing to undo here; a list gets keys first, Tab too."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self.take_key(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            document = self.document()
            if event.matches(QKeySequence.StandardKey.Undo) and not document.isUndoAvailable():
                return False
            if event.matches(QKeySequence.StandardKey.Redo) and not document.isRedoAvailable():
                return False
        return super().event(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)
        self.viewport().update()
        self.typed.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Files and pictures too: the composer attaches them."""
        return can_take(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.offered.emit(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Leave what comes from elsewhere to the window, which shows where it goes; move own words here."""
        if event.source() in (self, self.viewport()) or not takes_drops(self.parentWidget()):
            super().dragEnterEvent(event)
        else:
            event.ignore()

    def createMimeDataFromSelection(self) -> QMimeData:
        mime = QMimeData()
        mime.setText(self.textCursor().selection().toPlainText())
        return mime

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._hint and not self.is_composing and self.document().isEmpty():
            painter = QPainter(self.viewport())
            set_text_style(painter, self.font(), colour("t3", theme_of(self)))
            box = QRectF(self.cursorRect(QTextCursor(self.document())))
            line = QRectF(0, box.center().y() - 11, self.viewport().width(), 22)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
            words = self.fontMetrics().elidedText(self._hint, Qt.TextElideMode.ElideRight, int(line.width()))
            painter.drawText(line, flags, words)

    def sizeHint(self) -> QSize:
        return QSize(200, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, line_height("chat"))

    def _note_change(self, at: int, removed: int, added: int) -> None:
        """Follow a small change, as typing is; after any other one the text is read again when somebody asks."""
        before, self._read = self._read, None
        if before is None or not self._flat or max(removed, added) > MOST_FOLLOWED:
            return
        cursor = QTextCursor(self.document())
        cursor.setPosition(at)
        cursor.setPosition(
            min(at + added, self.document().characterCount() - 1), QTextCursor.MoveMode.KeepAnchor
        )
        text = f"{before[:at]}{cursor.selectedText().translate(PLAIN)}{before[at + removed :]}"
        # Qt may speak of the end of the text as of a letter more; and a letter may take two places.
        if len(text) == self.document().characterCount() - 1:
            self._read = text

    def _on_text(self) -> None:
        if not self._quiet:
            self.recall.leave()
            self.edited.emit(self.text())

    def _height(self) -> int:
        line = line_height("chat")
        lines = max(1, round(self.document().size().height() / line))
        return min(lines, MOST_LINES) * line

    def _grow(self) -> None:
        scrolls = self.document().size().height() > MOST_LINES * line_height("chat") + 1
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        if self.height() != self._height():
            self.setFixedHeight(self._height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_quiet"):
            quiet, self._quiet = self._quiet, True
            self._space_lines()
            self._quiet = quiet
            self._grow()

    def _space_lines(self) -> None:
        """Give all lines our height; done where undo begins anew, so that it is never undone."""
        spaced = QTextBlockFormat()
        spaced.setLineHeight(line_height("chat"), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        self.document().setUndoRedoEnabled(False)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spaced)
        self.document().setUndoRedoEnabled(True)


def takes_drops(widget: QWidget | None) -> bool:
    """Whether a widget, or one that it is in, takes what is dropped."""
    return widget is not None and (widget.acceptDrops() or takes_drops(widget.parentWidget()))


def cursor_after(old: str, new: str, at: int) -> int:
    """Where a cursor goes when its text is changed elsewhere: it stays between the same letters, or at the end."""
    # Words that were given back stand before what is being written: the cursor stays in that, also at its beginning.
    if at == len(old) or (new.endswith(old) and not new.startswith(old)):
        return len(new) - len(old) + at
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    return at if at <= same else max(same, len(new) - len(old) + at)
