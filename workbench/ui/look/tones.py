"""How states and layers are shown: tone, icon and word, so that colour alone never carries the meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from workbench.domain.turn import BEGINNING
from workbench.ui.translation import N_, tr

if TYPE_CHECKING:
    from workbench.domain.segment import LayerName
    from workbench.domain.shown.envelope_view import RowState


Tone = Literal["neutral", "info", "warn", "err", "ok", "accent"]


class ToneTokens(NamedTuple):
    """Which colours of `Theme` something that has a tone is painted in: its ground, its words and icon, its border."""

    ground: str
    text: str
    line: str


class StateLook(NamedTuple):
    """How a row's state is shown; `word` is not translated, use `state_word`."""

    tone: Tone
    icon: str
    word: str


TONES: Mapping[Tone, ToneTokens] = {
    "neutral": ToneTokens("sunken", "t2", "line"),
    "info": ToneTokens("info_tint", "info", "info"),
    "warn": ToneTokens("warn_tint", "warn", "warn"),
    "err": ToneTokens("err_tint", "err", "errline"),
    "ok": ToneTokens("ok_tint", "ok", "ok"),
    "accent": ToneTokens("accent_tint", "accent_text", "accent"),
}

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
    "quoted": StateLook("accent", "folder", N_("quoted")),
    "dropped": StateLook("err", "out", N_("dropped")),
    "unreadable": StateLook("err", "file-x", N_("unreadable")),
}


def state_word(state: RowState) -> str:
    """Word for a state in the user's language."""
    return tr(STATE_LOOK[state].word)


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
    return tr(_WORDS[layer])


def name_by_kind(kind: str) -> str:
    """Name of a row that is named by its kind, such as instructions or the message; empty for any other kind."""
    return {
        "persona": tr("Instructions"),
        "system": tr("System prompt"),
        "tool_guidelines": tr("Tool guidelines"),
        "project": tr("Project instructions"),
        "memory": tr("Memory"),
        "question": tr("Your message"),
        "user": tr("Your message, meanwhile"),
        BEGINNING: tr("Begun answer"),
    }.get(kind, "")
