"""Unlocking, before any chat is read: a passphrase, or the recovery code."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.secrets import Secret
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Field, SecretField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import IconSpot, label, set_text
from workbench.ui.widgets.progress import ProgressLine

WIDTH = 500


class UnlockDialog(Sheet):
    """Asks for what opens the store; wrong tries are said under the field, and nothing is changed by them.

    Signals:
        tried: what was typed, as a `Secret`. quit_wished: the person leaves instead.
    """

    tried = Signal(object)
    quit_wished = Signal()

    def __init__(self, line: str, parent: QWidget | None = None) -> None:
        super().__init__(tr("Unlock your chats"), WIDTH, 0, parent)
        self.close_button.hide()
        top = columns(self.body, spacing=12)
        top.addWidget(IconSpot("lock", "accent", 24, QSize(28, 28)), 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(label(line, "ui", "t2", wrap=True), 1)
        self.name = label(tr("Passphrase"), "ui_label")
        self.secret, self.code = SecretField(), Field()
        self.secret.setAccessibleName(tr("Passphrase"))
        self.code.setAccessibleName(tr("Recovery code"))
        self.code.hide()
        self.problem = _Problem()
        self.bar = ProgressLine()
        self.bar.set_fraction(None)
        self.bar.hide()
        fill(self.body, self.name, self.secret, self.code, self.problem, self.bar)
        self.other = on_click(button(tr("Use the recovery code…"), "link"), self._switch)
        self.leave = on_click(button(tr("Quit")), self.quit_wished)
        self.go_on = on_click(button(tr("Unlock"), "primary", shortcut_hint="↵"), self._try)
        self.go_on.setDefault(True)
        fill(self.foot, self.other, STRETCH, self.leave, self.go_on)
        for field in (self.secret, self.code):
            field.returnPressed.connect(self._try)
        self.secret.setFocus()

    def refuse(self, words: str) -> None:
        self.problem.say(words)
        field = self._field()
        field.selectAll()
        field.setFocus()

    def set_busy(self, busy: bool) -> None:
        self.bar.setVisible(busy)
        for part in (self.secret, self.code, self.other, self.go_on):
            part.setEnabled(not busy)

    def reject(self) -> None:
        self.quit_wished.emit()

    def _field(self) -> Field:
        return self.code if self.code.isVisibleTo(self) else self.secret

    def _switch(self) -> None:
        by_code = not self.code.isVisibleTo(self)
        self.code.setVisible(by_code)
        self.secret.setVisible(not by_code)
        set_text(self.name, tr("Recovery code") if by_code else tr("Passphrase"))
        self.other.setText(tr("Use the passphrase…") if by_code else tr("Use the recovery code…"))
        self.problem.say("")
        self._field().setFocus()

    def _try(self) -> None:
        typed = self._field().text()
        if typed and self.go_on.isEnabled():
            self.problem.say("")
            self.tried.emit(Secret.of_text(typed))


class _Problem(QWidget):
    """What was wrong, with an icon, because colour alone says nothing."""

    def __init__(self) -> None:
        super().__init__()
        row = columns(self, spacing=6)
        self.words = label("", "small", "err", wrap=True)
        fill(row, IconSpot("warn", "err"), (self.words, 1))
        self.hide()

    def say(self, words: str) -> None:
        """Show words; none hides it."""
        set_text(self.words, words)
        self.setVisible(bool(words))
