"""Under an answer: which piece of its request carried the words that are marked."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.labels import ElidedLabel, label
from workbench.ui.widgets.plain import shown

_tr = translator("CarriedLine")
SWATCH = 16


class CarriedLine(QWidget):
    """A swatch of the mark, the piece's name, and what the underline means."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ElidedLabel("", "meta", "accent_text")
        self.more = label(_tr("underlined: most of all"), "meta", "t3")
        fill(columns(self, (SWATCH + 6, 0, 0, 0), 8), self.words, self.more, STRETCH)
        self.hide()

    def show_name(self, name: str) -> None:
        """Show what carried the marked words; without a name it takes no room."""
        self.words.setText(_tr("carried by {name}").format(name=shown(name, 80)) if name else "")
        self.setAccessibleName(self.words.text())
        self.setVisible(bool(name))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        box = QRectF(0, self.height() / 2 - 5, SWATCH, 10)
        fill_rounded(painter, box, theme.sel, 2)
        painter.fillRect(QRectF(0, box.bottom() - 1.5, SWATCH, 1.5), colour(theme.accent))
