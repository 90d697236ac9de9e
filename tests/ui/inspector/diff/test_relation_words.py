"""How two requests relate, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from tests.fakes.sample_state import sample_diff
from workbench.domain.change import Change
from workbench.ui.inspector.diff.relation_words import (
    calm_words,
    difference_words,
    effect_words,
    figures,
    kind_word,
    sentence,
    side_name,
    side_tokens,
)


def test_the_figures_say_what_is_lost_what_is_left_and_what_it_costs():
    shown = [(figure.value, figure.unit, figure.token) for figure in figures(sample_diff())]
    assert shown == [
        ("−2,723", "tokens lost from the cache", "err"),
        ("1,482", "tokens still reused", "t1"),
        ("+$0.0008", "to read them again", "t1"),
        ("diverged", "kind of change", "warn"),
    ]


def test_nothing_lost_is_no_alarm_and_no_price_is_no_zero():
    calm = replace(sample_diff(), lost_tokens=0, extra_cost_usd=None, change="extended")
    shown = figures(calm)
    assert (shown[0].value, shown[0].token) == ("0", "t1")
    assert (shown[2].value, shown[2].unit) == ("—", "no price is known")
    assert shown[3].token == "ok"


@pytest.mark.parametrize("change", get_args(Change))
def test_every_kind_has_a_word(change: Change):
    assert kind_word(change)


def test_where_they_begin_to_differ_is_said_only_where_something_broke():
    diff = sample_diff()
    assert difference_words(diff) == "first difference at token 1,482"
    assert difference_words(replace(diff, change="extended")) == ""
    assert difference_words(replace(diff, first_difference_token=None)) == ""


def test_each_cause_says_what_it_does_to_the_cache():
    diff = sample_diff()
    assert [effect_words(cause, diff) for cause in diff.causes[:2]] == [
        ("breaks here: −2,723", "err"),
        ("after the break", "t3"),
    ]
    cold = replace(diff.causes[0], lost_tokens=0)
    assert effect_words(cold, diff) == ("breaks here", "err")
    unknown = [effect_words(cause, diff, cached=False) for cause in diff.causes[:2]]
    assert unknown == [("differs from here", "t2"), ("", "t3")]
    assert not any("cache" in figure.unit or figure.token == "err" for figure in figures(diff, cached=False))
    calm = replace(diff, causes=diff.causes[1:])
    assert effect_words(calm.causes[0], calm) == ("added at the end", "ok")


def test_what_is_well_is_explained():
    diff = sample_diff()
    assert calm_words(diff) is None
    titles = [
        words[0]
        for change in ("identical", "extended")
        if (words := calm_words(replace(diff, change=change)))
    ]
    assert titles == ["Nothing differs", "The prefix is intact"]


def test_a_side_is_a_turn_or_the_next_request():
    diff = sample_diff()
    assert [side_name(diff.before), side_name(diff.after)] == ["Turn 8", "Next"]


def test_an_estimated_request_is_said_to_be_about_so_large():
    """The same bytes had 176 tokens beside 202, and “nothing differs” under them."""
    side = sample_diff().before
    assert (side_tokens(side), side_tokens(side._replace(exact=False))) == ("4,275", "≈ 4,275")


def test_the_whole_in_a_sentence():
    assert sentence(sample_diff()) == (
        "Turn 8, 4,275 tokens, against Next, 11,709 tokens: diverged. First difference at token 1,482."
    )
