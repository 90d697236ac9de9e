"""The documents of a body: streams of every kind, whole, cut anywhere, or not JSON at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.watch.documents import documents_in
from workbench.domain.reading.loose_json import parsed

THREE: list[dict[str, Any]] = [{"a": 1}, {"b": "x\n\ny"}, {"c": [{"d": None}]}]
FORMS = {
    "events": "".join(f"data: {json.dumps(one)}\n\n" for one in THREE).encode() + b"data: [DONE]\n\n",
    "named events, other line ends": "".join(
        f"event: x\r\ndata:{json.dumps(one)}\r\n\r\n" for one in THREE
    ).encode(),
    "comments between": b": ping\n\n"
    + b"".join(b"data: " + json.dumps(one).encode() + b"\n\n: ping\n\n" for one in THREE),
    "lines": "\n".join(map(json.dumps, THREE)).encode(),
    "a list": json.dumps(THREE).encode(),
    "a list over lines": b"[" + b"\n,\r\n".join(json.dumps(one).encode() for one in THREE) + b"\n]",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_is_its_documents(form: str):
    found = documents_in(FORMS[form])

    assert list(found.found) == THREE
    assert found.streamed


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_that_is_cut_anywhere_is_its_beginning(form: str):
    whole = FORMS[form]
    for end in range(len(whole)):
        found = documents_in(whole[:end])
        assert list(found.found) == THREE[: len(found.found)]


def test_data_over_several_lines_is_one_document():
    assert documents_in(b'data: {"a":\ndata: 1}\n\n').found == ({"a": 1},)


def test_one_document_is_no_stream():
    assert not documents_in(b'\xef\xbb\xbf {"a": 1}\n').streamed


def test_what_is_not_json_is_kept_as_text():
    assert documents_in(b"<html>Bad gateway</html>").rest == "<html>Bad gateway</html>"
    assert documents_in(b"\xff\xfe").found == ()


def test_endless_nesting_is_no_value():
    assert parsed("[" * 100_000) is None


@given(st.binary(max_size=60))
def test_nothing_makes_it_fail(body: bytes):
    documents_in(body)
    documents_in(b"data: " + body)
    documents_in(b"[" + body)
