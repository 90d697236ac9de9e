"""Tones: no state is told by colour alone."""

from __future__ import annotations

from typing import get_args

import pytest

from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import RowState
from workbench.ui.look.icons import has_icon
from workbench.ui.look.theme import LIGHT
from workbench.ui.look.tones import STATE_LOOK, TONES, WIRE_ORDER, Tone, layer_tag, layer_word, state_word


@pytest.mark.parametrize("state", get_args(RowState))
def test_a_state_has_an_icon_and_a_word(qapp, state: RowState):
    assert has_icon(STATE_LOOK[state].icon)
    assert state_word(state)


def test_no_two_states_look_alike():
    looks = [(look.icon, look.word) for look in STATE_LOOK.values()]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("tone", get_args(Tone))
def test_a_tone_is_painted_in_colours_of_the_theme(tone: Tone):
    assert all(hasattr(LIGHT, token) for token in TONES[tone])


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
