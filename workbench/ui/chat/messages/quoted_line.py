"""Below an answer: from which sections of followed folders its request quoted; each opens at its place."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui import formatting
from workbench.ui.look.space import S1, S2
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import FlowLayout

_tr = translator("QuotedLine")
MOST = 6
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
        self.flow = FlowLayout(self, S1, S1)
        self.flow.addWidget(self.words)
        self.buttons: list[QWidget] = []

    def show_quotes(self, quotes: tuple[Quote, ...]) -> None:
        if quotes == self._quotes:
            return
        self._quotes = quotes
        for old in self.buttons:
            self.flow.removeWidget(old)
            old.deleteLater()
        files = len({title for _, title, _ in quotes})
        sections = formatting.counted(len(quotes), _tr("Quoted 1 section"), _tr("Quoted {n} sections"))
        of = formatting.counted(files, _tr("of 1 file:"), _tr("of {n} files:"))
        set_text(self.words, f"{sections} {of}")
        self.buttons = []
        for key, title, place in quotes[:MOST]:
            name = f"{shown(title.rpartition('/')[2], 30)} › {shown(place, 30)}"
            one = on_click(
                button(name, icon="file", size="small"), lambda _=False, key=key: self.wanted.emit(key)
            )
            one.setToolTip(tip(f"{title}\n{place}"))
            one.setAccessibleName(_tr("Read {name} where it stands").format(name=name))
            self.buttons.append(one)
        if len(quotes) > MOST:
            more = label(_tr("and {n} more").format(n=len(quotes) - MOST), "meta", "t3")
            more.setToolTip(tip("\n".join(f"{title} › {place}" for _, title, place in quotes[MOST:])))
            self.buttons.append(more)
        for widget in self.buttons:
            self.flow.addWidget(widget)
        self.setAccessibleName(self.words.text())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(S2, self.flow.heightForWidth(max(1, self.width())))
