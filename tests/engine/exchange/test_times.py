"""Times of other programs become UTC, written in one way; nonsense becomes None."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.engine.exchange.foreign_json import from_stamp, parse_moment, to_stamp, to_utc


@pytest.mark.parametrize(
    ("given_time", "expected"),
    [
        ("2025-08-24T16:36:25.123Z", "2025-08-24T16:36:25.123Z"),
        ("2025-08-24T16:36:25.1234567+02:00", "2025-08-24T14:36:25.123Z"),
        ("2025-08-24T16:36:25Z", "2025-08-24T16:36:25Z"),
        ("2024/09/22 13:01:02", "2024-09-22T13:01:02Z"),
        (1693526400.5, "2023-09-01T00:00:00.500Z"),
        (0, "1970-01-01T00:00:00Z"),
        ("yesterday", None),
        ("9" * 100, None),
        (float(10**300), None),
        (float("nan"), None),
        (True, None),
        (None, None),
        ([], None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_a_time_becomes_utc(given_time: object, expected: str | None):
    assert to_utc(given_time) == expected


def test_a_stamp_is_that_of_elaras_names():
    moment = datetime(2025, 8, 24, 16, 36, 25, 123999, tzinfo=UTC)
    assert to_stamp(moment) == "20250824T163625123Z"
    assert from_stamp("20250824T163625123Z_0001_user.json") == "2025-08-24T16:36:25.123Z"
    assert from_stamp("20259924T163625123Z") is None
    assert from_stamp("a name") is None
    assert len(to_stamp(datetime(7, 1, 1, tzinfo=UTC))) == len("20250824T163625123Z")


@given(st.text(max_size=45) | st.integers() | st.floats())
def test_nothing_is_an_error(time: object):
    moment = parse_moment(time)
    assert moment is None or to_utc(to_utc(time)) == to_utc(time)


def test_less_than_a_millisecond_is_no_fraction():
    """It was written as .000, and without it once that was read again."""
    assert to_utc(0.0001) == "1970-01-01T00:00:00Z"
    assert to_utc(0.0015) == "1970-01-01T00:00:00.001Z"
