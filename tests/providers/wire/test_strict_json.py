"""JSON as the standard has it."""

from __future__ import annotations

import pytest

from workbench.providers.wire.faults import Garbled
from workbench.providers.wire.strict_json import parse_json, parse_object


def test_a_value_is_read():
    assert parse_json('{"a": [1, "ü", null]}'.encode()) == {"a": [1, "ü", None]}


@pytest.mark.parametrize(
    "encoded",
    [
        b"",
        b"{",
        b"nul",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b'"\xff"',
        b'"\xc0\x80"',
        b"[" * 200_000,
        b"1" * 5_000,
        b"{'a': 1}",
    ],
)
def test_what_is_no_json_is_garbled(encoded: bytes):
    with pytest.raises(Garbled) as garbled:
        parse_json(encoded)
    assert (garbled.value.__cause__, garbled.value.__context__) == (None, None)


@pytest.mark.parametrize("encoded", [b"1", b"[]", b"null", b'"x"'])
def test_where_an_object_is_due_another_value_is_garbled(encoded: bytes):
    with pytest.raises(Garbled):
        parse_object(encoded)
