"""The recovery code, shown once: the second way in when the keyring or the passphrase is lost."""

from __future__ import annotations

import os

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QWidget

from workbench.domain.keys.secret import Secret
from workbench.ui.look.space import columns, rows
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.file_chooser import save_file
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text

_tr = translator("RecoveryCodeDialog")

WIDTH = 520


class RecoveryCodeDialog(Sheet):
    """Shows the code until it is kept somewhere; closing it any other way is not offered.

    Signals:
        kept: the person says so.
    """

    kept = Signal()

    def __init__(self, code: Secret, parent: QWidget | None = None) -> None:
        super().__init__(_tr("Your recovery code"), WIDTH, 0, parent)
        self._code = code
        self.close_button.hide()
        lead = _tr("It unlocks your chats if you lose the passphrase or keyring. It’s shown only once.")
        self.body.addWidget(label(lead, "ui", "t2", wrap=True))
        card = Card(ground="sunken")
        inside = rows(card, (16, 16, 16, 16))
        self.words = label(code.reveal_text(), "code", wrap=True)
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setAccessibleName(_tr("Recovery code"))
        inside.addWidget(self.words)
        self.body.addWidget(card)
        row = columns(self.body, spacing=8)
        for words, icon, act in (
            (_tr("Copy"), "copy", self._copy),
            (_tr("Save to a file…"), "download", self._save),
            (_tr("Print…"), "file", self._print),
        ):
            made = button(words, icon=icon)
            made.clicked.connect(act)
            row.addWidget(made)
        row.addStretch(1)
        self.said = label("", "small", "t3", wrap=True)
        self.body.addWidget(self.said)
        self.check = Check(_tr("I’ve saved it somewhere other than this computer"))
        self.go_on = on_click(button(_tr("Continue"), "primary"), self.kept)
        self.go_on.setEnabled(False)
        self.check.toggled.connect(self.go_on.setEnabled)
        self.foot.addWidget(self.check, 1)
        self.foot.addWidget(self.go_on)

    def reject(self) -> None:
        """Escape does not lose the code."""
        set_text(self.said, _tr("Save the code first, then tick the box."))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._code.reveal_text())
        set_text(self.said, _tr("Copied. Paste it into a password manager, then clear the clipboard."))

    def _save(self) -> None:
        name = "context-workbench-recovery-code.txt"
        save_file(self, _tr("Save the recovery code"), name, self.save_to)

    def save_to(self, path: str) -> None:
        """Write the code into a file that only its owner can read."""
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                if hasattr(os, "fchmod"):  # a file that was there keeps its own mode otherwise
                    os.fchmod(file.fileno(), 0o600)
                file.write(self._sheet())
        except OSError as problem:
            set_text(self.said, _tr("Not saved: {why}.").format(why=problem.strerror or problem))
            return
        set_text(self.said, _tr("Saved. Move the file away from this computer."))

    def _print(self) -> None:
        # Loaded only here: most people never print.
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo

        if not QPrinterInfo.availablePrinterNames():
            set_text(self.said, _tr("No printer found. Save it to a file, or write it down."))
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        dialog = QPrintDialog(printer, self)
        document = QTextDocument(self)
        document.setPlainText(self._sheet())
        dialog.accepted.connect(lambda: document.print_(printer))
        dialog.show()

    def _sheet(self) -> str:
        return f"{_tr('Context Workbench, recovery code')}\n\n{self._code.reveal_text()}\n"
