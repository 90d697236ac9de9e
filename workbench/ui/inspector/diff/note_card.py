"""A card that says something in a title and a sentence, and may offer to do something about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal

from workbench.ui.inspector.rows.icon_spot import IconSpot
from workbench.ui.look.space import columns, rows
from workbench.ui.look.tones import Tone, tone_token
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.labels import label, set_text


class NoteCard(Card):
    """Signals: `pressed` when the offer is taken."""

    pressed = Signal()

    def __init__(self, icon: str, tone: Tone | None = None, icon_token: str = "") -> None:
        super().__init__(tone)
        self.title = label("", "ui_label")
        self.line = label("", "small", "t3", wrap=True)
        self.offer = button("")
        self.offer.setVisible(False)
        across = columns(self, (12, 10, 12, 10), 12)
        spot = IconSpot(icon, icon_token or (tone_token(tone) if tone else "t2"), 20)
        across.addWidget(spot, 0, Qt.AlignmentFlag.AlignVCenter)
        down = rows(across, spacing=2)
        down.addWidget(self.title)
        down.addWidget(self.line)
        across.setStretch(1, 1)
        across.addWidget(self.offer, 0, Qt.AlignmentFlag.AlignVCenter)
        self.offer.clicked.connect(self.pressed)

    def say(self, title: str, line: str, offer: str = "") -> None:
        """Change the words."""
        set_text(self.title, title)
        set_text(self.line, line)
        self.offer.setVisible(bool(offer))
        if offer != self.offer.text():
            self.offer.setText(offer)
