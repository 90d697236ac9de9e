"""Where a question is written anew: a text that grows, and two buttons."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.fonts import font, line_height
from workbench.ui.look.space import columns, rows
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import TextField
from workbench.ui.widgets.labels import ElidedLabel

LEAST_LINES, MOST_LINES = 2, 12


class QuestionEditor(QWidget):
    """Enter sends, Shift+Enter makes a line, Esc leaves everything as it was."""

    sent = Signal(str)
    cancelled = Signal()

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = TextField()
        self.text.setFont(font("chat"))
        self.text.setPlainText(words)
        self.text.setAccessibleName(self.tr("Question, to be sent again"))
        self.text.installEventFilter(self)
        self.text.textChanged.connect(self._fit)
        self.send = button(self.tr("Send"), "primary", "send", "↵")
        self.send.clicked.connect(self._on_send)
        self.cancel = button(self.tr("Cancel"), "ghost", "", "Esc")
        self.cancel.clicked.connect(self.cancelled)
        note = ElidedLabel(self.tr("makes a branch; this version stays"), "small", "t3")
        down = rows(self, (0, 4, 0, 0), 8)
        down.addWidget(self.text)
        across = columns(down, spacing=8)
        across.addWidget(self.send)
        across.addWidget(self.cancel)
        across.addWidget(note, 1)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys that send or leave."""
        if watched is self.text and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._on_send()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.cancelled.emit()
                return True
        return super().eventFilter(watched, event)

    def _on_send(self) -> None:
        self.sent.emit(self.text.toPlainText())

    def _fit(self) -> None:
        lines = min(max(self.text.document().blockCount(), LEAST_LINES), MOST_LINES)
        self.text.setFixedHeight(lines * line_height("chat") + 14)
