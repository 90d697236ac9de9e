"""How long a server asks to be left alone."""

from __future__ import annotations

import pytest

from workbench.providers.harness.failures import retry_after_s

NOW = "Sun, 01 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-7"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Sun, 01 Nov 2026 10:02:00 GMT", "date": NOW}, 120.0),
        ({"retry-after": "Sun, 01 Nov 2026 09:00:00 GMT", "date": NOW}, 0.0),
        ({"retry-after": "Sun, 01 Nov 2026 10:02:00 GMT"}, None),
        ({"retry-after": "Sun, 01 Nov 2026 10:02:00", "date": NOW}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "soon", "date": "never"}, None),
        ({"retry-after": "Sun, 01 Nov 99999999999 10:02:00 GMT", "date": NOW}, None),
    ],
)
def test_seconds_milliseconds_and_dates_are_understood(headers: dict[str, str], seconds: float | None):
    assert retry_after_s(headers) == seconds
