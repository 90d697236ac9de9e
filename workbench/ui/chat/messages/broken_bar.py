"""Under an answer that broke off: what happened, what is kept, and how to go on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import columns
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.labels import label, set_text


class BrokenBar(Card):
    """A warning with two ways out.

    Signals:
        asked: "continue" or "regenerate".
    """

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("warn", "surface")
        if parent is not None:
            self.setParent(parent)
        self.words = label("", "small", "warn", wrap=True)
        self.resume = button(self.tr("Continue"), icon="play", size="small")
        self.again = button(self.tr("Retry"), "ghost", "refresh", size="small")
        self.resume.clicked.connect(lambda: self.asked.emit("continue"))
        self.again.clicked.connect(lambda: self.asked.emit("regenerate"))
        across = columns(self, (8, 7, 8, 7), 6)
        across.addSpacing(20)
        across.addWidget(self.words, 1)
        across.addWidget(self.resume)
        across.addWidget(self.again)

    def show_words(self, words: str) -> None:
        """Say what happened."""
        set_text(self.words, self.tr("Interrupted. {why}").format(why=words))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card and the sign."""
        super().paintEvent(event)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        spot = QRectF(self.width() - 28 if mirrored else 12, 0, 14, self.height())
        paint_icon(QPainter(self), spot, "warn", "warn", 14)
