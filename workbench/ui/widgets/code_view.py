"""Code or any other text in one width, to be read and copied."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from workbench.ui.look.fonts import Role, font


class CodeView(QPlainTextEdit):
    """A read-only text without a frame, which leaves the wheel to what is around it at its ends."""

    def __init__(self, text: str = "", role: Role = "code", wrap: bool = False) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(font(role))
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setLineWrapMode(
            QPlainTextEdit.LineWrapMode.WidgetWidth if wrap else QPlainTextEdit.LineWrapMode.NoWrap
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.document().setDocumentMargin(0)
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.setProperty("ring", False)
        self.setPlainText(text)

    def selected(self) -> tuple[str, int]:
        """What is selected, and how many lines stand before it."""
        cursor = self.textCursor()
        text = cursor.selection().toPlainText()
        return text, self.document().findBlock(cursor.selectionStart()).blockNumber()
