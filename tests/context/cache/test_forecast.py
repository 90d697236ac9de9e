"""What llama.cpp will still have of a request, and how that compares with what it said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.context.cache.forecast import Served, verdict
from workbench.domain.caching import CacheForecast, Limit, Verdict
from workbench.domain.model import ModelCard
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.trajectory import Trajectory, TrajectoryTurn
from workbench.engine.replay import replay

BUILTIN = replace(WORD_MODEL, provider="builtin", cache_rules="llamacpp")
SETTINGS = ContextSettings(model="word-1", system_prompt="Be brief.")
FIRST = TrajectoryTurn(SETTINGS, question=user("q1", "one two"), reply=(assistant("a1", "three four five"),))
SECOND = TrajectoryTurn(SETTINGS, question=user("q2", "six"), reply=(assistant("a2", "seven"),))


def caches(card: ModelCard, *turns: TrajectoryTurn) -> list[tuple[int, int] | None]:
    """Predicted reads and writes of a replay's turns."""
    report = replay(Trajectory("talk", turns=turns), fake_builder(card))
    found = [turn["cache"] for turn in report["turns"]]
    return [one and (one["predicted_read_tokens"], one["predicted_write_tokens"]) for one in found]


@pytest.mark.parametrize("provider", ["builtin", "gguf"])
def test_what_was_read_and_answered_is_still_there(provider: str):
    # 6 for each of the first two messages, 2 to open the answer, 3 words of it; the new question costs 5, and 2 open.
    assert caches(replace(BUILTIN, provider=provider), FIRST, SECOND) == [(0, 14), (17, 9)]


@pytest.mark.parametrize(
    "card", [replace(BUILTIN, cache_rules="nobody's"), replace(BUILTIN, cache_rules=None), WORD_MODEL]
)
def test_where_the_rules_are_not_known_here_nothing_is_predicted(card: ModelCard):
    assert caches(card, FIRST, SECOND) == [None, None]


def test_after_a_change_only_what_stands_before_it_is_there():
    changed = replace(SECOND, settings=replace(SETTINGS, system_prompt="Be brief now."))
    first, second = caches(BUILTIN, FIRST, changed)
    assert first == (0, 14)
    assert second is not None
    assert second[0] < 6


def test_attached_text_leaves_the_question_and_with_it_the_cache():
    attached = replace(FIRST, attach=(artifact("a", "text"),))
    _, second = caches(BUILTIN, attached, SECOND)
    assert second is not None
    assert second[0] < 14


def test_at_least_one_token_is_read_again():
    nothing_asked = TrajectoryTurn(SETTINGS)
    first, second = caches(BUILTIN, nothing_asked, nothing_asked)
    # Nothing was sent the first time.
    assert first == second == (0, 8)


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (None, "not_reported"),
        (1000, "as_predicted"),
        (1001, "as_predicted"),
        (980, "as_predicted"),
        (979, "less"),
        (751, "less"),
        (750, "elsewhere"),
        (0, "elsewhere"),
        (1021, "more"),
    ],
)
def test_a_forecast_is_judged_by_what_was_reported(reported: int | None, expected: Verdict):
    assert verdict(CacheForecast("x", 1000, 1000), Served(2000, reported)) == expected


@pytest.mark.parametrize(("reported", "expected"), [(90, "less"), (97, "as_predicted"), (34, "elsewhere")])
def test_a_few_tokens_short_is_neither_elsewhere_nor_as_predicted(reported: int, expected: Verdict):
    assert verdict(CacheForecast("x", 98, 2, exact=True), Served(100, reported)) == expected


def test_something_where_nothing_was_foretold_is_more():
    assert verdict(CacheForecast("x", 0, 5_000), Served(5_000, 34)) == "more"


def test_one_step_of_the_rules_is_no_difference():
    foretold = CacheForecast("x", 1024, 1000, exact=True, step_tokens=128)
    said = [verdict(foretold, Served(2024, n)) for n in (896, 1152, 895, 1153)]
    assert said == ["as_predicted", "as_predicted", "less", "more"]


@pytest.mark.parametrize(
    ("reported", "expected"), [(400, "our_change"), (395, "our_change"), (100, "elsewhere")]
)
def test_a_change_of_ours_is_to_blame_where_it_came_after_what_was_shown(reported: int, expected: Verdict):
    shown = CacheForecast("x", 1000, 1000)
    assert verdict(shown, Served(2000, reported, sent_tokens=400)) == expected


def test_a_cache_that_is_older_than_it_lives_has_expired():
    served = Served(2000, 0, aged_out=True)
    assert verdict(CacheForecast("x", 1000, 1000), served) == "expired"


@pytest.mark.parametrize("limit", ["below_minimum", "lookback_exceeded"])
def test_why_a_cache_serves_nothing_is_told_where_that_was_foreseen(limit: Limit):
    foretold = CacheForecast("x", 0, 900, limit=limit)
    assert verdict(foretold, Served(900, 0)) == limit
    assert verdict(foretold, Served(900, 512)) == "more"
