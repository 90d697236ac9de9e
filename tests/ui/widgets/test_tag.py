"""A layer's tag."""

from __future__ import annotations

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.tag import LayerTag


def test_a_tag_has_one_size_and_says_its_layer(theme: Theme, qtbot):
    tag = LayerTag("L2_PREVIOUS")
    qtbot.addWidget(tag)
    assert (tag.sizeHint().width(), tag.sizeHint().height()) == (22, 16)
    assert tag.accessibleName() == "Library"
    tag.resize(tag.sizeHint())
    assert tag.grab().toImage().pixelColor(11, 2).name().upper() == theme.layers["L2_PREVIOUS"].fill


def test_a_tag_can_become_another_layers(qtbot):
    tag = LayerTag("L1_SYSTEM")
    qtbot.addWidget(tag)
    tag.set_layer("L5_USER")
    assert (tag.layer(), tag.accessibleName()) == ("L5_USER", "You")
