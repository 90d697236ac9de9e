"""Where an answer or a tool's result is given other words: its text, what that costs, and the way back."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor
from PySide6.QtWidgets import QWidget

from workbench.domain.shown.envelope_view import PriceTag
from workbench.ui.look.fonts import Role, font, line_height
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.style_parts import FRAMED
from workbench.ui.look.tones import TONES
from workbench.ui.price_words import price_line
from workbench.ui.translation import key_words, tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.choice import TextField
from workbench.ui.widgets.found_words import mark_inserted
from workbench.ui.widgets.labels import ElidedLabel, set_text, set_token

LEAST_LINES, MOST_LINES = 3, 18


class VersionEditor(Panel):
    """Ctrl+S keeps the words as a version, Esc leaves everything as it was, once more where words would be lost.

    Signals:
        typed, saved: the words now. cancelled: nothing is to be changed.
    """

    border, border_width, radius, ground = "accent", 2.0, 10.0, "surface"

    typed = Signal(str)
    saved = Signal(str)
    cancelled = Signal()

    def __init__(self, said: str, words: str, parent: QWidget | None = None, *, role: Role = "chat") -> None:
        super().__init__(parent)
        self._role = role
        self._said, self._asks, self._tag = said, False, PriceTag()
        self.text = TextField()
        self.text.setFont(font(role))
        self.text.setFrameStyle(0)
        self.text.setProperty(FRAMED, False)  # the editor has a border of its own
        self.text.setPlainText(words)
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        self.text.setAccessibleName(tr("Your version; what was said is kept"))
        self.text.installEventFilter(self)
        self.text.textChanged.connect(self._on_typed)
        self.price = ElidedLabel("", "small", "t3")
        self.cancel = on_click(button(tr("Cancel"), "ghost", "", "Esc"), self.cancelled)
        self.save = on_click(button(tr("Save version"), "primary"), self._on_save)
        self.save.setToolTip(tr("Save version ({key})").format(key=key_words("Ctrl+S")))
        down = rows(self, (8, 8, 8, 8), 8)
        down.addWidget(self.text)
        fill(columns(down, (4, 0, 0, 0), 8), (self.price, 1), self.cancel, self.save)
        self._fit()
        mark_inserted(self.text, said)
        self.show_price(self._tag)

    def show_price(self, tag: PriceTag) -> None:
        """Say what the words would cost in the next request."""
        self._tag = tag
        empty, same = not self.text.toPlainText().strip(), not self.is_changed()
        self.save.setEnabled(not empty and not same)
        if self._asks:
            words, tone = tr("Esc again loses your words, Ctrl+S saves them"), "warn"
        elif empty:
            words, tone = tr("Empty words can’t be saved; leave the message out"), "warn"
        elif same:
            words, tone = tr("a version beside this one; this one stays"), "t3"
        else:
            priced = price_line(tag)
            words, tone = priced.words, TONES[priced.tone].text
        set_text(self.price, words)
        set_token(self.price, tone)

    def is_changed(self) -> bool:
        return self.text.toPlainText() != self._said

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.text and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.matches(QKeySequence.StandardKey.Save):
                self._on_save()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self._on_escape()
                return True
        # Ctrl+S is nobody else's while words are written here.
        own = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if own and isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Save):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _on_escape(self) -> None:
        if self._asks or not self.is_changed():
            self.cancelled.emit()
            return
        self._asks = True
        self.show_price(self._tag)

    def _on_save(self) -> None:
        if self.save.isEnabled():
            self.saved.emit(self.text.toPlainText())

    def _on_typed(self) -> None:
        self._asks = False
        self._fit()
        mark_inserted(self.text, self._said)
        self.show_price(self._tag)
        self.typed.emit(self.text.toPlainText())

    def _fit(self) -> None:
        lines = min(max(self.text.document().blockCount() + 1, LEAST_LINES), MOST_LINES)
        self.text.setFixedHeight(lines * line_height(self._role) + 14)
