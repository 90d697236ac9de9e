"""The layers of a request, in the order in which they are sent: their names, and the letter of their tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from workbench.ui.translation import N_

if TYPE_CHECKING:  # names of values only: the first paint needs none of them
    from workbench.domain.segment import LayerName

_WORDS: Mapping[LayerName, str] = {
    "L1_SYSTEM": N_("System"),
    "L2_PREVIOUS": N_("Library"),
    "L4_STRIP": N_("History"),
    "L3_TURN": N_("This turn"),
    "L5_USER": N_("Your message"),
}

WIRE_ORDER: tuple[LayerName, ...] = tuple(_WORDS)


def layer_tag(layer: LayerName) -> str:
    """The first letter of its name, where there is no room for more: numbers would not be in order on the wire."""
    return layer_word(layer)[:1]


def layer_word(layer: LayerName) -> str:
    """What a layer is called in the user's language."""
    return QCoreApplication.translate("Layer", _WORDS[layer])
