"""States and cache marks in words."""

from __future__ import annotations

from typing import get_args

import pytest

from workbench.domain.shown.envelope_view import CacheMark, RowState
from workbench.ui.inspector.layers.cells import cache_sentence, cache_word, state_sentence


@pytest.mark.parametrize("state", get_args(RowState))
def test_every_state_is_explained_in_a_sentence(state: RowState):
    assert state_sentence(state).endswith(".")


@pytest.mark.parametrize("mark", get_args(CacheMark))
def test_every_cache_mark_is_explained_in_a_sentence(mark: CacheMark):
    assert cache_sentence(mark).endswith(".")


def test_the_marks_of_the_picture():
    assert [cache_word(mark) for mark in ("hit", "new", "none")] == ["hit", "new", "—"]
