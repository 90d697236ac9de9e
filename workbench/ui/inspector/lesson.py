"""The inspector's three first-run hints: what it shows, and two things to try; each can be dismissed once read."""

from __future__ import annotations

from collections.abc import Container
from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.look.fonts import font
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card, Panel
from workbench.ui.widgets.labels import IconSpot, label

Hint = Literal["request", "pin", "priority"]
HINTS: tuple[Hint, ...] = ("request", "pin", "priority")
LINE_HEIGHT = 41


class LessonLine(Panel):
    """The hint about the next request, as a line above it.

    Signals:
        read: the user dismissed the hint.
    """

    ground = "accent_tint"
    line_below = True

    read = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumHeight(LINE_HEIGHT)
        self.words = label("", "ui", "t1", wrap=True)
        self.words.setTextFormat(Qt.TextFormat.RichText)  # our own words
        self.words.setText(
            tr("Your <b>next request</b>, in sending order. Hatched: cached. Dotted: kept for the reply.")
        )
        self.done = on_click(button(tr("Got it"), "link"), self.read)
        fill(
            columns(self, (16, 4, 16, 5), 8),
            IconSpot("bulb", "accent_text", box=QSize(16, 18)),
            (self.words, 1),
            self.done,
        )


class LessonCards(QWidget):
    """Cards with things to try.

    Signals:
        read: the hint that the user dismissed.
    """

    read = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        down = rows(self, (16, 16, 16, 16), 10)
        heading = label(tr("Try it"), "small", "t1")
        heading.setFont(font("small", 600))
        down.addWidget(heading)
        row = columns(down, spacing=12)
        self.cards: dict[Hint, LessonCard] = {
            "pin": LessonCard(
                "pin",
                tr("Pin what must stay"),
                tr("Press Space on a row. Pinned segments are never dropped."),
            ),
            "priority": LessonCard(
                "sliders",
                tr("Change its priority"),
                tr(
                    "Press + or −. Higher is dropped first. Ctrl+Z undoes any step; Ctrl+Alt+Z while you write."
                ),
            ),
        }
        for hint, card in self.cards.items():
            row.addWidget(card, 1)
            on_click(card.done, lambda _pressed=False, hint=hint: self.read.emit(hint))

    def show_hints(self, hints: Container[Hint]) -> bool:
        """Show only the cards of these hints; return whether there are any."""
        for hint, card in self.cards.items():
            card.setVisible(hint in hints)
        return any(hint in hints for hint in self.cards)


class LessonCard(Card):
    """A card with one thing to try, and a button that dismisses it."""

    def __init__(self, icon: str, title: str, line: str) -> None:
        super().__init__()
        self.done = tool_button("x", tr("Got it: {what}").format(what=title), tr("Got it"), side=22)
        down = rows(self, (12, 9, 8, 12), 4)
        head = columns(down, spacing=6)
        head.addWidget(IconSpot(icon, "accent_text", box=QSize(16, 22)), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(label(title, "ui_heading", wrap=True), 1)
        head.addWidget(self.done, 0, Qt.AlignmentFlag.AlignTop)
        words = label(line, "small", "t2", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        down.addWidget(words, 1)
