"""Failures in words: every kind has a title and a remedy, and nothing secret is in the details."""

from __future__ import annotations

import pytest

from tests.ui.chat.chat_samples import turn
from workbench.domain.answer import FAILURE_KINDS, Failure, FailureKind
from workbench.ui.chat.messages.failure_card import (
    details_of,
    failure_look,
    interruption,
    remedy_words,
)
from workbench.ui.look.icons import has_icon
from workbench.ui.model_button import model_name


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_every_kind_has_a_title_an_icon_and_a_way_out(qapp: object, kind: FailureKind):
    look = failure_look(Failure(kind, "x"))
    assert look.title
    assert has_icon(look.icon)
    assert look.remedies
    for remedy in look.remedies:
        icon, words = remedy_words(remedy)
        assert words
        assert has_icon(icon)


def test_a_refused_key_is_replaced_first(qapp: object):
    assert failure_look(Failure("auth", "x")).remedies[0] == "key"


def test_details_have_the_figures_that_are_known(qapp: object):
    failure = Failure("context", "x", retry_after_s=60, limit_tokens=8_192, asked_tokens=11_686)
    said = details_of(failure, turn(3, "q", None))
    for part in ("context", "8,192", "11,686", "1 min 0 s", "openai:gpt-4.1-mini", "turn 3", "14:08"):
        assert part in said
    assert details_of(Failure("network", "x"), None) == "kind: network"


def test_an_interruption_says_what_is_kept(qapp: object):
    assert interruption(Failure("network", "The line is down."), turn(1, "q", "a")) == (
        "The line is down. 312 tokens are kept."
    )
    assert interruption(None, None) == "The answer was cut off. What arrived is kept."


def test_a_model_is_called_by_its_short_name_and_cannot_play_tricks(qapp: object):
    assert model_name("openai:gpt-4.1-mini") == "gpt-4.1-mini"
    assert "\u202e" not in model_name("openai:\u202egnp")
