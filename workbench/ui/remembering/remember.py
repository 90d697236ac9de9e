"""Remember this: what was said, made shorter by hand, and for whom it holds."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from workbench.domain.workspace import Workspace
from workbench.ui.look.fonts import line_height
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import TextField
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.popup import Sheet
from workbench.ui.widgets.segmented import Segmented

_tr = translator("Remember")

WIDTH, LINES = 560, 5


class RememberDialog(Sheet):
    """A text and a place; Ctrl+Enter remembers it.

    Signals:
        remembered: the text, and the id of the workspace it holds for; empty for all chats.
    """

    remembered = Signal(str, str)

    def __init__(self, text: str, inside: Workspace | None, parent: QWidget | None = None) -> None:
        super().__init__(_tr("Remember this"), WIDTH, 0, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = TextField(_tr("What to remember, in a sentence"))
        self.text.setPlainText(text)
        self.text.selectAll()
        self.text.setFixedHeight(LINES * line_height("ui") + 14)
        self.body.addWidget(self.text)
        self.body.addWidget(
            label(_tr("It stands in the first layer of every request from now on."), "small", "t3", wrap=True)
        )
        places: tuple[tuple[str, str], ...] = ((_ALL, _tr("All chats")),)
        if inside is not None:
            places = ((inside.id, _tr("Chats in {name}").format(name=shown(inside.name, 40))), *places)
        self.place = Segmented(places)
        self.place.setAccessibleName(_tr("For whom it is remembered"))
        fill(columns(self.body, spacing=8), label(_tr("For"), "ui", "t2"), self.place, STRETCH)
        cancel = on_click(button(_tr("Cancel"), "ghost", "", "Esc"), self.reject)
        self.keep = on_click(button(_tr("Remember"), "primary", "bulb", "Ctrl+↵"), self._keep)
        fill(self.foot, STRETCH, cancel, self.keep)
        self.text.textChanged.connect(self._check)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self._keep)
        self._check()

    def _check(self) -> None:
        self.keep.setEnabled(bool(self.text.toPlainText().strip()))

    def _keep(self) -> None:
        words = self.text.toPlainText().strip()
        if words:
            place = self.place.current()
            self.remembered.emit(words, "" if place == _ALL else place)
            self.accept()


_ALL = "all"
