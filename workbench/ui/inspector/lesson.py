"""The first lesson: what the inspector shows, and three things to try on the sample."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.look.fonts import font
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.labels import IconSpot, label

LINE_HEIGHT = 41


class LessonLine(QWidget):
    """One line on the accent's tint.

    Signals:
        read: the line was understood and may go.
    """

    read = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumHeight(LINE_HEIGHT)
        self.words = label("", "ui", "t1", wrap=True)
        self.words.setTextFormat(Qt.TextFormat.RichText)  # our own words
        self.words.setText(
            self.tr(
                "Your <b>next request</b>, in sending order. Hatched: cached. Dotted: kept for the reply."
            )
        )
        self.done = on_click(button(self.tr("Got it"), "link"), self.read)
        fill(
            columns(self, (16, 4, 16, 5), 8),
            IconSpot("bulb", "accent_text", box=QSize(16, 18)),
            (self.words, 1),
            self.done,
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("accent_tint", theme))
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), colour("line", theme))


class LessonCards(QWidget):
    """Three cards, each a thing to try."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        down = rows(self, (16, 16, 16, 16), 10)
        heading = label(self.tr("Try it on the sample"), "small", "t1")
        heading.setFont(font("small", 600))
        down.addWidget(heading)
        row = columns(down, spacing=12)
        for icon, title, line in (
            (
                "pin",
                self.tr("Pin what must stay"),
                self.tr("Press Space on a row. Pinned segments are never dropped."),
            ),
            (
                "sliders",
                self.tr("Change its priority"),
                self.tr("Press + or −. Higher is dropped first: 0, 3, 5, 10."),
            ),
            (
                "undo",
                self.tr("Nothing is final"),
                self.tr("Press Ctrl+Z to undo any step; Ctrl+Alt+Z while you write."),
            ),
        ):
            row.addWidget(_LessonCard(icon, title, line), 1)


class LessonFoot(QWidget):
    """What to do after that."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = self.tr(
            "Send the sample question: its bar joins the others, with predicted and reported cache."
        )
        line = label(words, "small", "t3", wrap=True)
        line.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumHeight(64)
        rows(self, (16, 12, 16, 12)).addWidget(line)


class _LessonCard(Card):
    def __init__(self, icon: str, title: str, line: str) -> None:
        super().__init__()
        down = rows(self, (12, 11, 12, 12), 4)
        head = columns(down, spacing=6)
        head.addWidget(IconSpot(icon, "accent_text", box=QSize(16, 18)), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(label(title, "ui_heading", wrap=True), 1)
        words = label(line, "small", "t2", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        down.addWidget(words, 1)
