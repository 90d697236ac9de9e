"""Tones: no state is told by colour alone."""

from __future__ import annotations

from typing import get_args

import pytest

from workbench.domain.shown.envelope_view import RowState
from workbench.ui.look.icons import has_icon
from workbench.ui.look.theme import LIGHT
from workbench.ui.look.tones import STATE_LOOK, Tone, state_word, tone_colours, tone_token


@pytest.mark.parametrize("state", get_args(RowState))
def test_a_state_has_an_icon_and_a_word(qapp, state: RowState):
    assert has_icon(STATE_LOOK[state].icon)
    assert state_word(state)


def test_no_two_states_look_alike():
    looks = [(look.icon, look.word) for look in STATE_LOOK.values()]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("tone", get_args(Tone))
def test_a_tones_icons_and_text_have_one_colour(tone: Tone):
    assert tone_colours(LIGHT, tone).text == getattr(LIGHT, tone_token(tone))
