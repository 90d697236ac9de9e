"""Waiting times on the command line."""

from __future__ import annotations

import pytest

from workbench.cli.ask.question import split_timeouts
from workbench.domain.errors import InvalidInput


def test_waiting_times_are_told_apart_from_settings():
    found = split_timeouts({"timeouts.connect_s": 2, "model": "m", "timeouts.first_token_s": 1.5})
    assert found == ({"connect_s": 2.0, "first_token_s": 1.5}, {"model": "m"})


@pytest.mark.parametrize("value", [0, -1, True, "1", None, 86_401, float("nan"), float("inf")])
def test_a_wait_is_a_number_of_seconds(value: object):
    with pytest.raises(
        InvalidInput, match=r"timeouts\.idle_s: expected a number of seconds > 0 and <= 86400, got "
    ):
        split_timeouts({"timeouts.idle_s": value})


def test_an_unknown_wait_is_named_with_the_known_ones():
    with pytest.raises(InvalidInput, match=r"timeouts\.idle: .*connect_s, first_token_s, idle_s"):
        split_timeouts({"timeouts.idle": 1})
