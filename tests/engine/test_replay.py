"""Replay: every turn through the same builder, each starting where the one before ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.domain.envelope import TrimState
from workbench.domain.model import CacheLifetime
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.trajectory import Trajectory, TrajectoryTurn
from workbench.engine.replay import replay

SETTINGS = ContextSettings(model="word-1")
LONG = "word " * 200


def turns(*given: dict[str, Any], **more: Any) -> list[Any]:
    made = tuple(TrajectoryTurn(**{"settings": SETTINGS, **turn}) for turn in given)
    reports = replay(Trajectory("talk", turns=made, **more), fake_builder())["turns"]
    assert [report["violations"] for report in reports] == [[] for _ in given]
    return list(reports)


def forms(report: Any, layer: int) -> dict[str, str]:
    return {row["id"]: row["form"] for row in report["layers"][layer]["segments"]}


def test_a_trajectory_without_turns_has_an_empty_report():
    assert replay(Trajectory("talk"), fake_builder()) == {"format": "workbench-report/1", "turns": []}


def test_an_artifact_is_full_once_and_then_referred_to():
    first, second = turns({"attach": (artifact("a"),), "question": user("q1")}, {"question": user("q2")})
    assert (forms(first, 1), forms(first, 3)) == ({}, {"a": "full"})
    assert (forms(second, 1), forms(second, 3)) == ({"a": "full"}, {"a": "reference"})


def test_detaching_comes_before_attaching():
    held = ({"attach": (artifact("a"), artifact("b"))}, {"detach": ("a",), "attach": (artifact("a"),)})
    assert list(forms(turns(*held)[1], 3)) == ["b", "a"]


def test_exclusions_and_pins_hold_until_they_are_taken_back():
    reports = turns(
        {"question": user("q1"), "reply": (assistant("r1"),)},
        {"exclude_messages": ("r1",)},
        {},
        {"include_messages": ("r1",)},
    )
    assert [forms(report, 2).get("r1") for report in reports] == [None, "excluded", "excluded", "full"]


def test_a_pinned_message_is_not_trimmed_until_it_is_unpinned():
    said = tuple(m for n in range(2) for m in (user(f"u{n}"), assistant(f"a{n}", LONG)))
    settings = ContextSettings(model="word-1", context_window=400, reserved_output_tokens=0)
    reports = turns(
        {"settings": settings, "pin_messages": ("a0",), "question": user("q1"), "reply": (assistant("r1"),)},
        {"settings": settings, "unpin_messages": ("a0",), "question": user("q2")},
        history=said,
    )
    assert [forms(report, 2)["a0"] for report in reports] == ["full", "trimmed"]


def test_a_given_trim_state_is_resumed_from():
    said = tuple(m for n in range(3) for m in (user(f"u{n}"), assistant(f"a{n}", LONG)))
    (report,) = turns({"question": user("q")}, history=said, trim=TrimState(4))
    assert report["trim"] == {
        "boundary": 4, "boundary_message": "u2", "trimmed_messages": ["a0", "a1"],
    }  # fmt: skip


def test_a_turn_that_is_only_reported_leaves_no_history():
    _, second = turns({"attach": (artifact("a"),)}, {"question": user("q")})
    assert (forms(second, 1), forms(second, 2)) == ({}, {})


@pytest.mark.parametrize(("lifetime", "warm"), [("5m", False), ("1h", True)])
def test_a_cache_s_lifetime_that_was_chosen_is_known_between_turns(lifetime: CacheLifetime, warm: bool):
    """An hour that was paid for was over after five minutes."""
    card = replace(WORD_MODEL, cache_rules="anthropic")
    chosen = replace(SETTINGS, system_prompt="word " * 6_000, cache_lifetime=lifetime)
    asked = tuple(
        TrajectoryTurn(chosen, now=when, question=user(f"q {when}"), reply=(assistant(f"a {when}"),))
        for when in ("2026-01-01T12:00:00Z", "2026-01-01T12:30:00Z")
    )
    report = replay(Trajectory("talk", turns=asked), fake_builder(card))
    assert (report["turns"][1]["cache"]["predicted_read_tokens"] > 0) is warm
