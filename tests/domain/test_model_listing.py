"""Models as they are offered."""

from __future__ import annotations

from tests.fakes.catalogue import WORD_MODEL
from workbench.domain.model import ModelListing


def test_a_usable_model_needs_no_advice():
    assert ModelListing("word-1", WORD_MODEL, usable=True).advice == ""
