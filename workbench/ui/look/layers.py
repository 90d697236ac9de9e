"""The layers of a request by name: the tag that is painted, and the word beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

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
    "L1_SYSTEM": str(QT_TRANSLATE_NOOP("Layer", "System")),
    "L2_PREVIOUS": str(QT_TRANSLATE_NOOP("Layer", "Library")),
    "L4_STRIP": str(QT_TRANSLATE_NOOP("Layer", "History")),
    "L3_TURN": str(QT_TRANSLATE_NOOP("Layer", "Turn")),
    "L5_USER": str(QT_TRANSLATE_NOOP("Layer", "You")),
}


def layer_word(layer: LayerName) -> str:
    """What a layer is called in the user's language."""
    return QCoreApplication.translate("Layer", _WORDS[layer])
