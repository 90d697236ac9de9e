"""Values of data files that people may extend."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.domain.errors import InvalidInput
from workbench.providers.catalogue import count, flag, listed, normalised, table, text


@pytest.mark.parametrize(
    ("read", "good", "bad"),
    [
        (table, {"a": 1}, [1]),
        (listed, [1], {"a": 1}),
        (text, "words", ""),
        (flag, True, 1),
        (count, 0, -1),
        (count, 5, True),
    ],
)
def test_a_value_is_what_it_must_be_or_its_place_is_named(
    read: Callable[[object, str], object], good: object, bad: object
):
    assert read(good, "family[0].x") == good
    with pytest.raises(InvalidInput, match=r"family\[0\]\.x: expected"):
        read(bad, "family[0].x")


def test_names_are_compared_without_case_and_dots():
    assert normalised("GPT-4.1") == normalised("gpt-4-1")
