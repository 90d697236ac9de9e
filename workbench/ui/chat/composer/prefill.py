"""The composer's line in which an answer is begun: its words, their cost, and whether the model goes on with them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QColor, QKeyEvent, QPalette
from PySide6.QtWidgets import QLineEdit, QSizePolicy

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.turn import BEGINNING
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.chat.composer.recollection import DraftEcho
from workbench.ui.look.fonts import font
from workbench.ui.look.space import S2, columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import not_continued_words
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import on_click, tool_button
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, label, set_text
from workbench.ui.widgets.plain import tip

HEIGHT = 30


class PrefillText(QLineEdit):
    """The words that the answer begins with; Shift+Enter writes a line end.

    Signals:
        submitted: Enter was pressed. left: Esc was pressed.
    """

    submitted = Signal()
    left = Signal()

    _ink, _shown = "t1", QColor()

    def __init__(self) -> None:
        super().__init__()
        self.setFrame(False)
        self.setFont(font("diff"))
        self.setAccessibleName(tr("Begin the answer with"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.insert("\n")
        elif enter:
            self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def strike(self, struck: bool) -> None:
        """Show the words as ones that are sent, or are not."""
        used = font("diff")
        used.setStrikeOut(struck)
        self.setFont(used)
        self._ink = "t3" if struck else "t1"
        self._show_ink()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # A palette of its own keeps its colours when the theme changes.
        changed = event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange)
        if changed and self._shown.isValid() and colour(self._ink, theme_of(self)) != self._shown:
            self._show_ink()

    def _show_ink(self) -> None:
        self._shown = colour(self._ink, theme_of(self))
        inks = self.palette()
        inks.setColor(QPalette.ColorRole.Text, self._shown)
        inks.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        self.setPalette(inks)


class PrefillLine(Panel):
    """How the answer is to begin, below the message.

    Signals:
        edited: its words changed, to these. submitted: Enter was pressed in it. closed: the line went.
    """

    edited = Signal(str)
    submitted = Signal()
    closed = Signal()

    border, radius = "line2", 6
    stripe_width = 4

    def __init__(self) -> None:
        super().__init__()
        self._echo = DraftEcho()
        self._wanted = False
        self._chat = ""
        self.name = label(tr("Begin the answer with"), "small", "t2")
        self.words = PrefillText()
        self.why = ElidedLabel("", "small", "warn")
        self.figure, self.check = label("", "small", "t3"), IconSpot("check", "ok", box=QSize(16, 16))
        self.close_button = on_click(tool_button("x", tr("Don’t begin the answer"), side=20), self.take_away)
        self.words.textEdited.connect(self._on_edited)
        self.words.submitted.connect(self.submitted)
        self.words.left.connect(self._leave)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.why.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        across = columns(self, (12, 0, S2, 0), S2)
        fill(across, self.name, (self.words, 1), self.why, self.figure, self.check, self.close_button)
        for quiet in (self.why, self.figure, self.check):
            quiet.hide()
        self.hide()

    def text(self) -> str:
        return self.words.text()

    def begin(self) -> None:
        """Open the line and write in it."""
        self._wanted = True
        self.show()
        self.words.setFocus()

    def take_away(self) -> None:
        """Close the line; the answer is the model's own."""
        self._wanted = False
        had = self.text()
        self.words.clear()
        self.hide()
        if had:
            self._on_edited("")
        self.closed.emit()

    def sent(self) -> None:
        """Its words were sent with the message."""
        self._wanted = False
        self._echo.sent("")
        self.words.clear()
        self.hide()

    def show_state(self, chat: ChatState | None) -> None:
        """Show what the engine has kept, the tokens, and whether the model goes on with it."""
        key, kept = (chat.chat.id, chat.prefill) if chat is not None else ("", "")
        if key != self._chat:
            self._chat, self._echo, self._wanted = key, DraftEcho(kept), False
            self.words.setText(kept)
        elif self._echo.is_foreign(kept) and kept != self.text():
            self.words.setText(kept)
        self.setVisible(self._wanted or bool(self.text()))
        if not self.isHidden():
            self._show_request(chat.view if chat is not None else None)

    def _show_request(self, view: EnvelopeView | None) -> None:
        refused = view is not None and not view.continues
        rows = () if view is None else view.layers[-1].rows
        own = [row.tokens for row in rows if row.kind == BEGINNING]
        self.words.strike(refused)
        self.words.setToolTip(tip(self.text()))
        counted = bool(own and self.text().strip()) and not refused
        set_text(self.figure, formatting.token_words(own[0]) if counted else "")
        for sent in (self.figure, self.check):
            sent.setVisible(counted)
        why = not_continued_words(view.model) if refused and view is not None else ""
        if why != self.why.text():
            self.why.setText(why)
            self.why.setVisible(bool(why))
            if why:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, why))

    def update_look(self) -> None:
        self.stripe = theme_of(self).layers["L5_USER"].edge
        self.border = "accent" if self.words.hasFocus() else "line2"

    def _leave(self) -> None:
        if self.text():
            self.closed.emit()
        else:
            self.take_away()

    def _on_edited(self, text: str) -> None:
        self._echo.sent(text)
        self.edited.emit(text)
