"""A sentence that tells what something costs: an icon and words in a tone, in one line or two."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.inspector.what_if.words import SentenceText
from workbench.ui.look.space import columns
from workbench.ui.look.tones import tone_token
from workbench.ui.widgets.icon_spot import IconSpot
from workbench.ui.widgets.labels import label, set_text, set_token

ICON, GAP = 14, 6


class Sentence(QWidget):
    """An icon before a sentence; without one the sentence begins where the icon would."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = IconSpot("", "t3", ICON, QSize(ICON, 16))
        self._mark.hide()
        self.words = label("", "small", "t3", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        row = columns(self, spacing=GAP)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    def say(self, said: SentenceText) -> None:
        set_text(self.words, said.words)
        token = "t3" if said.tone == "neutral" else tone_token(said.tone)
        set_token(self.words, token)
        self._mark.show_icon(said.icon, token)
        self.setAccessibleName(said.words)
