"""What a cache did with a turn, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from tests.fakes.requests_shown import scripted_state
from workbench.domain.answer import Failure
from workbench.domain.caching import Verdict
from workbench.domain.record import TurnState
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui.inspector.rows.verdict_words import (
    cache_line,
    expired,
    notable_turn,
    our_break,
    turn_badge,
    turn_description,
    turn_headline,
    turn_sentence,
    turns_summary,
)
from workbench.ui.look.icons import has_icon


def turn(number: int) -> TurnRow:
    return scripted_state()[1].turns[number - 1]


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_every_verdict_has_a_badge_and_a_sentence(qapp, verdict: Verdict):
    told = replace(turn(8), verdict=verdict)
    badge = turn_badge(told)
    assert badge is not None
    assert badge.word
    assert not badge.icon or has_icon(badge.icon)
    assert turn_sentence(told)


@pytest.mark.parametrize("state", [state for state in get_args(TurnState) if state != "complete"])
def test_a_turn_that_did_not_end_well_says_so(qapp, state: TurnState):
    badge = turn_badge(replace(turn(8), state=state, verdict=None))
    assert badge is not None
    assert has_icon(badge.icon)


def test_the_badge_is_the_verdict_on_the_forecast_even_where_our_own_change_broke_the_prefix():
    badge = turn_badge(turn(7))
    assert badge is not None
    assert (badge.tone, badge.word) == ("ok", "as predicted")
    assert our_break(turn(7)) == (False, "trimmed")
    assert our_break(turn(8)) is None


def test_a_rebuild_that_was_free_is_no_break():
    cold = replace(turn(8), rebuilt="cold", broke="rebuilt", broke_subject="cold")
    assert our_break(cold) == (True, "cold: free")
    assert turn_headline(cold) == ("rebuilt, cold: free", "warn")
    assert turn_sentence(cold) == "Rebuilt: the cache was cold, so it was free."
    assert notable_turn((turn(7), cold)) == 7
    over = replace(turn(8), rebuilt="over_threshold", broke="rebuilt", broke_subject="over_threshold")
    assert our_break(over) == (False, "over threshold")
    assert turns_summary((over,)) == "1, turn 8 broke the prefix"
    held = replace(turn(8), rebuilt="secret", broke="rebuilt", broke_subject="secret")
    assert our_break(held) == (False, "a key in it")
    assert turn_sentence(held) == "Rebuilt: an old copy in it held a key or a password."
    grown = replace(turn(8), rebuilt="asked")
    assert turn_sentence(grown) == "Rebuilt: you asked for it."
    assert our_break(replace(turn(1), rebuilt="first")) is None


def test_the_first_request_had_nothing_to_reuse():
    badge = turn_badge(turn(1))
    assert badge is not None
    assert badge.word == "first request"
    assert turn_sentence(turn(1)) == "The first request: there was nothing to reuse."
    assert turn_badge(replace(turn(1), number=3)) is None


def test_a_cache_that_had_forgotten_is_not_our_change():
    assert [number for number in range(1, 9) if expired(turn(number))] == [5]
    assert turn_headline(turn(5)) == ("expired", "warn")
    assert turn_headline(turn(7)) == ("prefix broke", "err")


def test_why_the_prefix_broke_is_a_sentence():
    assert turn_sentence(turn(7)) == "History trimmed up to message 12."
    changed = replace(turn(7), broke="file_changed", broke_subject="docs/api.md")
    assert turn_sentence(changed) == "docs/api.md changed on disk."


def test_a_failed_turn_says_what_its_provider_said():
    failed = replace(
        turn(8), state="failed", failure=Failure("rate", "Too many requests. Nothing was charged.")
    )
    assert turn_headline(failed) == ("failed", "err")
    assert turn_sentence(failed) == "Too many requests. Nothing was charged."


def test_what_was_predicted_and_what_was_reported():
    assert cache_line(turn(7)) == "Cache: 1,792 predicted, 1,792 reported."
    assert cache_line(turn(1)) == "Cache: 0 reported."
    assert cache_line(replace(turn(8), cached_tokens=None)) == "Cache: 3,200 predicted, nothing reported."


def test_where_no_cache_is_known_nothing_of_it_is_told_as_lost():
    """A server that says nothing about a cache had red marks: promoted, prefix broke."""
    unknown = replace(turn(8), broke="promoted", predicted_tokens=None, cached_tokens=None, verdict=None)
    assert our_break(replace(unknown, predicted_tokens=0)) == (False, "promoted")
    assert our_break(unknown) is None
    assert turn_headline(unknown) == ("", "t2")
    assert cache_line(unknown) == "The server reports no cache use."
    assert turns_summary((unknown,)) == "1"
    assert our_break(replace(unknown, rebuilt="settings")) is None


def test_a_turn_is_described_in_whole_sentences():
    assert turn_description(turn(7)) == (
        "Turn 7: 3,379 tokens in, 835 out. Cache: 1,792 predicted, 1,792 reported. Prefix broke. "
        "History trimmed up to message 12."
    )


def test_all_turns_in_a_few_words():
    turns = scripted_state()[1].turns
    assert turns_summary(turns) == "8, turn 7 broke the prefix"
    assert turns_summary(turns[:5]) == "5, the cache had expired in turn 5"
    assert turns_summary(turns[:4]) == "4"
    assert turns_summary(()) == "none yet"


def test_the_turn_to_look_at_first_is_the_last_that_missed_its_cache():
    turns = scripted_state()[1].turns
    assert notable_turn(turns) == 7
    assert notable_turn(turns[:6]) == 5
    assert notable_turn(turns[:4]) == 4
    assert notable_turn(()) is None


def test_a_turn_of_several_requests_compares_its_forecast_with_the_last(qapp: object):
    """What the cache served of all requests was held against the forecast of one."""
    several = replace(turn(8), requests=3, cached_tokens=9_000, last_cached_tokens=3_100)
    assert cache_line(several) == "Cache of the last request: 3,200 predicted, 3,100 reported."
    assert "tokens in 3 requests" in turn_description(several)


def test_a_server_that_cut_off_in_silence_is_named_before_all_else():
    cut = replace(turn(8), truncated=True)
    badge = turn_badge(cut)
    assert badge is not None
    assert (badge.tone, badge.word) == ("err", "cut by the server")
    assert turn_sentence(cut).startswith("The server read far less than was sent")


def test_more_than_was_predicted_is_said_so(qapp):
    cold = replace(turn(8), verdict="more", predicted_tokens=0, cached_tokens=turn(8).total_tokens // 2)
    badge = turn_badge(cold)
    assert badge is not None
    assert (badge.tone, badge.word) == ("ok", "more than predicted")
    assert turn_sentence(cold) == "The cache served more than its rules promise."
