"""What the words for common bounds mean."""

from __future__ import annotations

from typing import get_args

from workbench.domain.reading.constraints import (
    Above,
    Between,
    Count,
    Name,
    NotEmpty,
    Positive,
    Seconds,
    Share,
)


def test_common_bounds_have_a_name():
    assert [get_args(one) for one in (Count, Positive)] == [(int, Between(0)), (int, Between(1))]
    assert get_args(Share) == (float, Above(0, 1))
    assert get_args(Seconds) == (float, Above(0, 86_400, "a number of seconds"))
    assert get_args(Name) == (str, NotEmpty())
