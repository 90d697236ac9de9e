"""What a server says about a request before it is sent."""

from __future__ import annotations

import pytest

from workbench.domain.caching import CacheRules, Measurement, marks_off_answers, stable_marks
from workbench.domain.message import Role
from workbench.domain.request import RequestMessage


def test_a_request_has_as_many_tokens_as_ends():
    assert Measurement("Hi there", (2, 8), cached_tokens=1).prompt_tokens == 2


# Where a provider is told to keep what stands before.


def row(role: Role, text: str, *marks: int) -> RequestMessage:
    return RequestMessage(text, role, text, cache_marks=marks)


ROWS = (
    row("system", "abcdef", 3, 6),
    row("user", "one"),
    row("assistant", "two", 3),
    row("user", "three", 5),
)


def test_marks_stand_in_order():
    assert stable_marks(ROWS) == ((0, 3), (0, 6), (2, 3), (3, 5))


def test_an_answer_cannot_carry_one_and_the_newest_message_need_not():
    assert marks_off_answers(ROWS) == ((0, 3), (0, 6), (1, 3))


def test_where_nothing_stands_before_an_answer_there_is_no_mark():
    assert marks_off_answers((row("assistant", "two", 3), row("user", "x", 1))) == ()


# What of a common beginning a cache serves.


@pytest.mark.parametrize(
    ("minimum", "step", "shared", "served"),
    [(1, 1, 7, 7), (1, 1, 0, 0), (10, 1, 9, 0), (10, 1, 10, 10), (16, 8, 30, 24), (16, 8, 15, 0)],
)
def test_what_is_served_begins_at_the_minimum_and_goes_in_steps(
    minimum: int, step: int, shared: int, served: int
):
    rules = CacheRules("x", "prefix", "2026-01-01", "a guide", minimum_tokens=minimum, step_tokens=step)
    assert rules.served(shared) == served
