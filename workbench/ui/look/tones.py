"""How states and layers are shown: tone, icon and word, so that colour alone never carries the meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import QCoreApplication

from workbench.ui.look.theme import Theme
from workbench.ui.translation import N_

if TYPE_CHECKING:
    from workbench.domain.segment import LayerName
    from workbench.domain.shown.envelope_view import RowState


Tone = Literal["neutral", "info", "warn", "err", "ok", "accent"]

CONTEXT = "State"


class ToneColours(NamedTuple):
    """Background, text and border colour of a tone; values of `Theme`."""

    ground: str
    text: str
    line: str


class StateLook(NamedTuple):
    """How a row's state is shown; `word` is not translated, use `state_word`."""

    tone: Tone
    icon: str
    word: str


STATE_LOOK: Mapping[RowState, StateLook] = {
    "sent": StateLook("neutral", "check", N_("sent")),
    "locked": StateLook("neutral", "lock", N_("locked")),
    "excluded": StateLook("neutral", "eye-off", N_("left out")),
    "reference": StateLook("info", "link", N_("reference")),
    "compacted": StateLook("info", "compact", N_("shortened")),
    "trimmed": StateLook("warn", "cut", N_("trimmed")),
    "stale": StateLook("warn", "clock", N_("stale")),
    "estimated": StateLook("warn", "approx", N_("estimated")),
    "unseen": StateLook("warn", "eye-off", N_("no vision")),
    "recalled": StateLook("accent", "recall", N_("recalled")),
    "retrieved": StateLook("accent", "recall", N_("retrieved")),
    "dropped": StateLook("err", "out", N_("dropped")),
    "unreadable": StateLook("err", "file-x", N_("unreadable")),
}


def state_word(state: RowState) -> str:
    """Word for a state in the user's language."""
    return QCoreApplication.translate(CONTEXT, STATE_LOOK[state].word)


def tone_colours(theme: Theme, tone: Tone) -> ToneColours:
    """Background, text and border colours of a tone."""
    return {
        "neutral": ToneColours(theme.sunken, theme.t2, theme.line),
        "info": ToneColours(theme.info_tint, theme.info, theme.info),
        "warn": ToneColours(theme.warn_tint, theme.warn, theme.warn),
        "err": ToneColours(theme.err_tint, theme.err, theme.errline),
        "ok": ToneColours(theme.ok_tint, theme.ok, theme.ok),
        "accent": ToneColours(theme.accent_tint, theme.accent_text, theme.accent),
    }[tone]


def tone_token(tone: Tone) -> str:
    """The colour token of a tone's text and icons."""
    return {"neutral": "t2", "accent": "accent_text"}.get(tone, tone)


# The layers of a request, in the order in which they are sent: their names, and the letter of their tags.


_WORDS: Mapping[LayerName, str] = {
    "L1_SYSTEM": N_("System"),
    "L2_PREVIOUS": N_("Library"),
    "L4_STRIP": N_("History"),
    "L3_TURN": N_("This turn"),
    "L5_USER": N_("Your message"),
}

WIRE_ORDER: tuple[LayerName, ...] = tuple(_WORDS)


def layer_tag(layer: LayerName) -> str:
    """The first letter of a layer's name, for little room; layer numbers would not be in sending order."""
    return layer_word(layer)[:1]


def layer_word(layer: LayerName) -> str:
    """Name of a layer in the user's language."""
    return QCoreApplication.translate("Layer", _WORDS[layer])
