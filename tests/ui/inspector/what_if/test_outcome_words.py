"""What trying out would do, in sentences."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from tests.fakes.sample_envelope import over_view, sample_view
from tests.fakes.sample_state import sample_trial
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import WhatIf
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.what_if.outcome_words import (
    change_words,
    choice_words,
    idle_sentence,
    trial_sentence,
    value_words,
)
from workbench.ui.inspector.what_if.values import tried_settings

TRIED = tried_settings(ContextSettings)
VIEW = sample_view()
TURNS = (RowKey("L4_STRIP", "turns 1-6"),)
FILE = (RowKey("L3_TURN", "src/auth.py"),)


def test_the_sentence_of_the_picture():
    said = trial_sentence(VIEW, sample_trial())
    assert said.words == (
        "Applying drops turns 1–6 and re-reads 2,370 of 4,205 cached tokens: +$0.0001 this turn."
    )
    assert (said.tone, said.icon) == ("warn", "warn")


def test_what_saves_is_no_warning():
    trial = replace(sample_trial(), lost_tokens=0, extra_cost_usd=-0.0002)
    said = trial_sentence(VIEW, trial)
    assert said.words == "Applying drops turns 1–6: −$0.0002 this turn."
    assert (said.tone, said.icon) == ("ok", "check")


@pytest.mark.parametrize(
    ("falls", "returns", "lost", "cost"),
    list(product([(), TURNS], [(), FILE], [0, 2_370], [None, 0.0001, -0.0001])),
)
def test_every_case_has_a_whole_sentence(falls, returns, lost, cost):
    trial = replace(sample_trial(), falls=falls, returns=returns, lost_tokens=lost, extra_cost_usd=cost)
    words = trial_sentence(VIEW, trial).words
    assert words.startswith("Applying ")
    assert words.endswith(".")
    assert "{" not in words
    assert ("turns 1–6" in words) == bool(falls)
    assert ("src/auth.py" in words) == bool(returns)
    assert ("2,370 of 4,205" in words) == bool(lost)
    assert ("$0.0001" in words) == (cost is not None)


def test_the_same_size_with_the_same_rows_changes_nothing():
    trial = replace(sample_trial(), view=VIEW, falls=(), lost_tokens=0, extra_cost_usd=None)
    assert trial_sentence(VIEW, trial).words == "Applying changes no row of this request."


def test_what_does_not_fit_is_said_first():
    said = trial_sentence(VIEW, replace(sample_trial(), view=over_view()))
    assert said.words == "Applying leaves the request 14,486 tokens over its limit."
    assert said.tone == "err"


def test_idle_it_says_what_to_do():
    assert idle_sentence().words.startswith("Move a control")


@pytest.mark.parametrize("name", TRIED)
def test_every_control_has_a_name_and_an_explanation(name: str):
    tried = TRIED[name][1]
    assert tried.label
    assert tried.hint.endswith(".")


def test_values_in_words():
    assert value_words(TRIED["context_window"][0], 16_000) == "16,000"
    assert value_words(TRIED["history.threshold"][0], 80) == "80 %"
    assert value_words(TRIED["history.last_n_messages"][0], None) == "off"
    assert change_words("10", "2") == "10 → 2"
    assert choice_words(TRIED["freshness"][1], "freeze") == "keep the copy"
    assert [choice_words(WhatIf("Switch", "On or off."), on) for on in (True, False)] == ["on", "off"]
