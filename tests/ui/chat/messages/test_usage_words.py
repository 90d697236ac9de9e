"""The figures under an answer: each as it was reported, with the verdict on the cache."""

from __future__ import annotations

import pytest

from tests.ui.chat.chat_samples import turn
from workbench.ui.chat.messages.usage_words import PRICE, SECONDS, sentence, usage_groups

ROW = turn(1, "q", "a")


def words(**more: object) -> str:
    return sentence(usage_groups(turn(1, "q", "a", **more)))  # type: ignore[arg-type]


def test_the_line_of_the_picture(qapp: object):
    assert sentence(usage_groups(ROW)) == "4,275 in, 3,200 cached as predicted, 312 out, $0.0027, 13.4 s"


@pytest.mark.parametrize(
    ("verdict", "said", "token"),
    [
        ("as_predicted", "as predicted", "ok"),
        ("expired", "expired", "warn"),
        ("elsewhere", "evicted or routed elsewhere", "warn"),
        ("below_minimum", "too short for a cache", "t3"),
        ("lookback_exceeded", "too far back for the cache", "warn"),
        ("our_change", "the request changed", "warn"),
    ],
)
def test_every_verdict_has_an_icon_and_words(qapp: object, verdict: str, said: str, token: str):
    group = usage_groups(turn(1, "q", "a", verdict=verdict))[1]
    last = group.words[-1]
    assert (last.text, last.token) == (said, token)
    assert last.icon


def test_an_expired_cache_says_what_was_expected(qapp: object):
    assert "0 of 8,192 cached" in words(verdict="expired", cached_tokens=0, predicted_tokens=8_192)


def test_what_nobody_reported_is_said_to_be_estimated_or_unknown(qapp: object):
    said = words(prompt_tokens=None, cached_tokens=None, verdict="not_reported", completion_tokens=None)
    assert said.startswith("≈ 4,310 in, estimated, cache not reported")
    assert " out" not in said


def test_a_model_on_this_computer_has_no_price(qapp: object):
    assert "$" not in words(local=True, cost_usd=0.0)
    assert "$" not in words(cost_usd=None)


def test_of_a_stopped_answer_only_what_is_kept_counts(qapp: object):
    assert sentence(usage_groups(ROW, kept=True)) == "312 out kept, 13.4 s"


def test_seconds_go_before_the_price_where_there_is_no_room(qapp: object):
    ranks = [group.rank for group in usage_groups(ROW)]
    assert ranks == [0, 0, 0, PRICE, SECONDS]
    assert SECONDS > PRICE


def test_marks_that_were_taken_off_are_named(qapp: object):
    assert "<|im_end|> </s> taken off its end" in words(removed_marks=("<|im_end|>", "</s>"))
    assert "taken off" not in words()


def test_a_turn_of_several_requests_says_which_its_figures_are_about(qapp: object):
    assert words(requests=3, verdict="expired").startswith(
        "4,275 in 3 requests, 3,200 cached last: expired, 312 out"
    )


def test_more_than_was_predicted_is_said_so(qapp: object):
    assert "3,200 cached more than predicted" in words(verdict="more", predicted_tokens=0)
