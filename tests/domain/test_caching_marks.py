"""Where a provider is told to keep what stands before."""

from __future__ import annotations

from workbench.domain.caching import marks_off_answers, stable_marks
from workbench.domain.message import Role
from workbench.domain.request import RequestMessage


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
