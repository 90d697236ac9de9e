"""Records and cells, byte by byte."""

from __future__ import annotations

import pytest

from workbench.storage.database.pages import (
    MISSING,
    ODD,
    TABLE_INNER,
    TABLE_LEAF,
    Unsound,
    cells_of,
    pages_below,
    values_of,
    varint,
)

# One byte each: nothing, -1, 0, 1, the text "ab", the bytes 01 02; then a number of two bytes, and one with a point.
RECORD = (
    bytes([9, 0, 1, 8, 9, 17, 16, 2, 7])
    + b"\xff"
    + b"ab"
    + b"\x01\x02"
    + b"\x01\x00"
    + b"\x3f\xf8"
    + bytes(6)
)
VALUES = [None, -1, 0, 1, "ab", b"\x01\x02", 256, 1.5]


@pytest.mark.parametrize(
    ("data", "value"),
    [(b"\x07", 7), (b"\x81\x00", 128), (b"\xff" * 9, 2**64 - 1)],
    ids=["one", "two", "nine"],
)
def test_numbers_of_any_length(data: bytes, value: int):
    assert varint(b"x" + data, 1) == (value, 1 + len(data))


def test_a_record_gives_its_values_as_far_as_they_are_there():
    assert list(values_of(RECORD, len(RECORD))) == VALUES
    assert list(values_of(RECORD[:-9], len(RECORD))) == [*VALUES[:6], MISSING, MISSING]
    for odd in (bytes([200]) + RECORD[1:], bytes([2, 200]), RECORD[:4]):
        with pytest.raises(ODD):
            list(values_of(odd, len(odd)))


def test_cells_are_those_of_the_list_and_pages_below_know_what_they_hold():
    leaf = bytes([TABLE_LEAF, 0, 0, 0, 1, 0, 0, 0, 0, 40]) + bytes(60)
    assert cells_of(leaf, 0) == [40]
    with pytest.raises(Unsound):
        cells_of(leaf[:9] + b"\x02" + leaf[10:], 0)
    inner = bytes([TABLE_INNER, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9, 0, 40]) + bytes(26) + bytes([0, 0, 0, 7, 5])
    assert list(pages_below(inner, 2, (0, 99))) == [(7, (0, 5)), (9, (5, 99))]
