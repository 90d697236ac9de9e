"""Bodies come back byte for byte, whatever is in them, and their texts are kept once."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from workbench.context.watch.body import join_body, split_body

TEXTS = st.text(max_size=80)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.lists(TEXTS, max_size=4), st.booleans(), st.sampled_from([None, 2]))
def test_a_document_comes_back(value: object, segments: list[str], ascii_only: bool, indent: int | None):
    document = {"tools": [value], "messages": [*segments, value]}
    body = json.dumps(document, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "surrogatepass")
    assert join_body(split_body(body, segments), segments) == body


@given(st.binary(max_size=200), st.lists(TEXTS, max_size=3))
def test_what_is_no_json_comes_back(body: bytes, segments: list[str]):
    assert join_body(split_body(body, segments), segments) == body


def test_a_text_that_a_segment_holds_is_not_kept_again():
    said = "The loop ends only when the token is older than 60 seconds: „so“.\n" * 3
    for body in (
        json.dumps({"messages": [said, said]}).encode(),
        json.dumps({"messages": [said, said]}, ensure_ascii=False).encode(),
    ):
        taken = split_body(body, ["short", said])
        assert taken.texts == ()
        assert "older" not in "".join(taken.lines)
        assert join_body(taken, ["short", said]) == body


def test_odd_ways_of_writing_a_text_stay_as_they_are():
    odd = b'{"messages":["\\u0041 text that is written in an odd way, longer than any name: \\/"]}'
    said = "A text that is written in an odd way, longer than any name: /"
    taken = split_body(odd, [said])
    assert join_body(taken, [said]) == odd
    assert len(taken.texts) == 1
