"""Reasons that were once wrong: a step with one thing changed names that thing, and counts what is there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trajectories.support import Json, causes, file, layer, replayed, segment

NOON = {"now": "2026-01-01T12:00:00Z"}
TALK: list[Json] = [
    {"id": f"{role[0]}{number}", "role": role, "content": f"{role} words {number}"}
    for number in (1, 2, 3)
    for role in ("user", "assistant")
]
LONG = "## Part\n\n" + "Words of a long text. " * 30


def reasons(*turns: Json, **settings: Any) -> list[tuple[str, str | None]]:
    """Why the last turn moved the prefix."""
    return causes(replayed(*turns, **settings)[-1])


def test_a_time_that_is_gone_from_a_request_nobody_sent():
    assert reasons(NOON, {}, before=TALK) == [("turn_context", "time")]


def test_a_file_that_a_budget_dropped_was_not_detached():
    attach = {"attach": [file("a", "words " * 20, priority=10)]}
    tight = {"attachment_budget_tokens": 30}
    assert reasons(attach, {"settings": tight}) == [("settings", "a")]
    more = {"attach": [{"kind": "selection", "text": "selected words"}]}
    assert reasons(attach, more, attachment_budget_tokens=60) == [("pruned", "a"), ("attached", "selection")]


def test_a_file_detached_and_attached_again_before_asking_stands_last():
    both = {"attach": [file("a", "1"), file("b", "2")]}
    assert reasons(both, {"detach": ["a"], "attach": [file("a", "1")]}) == [("attached", "a")]


def test_the_last_question_excluded():
    turns = ({"user": "One?", "reply": "Yes."}, {"user": "Two?", "exclude_messages": ["m1"]})
    assert reasons(*turns) == [("excluded", "m1")]


def test_a_pinned_message_that_a_cap_had_cut():
    capped = {"last_n_messages": 2}
    assert reasons({}, {"pin_messages": ["u1"]}, before=TALK, history=capped) == [("trimmed", "u1")]


@pytest.mark.parametrize("caps", [(6, 2), (2, 6), (None, 0)])
def test_another_cap_is_a_setting(caps: tuple[int | None, int | None]):
    before, after = ({"settings": {"history": {"last_n_messages": cap}}} for cap in caps)
    ((cause, _),) = reasons({**before, "user": "?"}, {**after, "user": "??"}, before=TALK)
    assert cause == "settings"


def test_a_library_that_shows_the_newest_copy_again_is_a_setting():
    """The file changed long ago; what changed now is the rule."""
    turns = (
        {"attach": [file("a", "old")], "user": "1"},
        {"attach": [file("a", "new")], "user": "2"},
        {"user": "3"},
    )
    found = reasons(*turns, {"user": "4", "settings": {"freshness": "refresh"}}, freshness="freeze")
    assert ("settings", "a") in found
    assert "file_changed" not in dict(found)


def test_a_shorter_preview_is_a_setting():
    turns = (
        {"attach": [file("a", LONG)], "user": "1", "reply": "1"},
        {"detach": ["a"], "user": "2", "reply": "2"},
    )
    short = {"compaction": {"section_chars": 40}}
    found = reasons(
        *turns, {"user": "3", "settings": short}, compaction={"verbatim_chars": 200, "section_chars": 90}
    )
    assert found == [("settings", "a")]


def test_the_place_of_a_divergence_is_what_is_gone():
    """Not its neighbour, which is the same in both requests."""
    attach = {"attach": [file("a", "1"), file("b", "2", priority=10)], "user": "1", "reply": "1"}
    tight = {"user": "3", "settings": {"attachment_budget_tokens": 62}}
    *_, turn = replayed(attach, {"user": "2", "reply": "2"}, tight, counter="chars4")
    assert [one["id"] for one in turn["pruned"]] == ["b"]
    assert turn["prefix"]["diverges_at"]["segment"] == "b"


def test_an_empty_request_has_nothing_to_reuse():
    _, turn = replayed({}, {})
    assert (turn["total_tokens"], turn["prefix"]["reused_tokens"]) == (0, 0)


def test_a_text_that_saves_the_one_before_it_a_token_does_not_cost_less_than_nothing():
    """A line end and a blank are two tokens; with the separator of the next message they are one."""
    talk = [{"id": key, "role": "assistant", "content": text} for key, text in (("a", "\n "), ("b", ""))]
    (turn,) = replayed({"user": "Go"}, before=talk)
    assert (segment(turn, "L4", "a")["tokens"], segment(turn, "L4", "b")["tokens"]) == (5, 0)
    assert layer(turn, "L4")["tokens"] + layer(turn, "L5")["tokens"] == turn["total_tokens"]
    assert turn["violations"] == []
