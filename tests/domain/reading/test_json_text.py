"""Bytes become JSON values, or one line that says where they do not; never a traceback."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.json_text import DEEPEST_NESTING, load_json, parse_json


def refusal(raw: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        load_json(raw)
    return str(caught.value)


def complaint_about(raw: bytes) -> str:
    """What is said about these bytes; nothing where they are a value."""
    try:
        load_json(raw)
    except InvalidInput as error:
        return str(error)
    return ""


def test_plain_and_with_a_byte_order_mark() -> None:
    assert load_json(b'{"a": [1, 2.5, true, null, "\xc3\xa9"]}') == {"a": [1, 2.5, True, None, "é"]}
    assert load_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_an_escaped_lone_surrogate_is_let_in() -> None:
    """The reader repairs it; refusing here would lose the whole file."""
    assert load_json(b'"\\ud800"') == "\ud800"


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"", "line 1 column 1: empty input; expected a JSON value"),
        (b" \n\t", "line 1 column 1: empty input; expected a JSON value"),
        (b"\xef\xbb\xbf", "line 1 column 1: empty input; expected a JSON value"),
        (b'{"a": 1\n "b"}', "line 2 column 2: not valid JSON: Expecting ',' delimiter"),
        (b"{} {}", "line 1 column 4: not valid JSON: Extra data"),
        (b'{"a":\n "\xff"}', "line 2 column 3: not valid UTF-8; save the file as UTF-8"),
        (b"\xef\xbb\xbf[\xff]", "line 1 column 2: not valid UTF-8; save the file as UTF-8"),
        (b"\xff\xfe{\x00}\x00", "line 1 column 1: not valid UTF-8; save the file as UTF-8"),
        (b'{"a": {"b": 1, "b": 2}}', 'a: the key "b" occurs twice'),
        (b'{"a": 1, "a": 1}', '$: the key "a" occurs twice'),
        (b'{"a\\n": 1, "a\\n": 1}', '$: the key "a\\n" occurs twice'),
        (b'{"a": [NaN]}', "a[0]: NaN is not a JSON number"),
        (b"-Infinity", "$: -Infinity is not a JSON number"),
        (b'{"a": 1e999}', "a: the number 1e999 is too large"),
        (b"1" * 5000, "$: a number of 5000 digits is too large"),
    ],
)
def test_what_is_refused_and_how(raw: bytes, line: str) -> None:
    assert refusal(raw) == line


@pytest.mark.parametrize("depth", [DEEPEST_NESTING + 1, 1000, 200_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_refused_the_same_way_at_every_depth(
    opening: bytes, closing: bytes, depth: int
) -> None:
    assert refusal(opening * depth + b"1" + closing * depth) == "$: nested more than 200 levels deep"


def test_empty_lists_nest_no_deeper_than_full_ones() -> None:
    assert refusal(b"[" * 201 + b"]" * 201) == "$: nested more than 200 levels deep"


def test_the_deepest_nesting_allowed() -> None:
    assert load_json(b"[" * DEEPEST_NESTING + b"]" * DEEPEST_NESTING) != []


def test_a_string_is_parsed_as_bytes_are() -> None:
    assert parse_json("[1]") == load_json(b"[1]")


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_a_value_or_one_line(raw: bytes) -> None:
    assert complaint_about(raw).isprintable()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_what_json_can_write_is_read_back(value: object) -> None:
    assert load_json(json.dumps(value).encode()) == value


@given(VALUES, st.data())
def test_truncated_json_gives_a_value_or_one_line(value: object, data: st.DataObject) -> None:
    raw = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert complaint_about(raw[: data.draw(st.integers(0, len(raw)))]).isprintable()
