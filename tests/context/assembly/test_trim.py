"""Lazy trimming with a frozen boundary: the RFC's steps, and the guards it lacks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.counter import LetterCounter
from tests.fakes.turns import segment, wire
from workbench.context.assembly.leaving import Leaving
from workbench.context.assembly.trim import (
    Trimmed,
    TrimRequest,
    keep_n_end,
    newest_exchange,
    resolve_boundary,
    retrim_history,
    trim_history,
)
from workbench.domain.envelope import Budget, TrimState, WireMessage

HUNDRED = "x" * 100


def talk(turns: int, answer: str = HUNDRED) -> tuple[WireMessage, ...]:
    """Questions of one letter and long answers: 2 and 101 tokens with the framing."""
    return tuple(
        message
        for n in range(turns)
        for message in (
            wire(f"u{n}", "user", segment(f"u{n}", "?", placeholder=None)),
            wire(f"a{n}", "assistant", answer),
        )
    )


def trim(messages: tuple[WireMessage, ...], limit: int | None, **changes: Any) -> Trimmed:
    given: dict[str, Any] = {
        "state": TrimState(), "other_raw": 0, "fixed_tokens": 0, "keep_last_n": 1,
        "newest_exchange": len(messages), "target": limit or 0, **changes,
    }  # fmt: skip
    budget = Budget(limit or 10_000, 0, limit, given.pop("target"))
    return trim_history(TrimRequest(messages=messages, budget=budget, **given), LetterCounter())


def cut(found: Trimmed) -> tuple[int, list[str]]:
    return found.state.boundary, list(found.trimmed_ids)


def test_up_to_the_threshold_nothing_happens_and_no_state_is_written():
    messages = talk(3)
    found = trim(messages, limit=309)
    assert (found.sent, found.state, found.trimmed_ids) == (messages, TrimState(), ())


def test_first_everything_up_to_the_keep_n_end():
    found = trim(talk(3), limit=308)
    assert (cut(found), found.state.boundary_message) == ((5, ["a0", "a1"]), "a2")


def test_then_message_by_message_until_it_fits():
    assert cut(trim(talk(4), limit=320, keep_last_n=4)) == (4, ["a0", "a1"])


def test_the_budget_is_hard_and_keep_n_is_best_effort():
    assert cut(trim(talk(3), limit=50, keep_last_n=3)) == (6, ["a0", "a1", "a2"])


def test_with_headroom_it_goes_further_so_that_the_boundary_stays():
    assert cut(trim(talk(4), limit=400, target=200, keep_last_n=4)) == (6, ["a0", "a1", "a2"])


def test_trimming_starts_at_the_threshold_not_at_the_target():
    assert cut(trim(talk(3), limit=309, target=100)) == (0, [])


def test_what_is_trimmed_is_the_placeholder_with_its_original_kept():
    found = trim(talk(1), limit=50, keep_last_n=0).sent[1].segments[0]
    assert (found.text, found.form, found.original) == ("[trimmed]", "trimmed", HUNDRED)


def test_an_old_boundary_is_applied_again_below_the_threshold():
    found = trim(talk(3), limit=10_000, state=TrimState(4))
    assert cut(found) == (4, ["a0", "a1"])


def test_an_old_boundary_is_applied_again_without_a_threshold():
    assert cut(trim(talk(3), limit=None, state=TrimState(4))) == (4, ["a0", "a1"])


def test_a_boundary_never_moves_back():
    found = trim(talk(4), limit=390, state=TrimState(6), keep_last_n=3)
    assert cut(found) == (6, ["a0", "a1", "a2"])


def test_a_boundary_beyond_history_stays():
    found = trim(talk(1), limit=10_000, state=TrimState(20))
    assert found.state == TrimState(20, None)


def test_a_boundary_by_its_message_survives_deletions_before_it():
    """By index alone, deleting the first exchange would untrim nothing and trim one answer too many."""
    state = trim(talk(4), limit=10_000, state=TrimState(4)).state
    assert state == TrimState(4, "u2")
    assert cut(trim(talk(4)[2:], limit=10_000, state=state)) == (2, ["a1"])


def test_a_boundary_in_a_merged_message_is_found():
    merged = wire("u", "user", segment("u", "1"), segment("v", "2"), merged=True)
    assert resolve_boundary((*talk(1), merged), TrimState(9, "v")) == 2


def test_a_boundary_whose_message_is_gone_falls_back_to_its_index():
    assert resolve_boundary(talk(2), TrimState(3, "deleted")) == 3


@pytest.mark.parametrize("answer", ["", "ok", "[trimmed]", "123456789"])
def test_a_message_no_larger_than_the_placeholder_is_never_trimmed(answer: str):
    """The reference grows 210 tokens to 221 on short texts."""
    messages = talk(5, answer)
    found = trim(messages, limit=1)
    assert found.trimmed_ids == ()
    assert [m.content for m in found.sent] == [m.content for m in messages]


def test_one_part_of_a_merged_message_may_be_trimmed_and_another_not():
    results = (segment("r1", HUNDRED, tool_call_id="c1"), segment("r2", "ok", tool_call_id="c2"))
    found = trim((wire("r1", "tool", *results, merged=True),), limit=50, keep_last_n=0)
    assert cut(found) == (1, ["r1"])


def test_the_newest_exchange_is_never_trimmed():
    messages = talk(2)
    found = trim(messages, limit=10, keep_last_n=0, newest_exchange=newest_exchange(messages, False))
    assert cut(found) == (2, ["a0"])


def test_a_new_question_opens_an_exchange_of_its_own():
    assert newest_exchange(talk(2), has_question=True) == 4
    assert newest_exchange(talk(2), has_question=False) == 2
    assert newest_exchange((wire("a", "assistant", "x"),), has_question=False) == 0


def test_pinned_messages_are_passed_over():
    pinned = wire("a0", "assistant", segment("a0", HUNDRED, placeholder=None))
    messages = (talk(1)[0], pinned, *talk(3)[2:])
    assert cut(trim(messages, limit=150, keep_last_n=0)) == (6, ["a1", "a2"])


def test_what_is_not_history_counts():
    assert cut(trim(talk(1), limit=150, other_raw=50, keep_last_n=0))[1] == ["a0"]
    assert cut(trim(talk(1), limit=150, fixed_tokens=50, keep_last_n=0))[1] == ["a0"]
    assert cut(trim(talk(1), limit=150, other_raw=47, keep_last_n=0))[1] == []


def test_messages_that_the_caps_emptied_cost_nothing_and_stay_empty():
    messages = (wire("u0", "user"), wire("a0", "assistant"), *talk(3)[2:])
    assert cut(trim(messages, limit=150, keep_last_n=0)) == (6, ["a1", "a2"])


@pytest.mark.parametrize(("keep", "end"), [(0, 6), (1, 5), (2, 3), (3, 1), (4, 0)])
def test_the_keep_n_end_is_the_nth_last_answer(keep: int, end: int):
    assert keep_n_end(talk(3), keep) == end


def test_the_target_itself_is_low_enough():
    # Four exchanges are 412; each trimmed answer saves 91.
    assert cut(trim(talk(4), limit=400, target=412 - 91, keep_last_n=4)) == (2, ["a0"])
    assert cut(trim(talk(4), limit=400, target=412 - 92, keep_last_n=4)) == (4, ["a0", "a1"])
    assert cut(trim(talk(4), limit=400, target=412 - 2 * 91, keep_last_n=2)) == (5, ["a0", "a1"])


def test_the_threshold_itself_is_not_over_after_the_old_boundary():
    found = trim(talk(3), limit=309 - 91, state=TrimState(2))
    assert cut(found) == (2, ["a0"])


def test_the_boundary_stands_after_the_last_message_that_was_really_trimmed():
    messages = (
        *talk(1),
        wire("u1", "user", segment("u1", "?", placeholder=None)),
        wire("a1", "assistant", "ok"),
    )
    assert cut(trim(messages, limit=5, keep_last_n=3)) == (2, ["a0"])


def test_without_any_question_nothing_is_trimmed():
    lone = (wire("a", "assistant", HUNDRED),)
    assert cut(trim(lone, limit=10, keep_last_n=0, newest_exchange=newest_exchange(lone, False))) == (0, [])


def test_a_question_without_an_answer_is_the_newest_exchange():
    assert newest_exchange((*talk(1), wire("u", "user", "?")), has_question=False) == 2


def test_the_boundary_does_not_pass_an_answer_that_is_protected_now():
    """Otherwise the next turn would find it behind the boundary, and cut it without need."""
    messages = talk(3)
    found = trim(messages, limit=300, keep_last_n=0, newest_exchange=newest_exchange(messages, False))
    assert (cut(found), found.state.boundary_message) == ((5, ["a0", "a1"]), "a2")


def test_a_boundary_at_the_end_stands_before_the_question():
    found = trim(talk(1), limit=50, keep_last_n=0, asked="q")
    assert found.state == TrimState(2, "q")


def test_a_boundary_at_the_end_has_no_message_where_the_question_would_be_joined():
    question = wire("u", "user", segment("u", "?", placeholder=None))
    found = trim((*talk(1), question), limit=50, keep_last_n=0, asked="q")
    assert found.state == TrimState(3, None)


def test_a_boundary_beyond_the_end_has_no_message():
    assert trim(talk(1), limit=10_000, state=TrimState(9), asked="q").state == TrimState(9, None)


def test_headroom_alone_does_not_cost_the_newest_answer():
    """Far under the threshold, the answer a follow-up question is about stays, though the target is not reached."""
    messages = talk(3)
    request = TrimRequest(
        messages=messages,
        state=TrimState(),
        budget=Budget(400, 0, 200, 10),
        other_raw=0,
        fixed_tokens=0,
        keep_last_n=1,
        newest_exchange=len(messages),
    )
    trimmed = trim_history(request, LetterCounter())
    assert trimmed.trimmed_ids == tuple(message.id for message in messages[1:5:2])


class AskedCounter(LetterCounter):
    """Counts letters, and how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """Remembered."""
        self.asked += 1
        return super().costs(message)


def test_what_was_trimmed_before_is_priced_once_a_build():
    """Each build compared the price of every old answer with that of its placeholder again, message by message."""
    messages, counter = talk(50), AskedCounter()
    budget = Budget(500, 0, 500, 500)
    request = TrimRequest(messages, TrimState(), budget, 0, 0, 1, len(messages))
    state = trim_history(request, counter).state
    retrim_history(replace(request, state=state), counter)
    counter.asked = 0
    again = retrim_history(replace(request, state=state), counter)
    assert again.state == state
    assert counter.asked <= len(messages)


@pytest.mark.parametrize("limit", [10_000, 400, 250, 50])
@pytest.mark.parametrize("when_full", ["placeholders", "exchanges"])
def test_what_is_sent_costs_what_is_told(limit: int, when_full: str):
    leaving = Leaving(frozenset(), "", lambda message: None) if when_full == "exchanges" else None
    found = trim(talk(6), limit=limit, leaving=leaving)
    again = trim(talk(6), limit=limit, leaving=leaving, state=found.state)
    for one in (found, again):
        line = () if one.left is None else (wire("left", "user", one.left),)
        told = LetterCounter().raw_cost((*one.sent, *line))
        # The line about what left opens the question where nothing else is sent.
        assert one.raw == told if not line else told <= one.raw <= told + 2
