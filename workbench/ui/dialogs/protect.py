"""Dialogs for what unlocks the chats: a passphrase, the system's keyring, or both; and the recovery code."""

from __future__ import annotations

import os

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QClipboard, QGuiApplication, QHideEvent, QTextDocument
from PySide6.QtWidgets import QWidget

from workbench.domain.secrets import Secret
from workbench.ui.given import Choice
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Check, SecretField
from workbench.ui.widgets.file_chooser import save_file
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text, set_token
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressLine

SHORT_LETTERS = 12


class PassphraseFields(QWidget):
    """Two fields for a new passphrase, which must match; says what is wrong with it.

    Signals:
        edited: something was typed.
    """

    edited = Signal()

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.first, self.again = SecretField(), SecretField()
        self.first.setAccessibleName(title or tr("Passphrase"))
        self.again.setAccessibleName(tr("Confirm passphrase"))
        self.words = label("", "small", "t3", wrap=True)
        column = rows(self, spacing=4)
        first = label(title or tr("Passphrase"), "ui_label")
        again = label(tr("Confirm passphrase"), "ui_label")
        fill(column, first, self.first, 8, again, self.again, 4, self.words)
        for field in (self.first, self.again):
            field.textChanged.connect(self._check)
        self._check()

    def passphrase(self) -> Secret | None:
        typed = self.first.text()
        return Secret.of_text(typed) if typed and typed == self.again.text() else None

    def _check(self) -> None:
        typed, again = self.first.text(), self.again.text()
        if not typed:
            words, token = tr("Use a sentence only you would think of. It can’t be reset."), "t3"
        elif again and typed != again:
            words, token = tr("The passphrases don’t match yet."), "warn"
        elif len(typed) < SHORT_LETTERS:
            words, token = (
                tr("Weak: someone with your disk could guess one this short."),
                "warn",
            )
        else:
            words, token = tr("Good."), "ok"
        set_text(self.words, words)
        set_token(self.words, token)
        self.edited.emit()


class ProtectDialog(Sheet):
    """Asks how to protect the chats, before anything is stored; `first` if it is the first start.

    Signals:
        chosen: a `Choice`. look_wished: open the sample chat first and ask later. quit_wished: the user quits.
    """

    chosen = Signal(object)
    look_wished = Signal()
    quit_wished = Signal()

    def __init__(
        self, place: str, keyring_problem: str, parent: QWidget | None = None, *, first: bool = True
    ) -> None:
        super().__init__(tr("Protect your chats"), WIDTH, 0, parent)
        self.close_button.hide()
        self.body.addWidget(
            label(
                tr("Your chats are encrypted on this computer. Choose how to unlock them."),
                "ui", "t2", wrap=True,
            )
        )  # fmt: skip
        self.keyring = Check(tr("Unlock with the system keyring when I log in"))
        self.keyring.setEnabled(not keyring_problem)
        self.keyring.setChecked(not keyring_problem)
        self.typed = Check(tr("Unlock with a passphrase"))
        self.typed.setChecked(bool(keyring_problem))
        self.fields = PassphraseFields()
        card = Card()
        fill(rows(card, (16, 12, 16, 12), 8), self.typed, self.fields)
        fill(self.body, self._keyring_card(keyring_problem), card)
        self.problem = label("", "small", "err", wrap=True)
        self.problem.hide()
        self.bar = ProgressLine()
        self.bar.set_fraction(None)
        self.bar.hide()
        where = label(tr("Stored in {place}").format(place=shown(place, 120)), "small", "t3", wrap=True)
        fill(self.body, self.problem, self.bar, where)
        self.look = on_click(button(tr("Look around first"), "link", icon="eye"), self.look_wished)
        self.look.setToolTip(tr("Open the sample chat now; nothing is saved until you choose."))
        self.look.setVisible(first)
        self.leave = on_click(button(tr("Quit") if first else tr("Not now")), self.quit_wished)
        self.go_on = on_click(button(tr("Continue"), "primary"), self._choose)
        self.go_on.setDefault(True)
        fill(self.foot, self.look, STRETCH, self.leave, self.go_on)
        self.keyring.toggled.connect(self._update_button)
        self.typed.toggled.connect(self._update_button)
        self.fields.edited.connect(self._update_button)
        self._update_button()
        (self.fields.first if keyring_problem else self.go_on).setFocus()

    def set_busy(self, busy: bool) -> None:
        self.bar.setVisible(busy)
        for part in (self.keyring, self.typed, self.fields, self.look, self.leave, self.go_on):
            part.setEnabled(not busy)

    def refuse(self, words: str) -> None:
        """Show why it did not work; nothing was created."""
        set_text(self.problem, words)
        self.problem.show()

    def reject(self) -> None:
        self.quit_wished.emit()

    def _keyring_card(self, problem: str) -> Card:
        card = Card()
        column = rows(card, (16, 12, 16, 12), 4)
        column.addWidget(self.keyring)
        words = (
            tr("Not available here: {why}.").format(why=problem)
            if problem
            else tr("Nothing to type. Anyone who can log in as you can read your chats.")
        )
        column.addWidget(label(words, "small", "t3", wrap=True))
        return card

    def _update_button(self) -> None:
        self.fields.setVisible(self.typed.isChecked())
        ready = self.fields.passphrase() is not None if self.typed.isChecked() else self.keyring.isChecked()
        self.go_on.setEnabled(ready)

    def _choose(self) -> None:
        self.problem.hide()
        secret = self.fields.passphrase() if self.typed.isChecked() else None
        self.chosen.emit(Choice(secret, self.keyring.isChecked()))


class NewPassphraseDialog(Sheet):
    """Changes the passphrase; asks for the old one first, since anyone could sit at an open window.

    Signals:
        chosen: the old passphrase (None if there is none) and the new one, as `Secret`s.
    """

    chosen = Signal(object, object)

    def __init__(self, has_old: bool, parent: QWidget | None = None) -> None:
        super().__init__(tr("Change the passphrase"), 440, 0, parent)
        self.old = SecretField()
        self.old.setAccessibleName(tr("Current passphrase or recovery code"))
        self._has_old, self._busy = has_old, False
        if has_old:
            fill(self.body, label(tr("Current passphrase or recovery code"), "ui_label"), self.old)
        self.problem = label("", "small", "err", wrap=True)
        self.problem.hide()
        self.fields = PassphraseFields(tr("New passphrase") if has_old else "")
        fill(self.body, self.problem, self.fields)
        self.go_on = on_click(button(tr("Save passphrase"), "primary"), self._choose)
        self.go_on.setDefault(True)
        cancel = on_click(button(tr("Cancel")), self.reject)
        fill(self.foot, STRETCH, cancel, self.go_on)
        self.fields.edited.connect(self._update_button)
        self.old.textChanged.connect(self._update_button)
        (self.old if has_old else self.fields.first).setFocus()
        self._update_button()

    def set_busy(self, busy: bool) -> None:
        """Disable everything while the old passphrase is checked, which takes a moment."""
        self._busy = busy
        for part in (self.old, self.fields, self.go_on):
            part.setEnabled(not busy)

    def refuse(self, words: str) -> None:
        """Show why nothing was changed, and clear the field of the old passphrase."""
        set_text(self.problem, words)
        self.problem.show()
        self.old.clear()
        self.old.setFocus()

    def reject(self) -> None:
        """Close, unless the passphrase is being changed."""
        if not self._busy:
            super().reject()

    def _update_button(self) -> None:
        old_typed = bool(self.old.text()) or not self._has_old
        self.go_on.setEnabled(old_typed and self.fields.passphrase() is not None)

    def _choose(self) -> None:
        old = Secret.of_text(self.old.text()) if self._has_old else None
        self.chosen.emit(old, self.fields.passphrase())


# The recovery code, shown once: the second way in when the keyring or the passphrase is lost.


WIDTH = 520
COPIED_MS = 60_000
# Says to clipboard managers of KDE and of Windows that a text is a secret, which they then do not keep.
SECRET_HINTS = {
    "x-kde-passwordManagerHint": b"secret",
    "ExcludeClipboardContentFromMonitorProcessing": b"1",
}


class RecoveryCodeDialog(Sheet):
    """Shows the recovery code until the user confirms that it is saved; it cannot be closed otherwise.

    Signals:
        kept: the user confirmed that the code is saved.
    """

    kept = Signal()

    def __init__(self, code: Secret, parent: QWidget | None = None) -> None:
        super().__init__(tr("Your recovery code"), WIDTH, 0, parent)
        self._code = code
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(COPIED_MS)
        self._copied.timeout.connect(self._clear_clipboard)
        self.close_button.hide()
        lead = tr(
            "It unlocks your chats if you lose the passphrase, keyring or key file. It’s shown only once."
        )
        self.body.addWidget(label(lead, "ui", "t2", wrap=True))
        card = Card(ground="sunken")
        inside = rows(card, (16, 16, 16, 16))
        self.words = label(code.reveal_text(), "code", wrap=True)
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setAccessibleName(tr("Recovery code"))
        inside.addWidget(self.words)
        self.body.addWidget(card)
        row = columns(self.body, spacing=8)
        for words, icon, act in (
            (tr("Copy"), "copy", self._copy),
            (tr("Save to a file…"), "download", self._save),
            (tr("Print…"), "file", self._print),
        ):
            made = button(words, icon=icon)
            made.clicked.connect(act)
            row.addWidget(made)
        row.addStretch(1)
        self.said = label("", "small", "t3", wrap=True)
        self.body.addWidget(self.said)
        self.check = Check(tr("I’ve saved it somewhere other than this computer"))
        self.go_on = on_click(button(tr("Continue"), "primary"), self.kept)
        self.go_on.setEnabled(False)
        self.check.toggled.connect(self.go_on.setEnabled)
        fill(self.foot, self.check, STRETCH, self.go_on)

    def reject(self) -> None:
        """Ask to save the code instead of closing."""
        set_text(self.said, tr("Save the code first, then tick the box."))

    def _copy(self) -> None:
        copied = QMimeData()
        copied.setText(self._code.reveal_text())
        for name, value in SECRET_HINTS.items():
            copied.setData(name, value)
        QGuiApplication.clipboard().setMimeData(copied)
        self._copied.start()
        words = tr(
            "Copied. Paste it into a password manager: the clipboard is cleared in a minute, or when you continue."
        )
        set_text(self.said, words)

    def _clear_clipboard(self) -> None:
        """Remove the code from the clipboard, and from the selection of X11, if it is still there."""
        clipboard, code = QGuiApplication.clipboard(), self._code.reveal_text()
        for mode in (QClipboard.Mode.Clipboard, QClipboard.Mode.Selection):
            if clipboard.text(mode).strip() == code:
                clipboard.clear(mode)

    def _save(self) -> None:
        name = "context-workbench-recovery-code.txt"
        save_file(self, tr("Save the recovery code"), name, self.save_to)

    def save_to(self, path: str) -> None:
        """Write the code into a file that only its owner can read."""
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                if hasattr(os, "fchmod"):  # a file that was there keeps its own mode otherwise
                    os.fchmod(file.fileno(), 0o600)
                file.write(self._text())
        except OSError as problem:
            set_text(self.said, tr("Not saved: {why}.").format(why=problem.strerror or problem))
            return
        set_text(self.said, tr("Saved. Move the file away from this computer."))

    def _print(self) -> None:
        # Loaded only here: most people never print.
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo

        if not QPrinterInfo.availablePrinterNames():
            set_text(self.said, tr("No printer found. Save it to a file, or write it down."))
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        dialog = QPrintDialog(printer, self)
        document = QTextDocument(self)
        document.setPlainText(self._text())
        dialog.accepted.connect(lambda: document.print_(printer))
        dialog.show()

    def _text(self) -> str:
        return f"{tr('Context Workbench, recovery code')}\n\n{self._code.reveal_text()}\n"

    def hideEvent(self, event: QHideEvent) -> None:
        """Clear the clipboard when the dialog closes; a window that is only minimised keeps it."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._clear_clipboard()
