"""A bar in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.widgets.budget_bar.model import BarModel, BarSegment
from workbench.ui.widgets.budget_bar.words import (
    flag_words,
    ghost_words,
    segment_name,
    segment_words,
    sentence,
)

BAR = BarModel(
    (
        BarSegment(RowKey("L1_SYSTEM", "persona"), 820, "persona"),
        BarSegment(RowKey("L4_STRIP", "t"), 1480, "", 1, 6),
        BarSegment(RowKey("L4_STRIP", "u"), 890, "", 7, 7),
    ),
    16_000,
    2000,
    12_800,
    1000,
)


@pytest.fixture(autouse=True)
def in_english(qapp):
    """Figures are written as in English."""


def test_the_sentence_says_all_that_the_bar_shows():
    assert sentence(BAR) == (
        "3,190 of 16,000 tokens; 12,810 free; 1,000 expected from the cache; trimming begins at 12,800; "
        "2,000 kept for the reply; System 820; History 2,370"
    )


def test_the_sentence_says_how_far_it_is_over():
    assert "over by 190" in sentence(replace(BAR, limit_tokens=3000))


def test_an_estimate_is_called_one():
    assert sentence(replace(BAR, exact=False)).startswith("about 3,190 of 16,000")


def test_what_nobody_knows_is_not_said():
    quiet = sentence(replace(BAR, cached_tokens=None, threshold_tokens=None))
    assert "cache" not in quiet
    assert "trimming" not in quiet


def test_flags_are_the_marks():
    assert flag_words(BAR) == {
        "limit": "limit 16,000",
        "cached": "cached 1,000",
        "trim": "trim at 12,800",
        "reply": "reply 2,000",
    }
    assert flag_words(replace(BAR, limit_tokens=3000))["over"] == "over by 190"


def test_history_is_called_by_its_turns():
    assert [segment_name(segment) for segment in BAR.segments] == ["persona", "turns 1–6", "turn 7"]


def test_a_foreign_name_is_made_safe():
    assert segment_name(replace(BAR.segments[0], name="a\u202eb")) == "a⟨U+202E⟩b"


def test_a_segment_says_how_much_of_it_is_cached():
    assert segment_words(BAR, 1) == (
        "turns 1–6\nL4 History, 1,480 tokens, 9 % of the limit\n180 expected from the cache"
    )
    assert "cache" not in segment_words(BAR, 2)


def test_a_name_that_looks_like_a_place_for_a_figure_is_left_alone():
    named = replace(BAR, segments=(replace(BAR.segments[0], name="%4 and %1"),))
    assert segment_words(named, 0).startswith("%4 and %1\n")


def test_the_ghost_says_what_it_would_be():
    assert ghost_words(BAR) == "what if: 3,190 tokens, 1,000 cached"
    assert ghost_words(replace(BAR, cached_tokens=None)) == "what if: 3,190 tokens"
