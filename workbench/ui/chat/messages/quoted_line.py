"""Below an answer: from which sections of followed folders its request quoted; each opens at its place."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui import formatting
from workbench.ui.look.space import S1, S2
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import Button, button, on_click
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import FlowLayout, Stack

FEW = 3
Quote = tuple[str, str, str]


class QuotedLine(QWidget):
    """How many sections of how many files were quoted, and the first of them as buttons.

    Signals:
        wanted: the key of a section, to be read where it stands.
    """

    wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._quotes: tuple[Quote, ...] = ()
        self.words = label("", "meta", "t2")
        self.words.setMinimumHeight(button("", size="small").sizeHint().height())
        self.flow = FlowLayout(self, S1, S1)
        self.flow.addWidget(self.words)
        self.buttons: list[Button] = []

    def show_quotes(self, quotes: tuple[Quote, ...]) -> None:
        """Show what was quoted; nothing of another answer stays open."""
        if quotes != self._quotes:
            self._quotes = quotes
            files = len({title for _, title, _ in quotes})
            sections = formatting.counted(len(quotes), tr("Quoted 1 section"), tr("Quoted {n} sections"))
            of = formatting.counted(files, tr("of 1 file:"), tr("of {n} files:"))
            set_text(self.words, f"{sections} {of}")
            self.setAccessibleName(self.words.text())
            self._make(FEW)

    def _make(self, most: int) -> None:
        for old in self.buttons:
            self.flow.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.buttons = [self._button(*one) for one in self._quotes[:most]]
        if len(self._quotes) > most:
            words = tr("{n} more").format(n=formatting.tokens(len(self._quotes) - most))
            self.buttons.append(on_click(button(words, "link", size="small"), self._show_all))
        for one in self.buttons:
            self.flow.addWidget(one)
            one.show()
        self.updateGeometry()

    def _button(self, key: str, title: str, place: str) -> Button:
        name = f"{shown(title.rpartition('/')[2], 30)} › {shown(place, 30)}"
        made = on_click(button(name, icon="file", size="small"), lambda: self.wanted.emit(key))
        made.setToolTip(tip(f"{title}\n{place}"))
        made.setAccessibleName(tr("Read {name} where it stands").format(name=name))
        return made

    def _show_all(self) -> None:
        self._make(len(self._quotes))
        above = self.parentWidget()
        if isinstance(above, Stack):
            above.remeasure(self)
        self.buttons[FEW].setFocus()

    def sizeHint(self) -> QSize:
        return QSize(S2, self.flow.heightForWidth(max(1, self.width())))
