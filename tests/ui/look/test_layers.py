"""The layers' tags and words."""

from __future__ import annotations

from typing import get_args

from workbench.domain.segment import LayerName
from workbench.ui.look.tones import WIRE_ORDER, layer_tag, layer_word


def test_every_layer_has_a_tag_and_a_word(qapp):
    assert set(WIRE_ORDER) == set(get_args(LayerName))
    assert [layer_word(layer) for layer in WIRE_ORDER] == [
        "System",
        "Library",
        "History",
        "This turn",
        "Your message",
    ]


def test_the_tags_are_letters_of_the_names_in_wire_order(qapp):
    """L4 stood above L3: the numbers looked like a mistake."""
    assert [layer_tag(layer) for layer in WIRE_ORDER] == ["S", "L", "H", "T", "Y"]
