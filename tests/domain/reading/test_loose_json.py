"""Values out of JSON that others wrote."""

from __future__ import annotations

import pytest

from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in

ODD: list[object] = [None, True, 1.5, "x", [], {}, -1, 2**31, 10**30]


@pytest.mark.parametrize("value", ODD)
def test_a_value_of_another_type_is_nothing(value: object):
    place = {"k": value}
    assert text_in(place, "k") == (value if isinstance(value, str) else "")
    assert count_in(place, "k") is None
    assert table_in(place, "k") == {}
    assert tables_in(place, "k") == []


def test_a_missing_value_is_nothing():
    assert (text_in({}, "k"), count_in({}, "k"), table_in({}, "k"), tables_in({}, "k")) == ("", None, {}, [])


def test_zero_is_a_count():
    assert count_in({"k": 0}, "k") == 0


def test_only_objects_of_a_list_are_taken():
    assert tables_in({"k": [None, {"a": 1}, "x", {}]}, "k") == [{"a": 1}, {}]
