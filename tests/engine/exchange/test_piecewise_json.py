"""Read piece by piece, a text is the same value, or the same refusal, as read at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from workbench.engine.exchange.foreign_json import PiecewiseReader

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)
DEEP: Any = {"a": [{"b": [{"c": [{"d": [{"e": [1, {}, []]}]}]}]}]}


def piecewise(text: str) -> Any:
    return PiecewiseReader(text, json.JSONDecoder()).read()


@settings(max_examples=tries(200), deadline=None)
@given(VALUES, st.sampled_from([None, 0, 1]))
@example(DEEP, 1)
def test_what_was_written_is_read(value: Any, indent: int | None):
    assert piecewise(json.dumps(value, indent=indent)) == value
    assert piecewise(f" \r\n\t{json.dumps(value)} \n") == value


@settings(max_examples=tries(300), deadline=None)
@given(st.text(alphabet='{}[]",:01.-e\\ tfnul', max_size=25))
def test_anything_is_read_or_refused_as_the_decoder_does(text: str):
    try:
        expected = json.loads(text)
    except json.JSONDecodeError:
        with pytest.raises(json.JSONDecodeError):
            piecewise(text)
    else:
        assert piecewise(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("[1, ]", "Expecting value: line 1 column 5 (char 4)"),
        ("[1 2]", "Expecting ',' delimiter: line 1 column 4 (char 3)"),
        ('{"a": 1,}', "Expecting property name enclosed in double quotes: line 1 column 9 (char 8)"),
        ('{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"),
        ("{} x", "Extra data: line 1 column 4 (char 3)"),
        ("[[[[[1 2]]]]]", "Expecting ',' delimiter: line 1 column 8 (char 7)"),
    ],
)
def test_a_refusal_says_where(text: str, message: str):
    with pytest.raises(json.JSONDecodeError) as error:
        piecewise(text)
    assert str(error.value) == message


def test_of_a_name_twice_the_last_value_counts():
    assert piecewise('{"a": 1, "a": {"b": 1, "b": 2}}') == {"a": {"b": 2}}
