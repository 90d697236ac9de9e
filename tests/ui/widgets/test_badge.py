"""Badges: a state is a tint, an icon and a word."""

from __future__ import annotations

import typing
from typing import get_args

import pytest

from workbench.domain.shown.envelope_view import PartSource, RowState
from workbench.ui.look.theme import LIGHT, Theme
from workbench.ui.look.tones import STATE_LOOK, TONES
from workbench.ui.widgets.badge import Badge, LayerTag, source_stripe, source_tone, source_word


@pytest.fixture
def badge(qtbot) -> Badge:
    made = Badge()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("state", get_args(RowState))
def test_a_state_is_shown_and_said(badge: Badge, theme: Theme, state: RowState):
    badge.show_state(state)
    badge.resize(badge.sizeHint())
    assert badge.accessibleName() == badge.word() == STATE_LOOK[state].word
    ground = badge.grab().toImage().pixelColor(2, 9).name().upper()
    assert ground == getattr(theme, TONES[STATE_LOOK[state].tone].ground)


def test_other_words_fit_as_well(badge: Badge):
    badge.show_words("accent", "", "36 % cached")
    narrow = badge.sizeHint().width()
    badge.show_words("ok", "check", "36 % cached")
    assert badge.sizeHint().width() == narrow + 15
    assert badge.tone() == "ok"


def test_an_empty_badge_takes_no_room(badge: Badge):
    assert badge.sizeHint().width() == 0
    badge.resize(20, 18)
    image = badge.grab().toImage()
    assert len({image.pixel(x, 9) for x in range(20)}) == 1


def test_without_room_the_icon_stays(badge: Badge):
    badge.show_state("unreadable")
    assert badge.minimumSizeHint().width() == 22


def test_a_tag_has_one_size_and_says_its_layer(theme: Theme, qtbot):
    tag = LayerTag("L2_PREVIOUS")
    qtbot.addWidget(tag)
    assert (tag.width(), tag.height()) == (22, 16)
    assert tag.accessibleName() == "Library"
    assert tag.grab().toImage().pixelColor(11, 2).name().upper() == theme.layers["L2_PREVIOUS"].fill


def test_a_tag_can_become_another_layers(qtbot):
    tag = LayerTag("L1_SYSTEM")
    qtbot.addWidget(tag)
    tag.set_layer("L5_USER")
    assert (tag.layer(), tag.accessibleName()) == ("L5_USER", "Your message")


def test_every_source_has_a_word_a_stripe_and_a_tone():
    sources = typing.get_args(PartSource)
    assert len({source_word(source) for source in sources}) == len(sources)
    assert all(hasattr(LIGHT, source_stripe(source)) and source_tone(source) for source in sources)
