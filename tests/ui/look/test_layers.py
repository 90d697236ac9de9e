"""The layers' tags and words."""

from __future__ import annotations

from typing import get_args

from workbench.domain.segment import LayerName
from workbench.ui.look.layers import TAGS, WIRE_ORDER, layer_word


def test_every_layer_has_a_tag_and_a_word(qapp):
    assert set(TAGS) == set(get_args(LayerName))
    assert [layer_word(layer) for layer in WIRE_ORDER] == [
        "System",
        "Library",
        "History",
        "This turn",
        "Your message",
    ]


def test_the_tags_stand_in_wire_order():
    assert [TAGS[layer] for layer in WIRE_ORDER] == ["L1", "L2", "L4", "L3", "L5"]
