"""Who says a part of the instructions: a colour never stands without its word."""

from __future__ import annotations

import typing

from workbench.domain.shown.envelope_view import PartSource
from workbench.ui.look.theme import LIGHT
from workbench.ui.widgets.badge import source_stripe, source_tone, source_word


def test_every_source_has_a_word_a_stripe_and_a_tone():
    sources = typing.get_args(PartSource)
    assert len({source_word(source) for source in sources}) == len(sources)
    assert all(hasattr(LIGHT, source_stripe(source)) and source_tone(source) for source in sources)
