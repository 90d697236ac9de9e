"""A plain editor in place: for instructions, a fact or a prompt, kept or left alone."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.space import S2, STRETCH, columns, fill, rows
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Choice, Field, TextField
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.timer import single_shot

TELL_AFTER_MS = 120


class InlineEditor(Card):
    """A text, with a name over it or a choice under it where there is one; Ctrl+S keeps it, Esc leaves it.

    Signals:
        saved: the name, the text and the choice. left: nothing is to be kept.
        changed: a moment after something was typed or chosen.
    """

    saved = Signal(str, str, str)
    left = Signal()
    changed = Signal()

    def __init__(self, what: str, name: str = "", choices: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__("accent")
        self.name = Field(name)
        if not name:
            self.name.hide()  # never shown before it has a place
        self.text = TextField(what)
        self.choice = Choice(choices)
        if not choices:
            self.choice.hide()  # never shown before it has a place
        self.choice.setAccessibleName(self.tr("How it combines with what comes before"))
        self.note = label("", "small", "warn", wrap=True)
        self.note.hide()
        self.save = button(self.tr("Save"), "primary", shortcut_hint=self.tr("Ctrl+S"), size="small")
        self.cancel = button(self.tr("Cancel"), shortcut_hint=self.tr("Esc"), size="small")
        self._before = ("", "", "")
        self._warned = False
        self._later = single_shot(self, self.changed, TELL_AFTER_MS)
        self.text.textChanged.connect(self._later.start)
        self.choice.currentIndexChanged.connect(self._later.start)
        down = fill(rows(self, (12, 10, 12, 10), S2), self.name, self.text, self.note)
        fill(columns(down, spacing=S2), self.choice, STRETCH, self.cancel, self.save)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self._leave)
        for child in (self.name, self.text, self.choice, self.save, self.cancel):
            child.installEventFilter(self)
        self.hide()

    def open(self, text: str, name: str = "", choice: str = "", lines: int = 4) -> None:
        self.name.setText(name)
        self.text.setPlainText(text)
        if choice:
            self.choice.choose(choice)
        self._before, self._warned = self.values(), False
        self.note.hide()
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * lines + 18)
        self.show()
        first: QWidget = self.name if self.name.isVisibleTo(self) and not name else self.text
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def refuse(self, words: str) -> None:
        """Say why it cannot be kept, and stay."""
        set_text(self.note, words)
        self.note.show()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._later.stop()

    def values(self) -> tuple[str, str, str]:
        return self.name.text().strip(), self.text.toPlainText(), self.choice.chosen()

    def _save(self) -> None:
        self.saved.emit(*self.values())

    def _leave(self) -> None:
        """Words that were typed are not thrown away by one key."""
        if self.values() != self._before and not self._warned:
            self._warned = True
            self.refuse(self.tr("Not saved yet. Esc again leaves it as it was; Ctrl+S keeps it."))
            return
        self.hide()
        self.left.emit()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """The keys hold wherever in the editor the keyboard is."""
        if not isinstance(event, QKeyEvent) or event.type() not in (
            QEvent.Type.KeyPress,
            QEvent.Type.ShortcutOverride,
        ):
            return False
        held = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        saves = held and (event.key() == Qt.Key.Key_S or enter)
        leaves = event.key() == Qt.Key.Key_Escape
        if not saves and not leaves:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif saves:
            self._save()
        else:
            self._leave()
        return True
