"""JSON from others: a value, or one line that says why not; never a crash."""

from __future__ import annotations

import pytest

from workbench.domain.errors import InvalidInput
from workbench.engine.exchange.foreign_json import parse, parse_lines, parse_repaired, read_text


def test_half_characters_are_kept_or_replaced_as_asked():
    assert parse('["\\ud800"]') == ["\ud800"]
    assert parse_repaired('{"\\ud800": ["\\ud800", 1]}') == {"\ufffd": ["\ufffd", 1]}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, "[" * 300 + "]" * 300, "NaN", "[1e999]", "[-Infinity]", "9" * 5000, '{"a": 1,}'],
    ids=lambda text: text[:12],
)
def test_what_is_no_json_is_refused(text: str):
    with pytest.raises(InvalidInput):
        parse(text)


def test_nesting_up_to_the_limit_is_fine():
    assert parse("[" * 200 + "]" * 200)


def test_bytes_that_are_no_text_are_refused():
    assert read_text("\ufeffé".encode()) == "é"
    with pytest.raises(InvalidInput, match="byte 1: not valid UTF-8"):
        read_text(b"a\xff")


def test_lines_are_read_one_by_one():
    assert parse_lines('{"a": 1}\n\nnonsense\r\n[2]\n') == (
        [{"a": 1}, [2]],
        ["line 3: not valid JSON: Expecting value; left out"],
    )
