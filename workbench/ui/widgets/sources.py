"""Who says a part of the instructions: a stripe, always with its word."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from workbench.domain.shown.envelope_view import PartSource
from workbench.ui.look.tones import Tone
from workbench.ui.translation import N_

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
}


def source_stripe(source: PartSource) -> str:
    """The token of a source's stripe."""
    return _STRIPES[source]


def source_tone(source: PartSource) -> Tone:
    """The tone of a source's badge."""
    return _TONES[source]


def source_word(source: PartSource) -> str:
    """The word of a source."""
    return QCoreApplication.translate("Sources", _WORDS[source])
