"""Badges: a state in a tint, with an icon and a word; and the tag of a layer."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import PartSource, RowState
from workbench.ui.look.painting import (
    BADGE_HEIGHT,
    TAG_HEIGHT,
    TAG_WIDTH,
    badge_width,
    paint_badge,
    paint_tag,
)
from workbench.ui.look.tones import STATE_LOOK, Tone, layer_word, state_word
from workbench.ui.translation import N_, tr


class Badge(QWidget):
    """A state as a badge; without one it takes no room."""

    def __init__(self, tone: Tone = "neutral", icon: str = "", word: str = "") -> None:
        super().__init__()
        self._tone: Tone = tone
        self._icon = icon
        self._word = word
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(word)

    def show_state(self, state: RowState) -> None:
        look = STATE_LOOK[state]
        self.show_words(look.tone, look.icon, state_word(state))

    def show_words(self, tone: Tone, icon: str, word: str) -> None:
        """Show any other state; `icon` and `word` may be empty."""
        if (tone, icon, word) != (self._tone, self._icon, self._word):
            self._tone, self._icon, self._word = tone, icon, word
            self.setAccessibleName(word)
            self.updateGeometry()
            self.update()

    def word(self) -> str:
        return self._word

    def tone(self) -> Tone:
        return self._tone

    def sizeHint(self) -> QSize:
        if not (self._icon or self._word):
            return QSize(0, BADGE_HEIGHT)
        return QSize(int(badge_width(self._icon, self._word) + 0.999), BADGE_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 22), BADGE_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._icon or self._word:
            paint_badge(QPainter(self), QRectF(self.rect()), self._tone, self._icon, self._word)


class LayerTag(QWidget):
    """The tag of a layer, such as L for Library."""

    def __init__(self, layer: LayerName) -> None:
        super().__init__()
        self.setFixedSize(TAG_WIDTH, TAG_HEIGHT)
        self._layer: LayerName = layer
        self.set_layer(layer)

    def layer(self) -> LayerName:
        return self._layer

    def set_layer(self, layer: LayerName) -> None:
        self._layer = layer
        self.setAccessibleName(layer_word(layer))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_tag(QPainter(self), QRectF(self.rect()), self._layer)


# Who says a part of the instructions: a stripe, always with its word.


STRIPE = 3
"""How wide a stripe is."""

_STRIPES: Mapping[PartSource, str] = {
    "default": "edge",
    "workspace": "info",
    "chat": "accent",
    "fact": "edge",
    "sentence": "accent",
    "sentences": "line2",
    "called": "accent",
    "unused": "edge",
    "facts": "accent",
}
_TONES: Mapping[PartSource, Tone] = {
    "default": "neutral",
    "workspace": "info",
    "chat": "accent",
    "fact": "neutral",
    "sentence": "accent",
    "sentences": "neutral",
    "called": "accent",
    "unused": "neutral",
    "facts": "neutral",
}
_WORDS: Mapping[PartSource, str] = {
    "default": N_("default"),
    "workspace": N_("workspace"),
    "chat": N_("this chat"),
    "fact": N_("fact"),
    "sentence": N_("sentence"),
    "sentences": N_("sentences"),
    "called": N_("called"),
    "unused": N_("never called"),
    "facts": N_("facts"),
}


def source_stripe(source: PartSource) -> str:
    """The token of a source's stripe."""
    return _STRIPES[source]


def source_tone(source: PartSource) -> Tone:
    """The tone of a source's badge."""
    return _TONES[source]


def source_word(source: PartSource) -> str:
    """The word of a source."""
    return tr(_WORDS[source])
