"""The layers of a request by name: the tag that is painted, and the word beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from workbench.ui.translation import N_

if TYPE_CHECKING:  # names of values only: the first paint needs none of them
    from workbench.domain.segment import LayerName

TAGS: Mapping[LayerName, str] = {
    "L1_SYSTEM": "L1",
    "L2_PREVIOUS": "L2",
    "L4_STRIP": "L4",
    "L3_TURN": "L3",
    "L5_USER": "L5",
}

WIRE_ORDER: tuple[LayerName, ...] = tuple(TAGS)

_WORDS: Mapping[LayerName, str] = {
    "L1_SYSTEM": N_("System"),
    "L2_PREVIOUS": N_("Library"),
    "L4_STRIP": N_("History"),
    "L3_TURN": N_("This turn"),
    "L5_USER": N_("Your message"),
}


def layer_word(layer: LayerName) -> str:
    """What a layer is called in the user's language."""
    return QCoreApplication.translate("Layer", _WORDS[layer])
