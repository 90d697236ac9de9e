"""Adding, replacing and removing a key: the field is there only while one is typed, and what is kept is never shown."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.look.space import columns
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import SecretField


class KeyAction(QWidget):
    """What can be done about the key of one server.

    Signals:
        typed: a new key, once. removed: the key is to be forgotten.
    """

    typed = Signal(str)
    removed = Signal()

    def __init__(self, name: str, known: bool) -> None:
        super().__init__()
        self.field = SecretField(_tr("Key"))
        self.field.setFixedWidth(240)
        self.field.setAccessibleName(_tr("Key for {name}").format(name=name))
        self.field.hide()
        self.begin = button(_tr("Replace…") if known else _tr("Add key…"))
        self.save = button(_tr("Keep it"), "primary")
        self.save.setEnabled(False)
        self.save.hide()
        self.forget = button(_tr("Remove"), "danger")
        self.forget.setVisible(known)
        row = columns(self, spacing=8)
        for part in (self.field, self.save, self.begin, self.forget):
            row.addWidget(part)
        self.begin.clicked.connect(self._begin)
        self.save.clicked.connect(self._keep)
        self.field.returnPressed.connect(self._keep)
        self.field.textChanged.connect(lambda typed: self.save.setEnabled(bool(typed.strip())))
        self.forget.clicked.connect(self.removed)

    def _begin(self) -> None:
        self.begin.hide()
        self.forget.hide()
        self.field.show()
        self.save.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _keep(self) -> None:
        key = self.field.text().strip()
        if key:
            self.field.clear()
            self.typed.emit(key)


def _tr(words: str) -> str:
    return QCoreApplication.translate("KeyAction", words)
