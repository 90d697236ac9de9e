"""JSON from others: a value, or one line that says why not; never a crash."""

from __future__ import annotations

import json

import pytest

from workbench.domain.errors import InvalidInput
from workbench.engine.exchange import foreign_json
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


@pytest.mark.parametrize("before", range(4))
def test_a_long_text_is_decoded_in_pieces_that_split_no_character(before: int):
    """As a whole it stopped all threads for a frame."""
    text = "a" * before + "🙂" * 600_000
    assert read_text(text.encode()) == text
    with pytest.raises(InvalidInput, match=f"byte {before + 2_400_000}: not valid UTF-8"):
        read_text(text.encode() + b"\xff")


def test_lines_are_read_one_by_one():
    assert parse_lines('{"a": 1}\n\nnonsense\r\n[2]\n') == (
        [{"a": 1}, [2]],
        ["line 3: not valid JSON: Expecting value; left out"],
    )


def items(raw: bytes, number: int = 2) -> list[list[object]]:
    return [some for some, _ in foreign_json.listed(raw, number)]


def test_a_long_list_is_read_some_things_at_a_time(monkeypatch: pytest.MonkeyPatch):
    """Read in pieces of any size it gives the same, whatever stands where a piece ends."""
    things = [{"a": "é😀" * 5, "b": [1, {"c": "\\u00e9"}]}, {"d": 'x"]}'}, [], "words", {}]
    raw = b"\xef\xbb\xbf " + json.dumps(things, ensure_ascii=False, indent=1).encode()
    assert foreign_json.opens_list(raw)
    for size in (3, 7, 50, 10_000):
        monkeypatch.setattr(foreign_json, "_PIECE", size)
        assert items(raw) == [things[:2], things[2:4], things[4:]]
        assert [at for _, at in foreign_json.listed(raw, 5)] == [len(raw)]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'[{"a": 1}, {"b": ', "what came before is there"),
        (b'[{"a": 1},', "ends in the middle"),
        (b'[{"a": 1}, {"b": \xff}]', "not valid UTF-8"),
        (b'[{"a": 1}, ' + b"[" * 300 + b"]" * 300 + b"]", "nested"),
        (b'[{"a": 1}, {"b": NaN}]', "not a number"),
    ],
)
def test_a_list_that_breaks_off_gives_what_came_before(
    raw: bytes, said: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(foreign_json, "_PIECE", 11)
    things: list[object] = []
    with pytest.raises(InvalidInput, match=said):  # noqa: PT012
        for some, _ in foreign_json.listed(raw, 1):
            things += some
    assert things == [{"a": 1}]


def test_half_characters_of_a_list_are_replaced():
    assert items(b'[{"a": "\\ud800"}]') == [[{"a": "\ufffd"}]]
