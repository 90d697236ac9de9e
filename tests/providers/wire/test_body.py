"""A request as bytes: one way to write it, and a true word about where each text stands."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.request import ModelRequest, RequestMessage
from workbench.domain.secrets import Secret
from workbench.providers.wire.body import (
    JSON_HEADERS,
    body_bytes,
    chat_stretches,
    digest_of,
    text_at,
    verified_places,
    wire_body,
)
from workbench.providers.wire.transport import Guard


def asked(*texts: str) -> ModelRequest:
    return ModelRequest(
        "m", "c", tuple(RequestMessage(f"m{n}", "user", text) for n, text in enumerate(texts)), 99
    )


def test_bytes_are_compact_and_unicode_stays_readable():
    assert body_bytes({"a": ["é 漢", 1.5, None, True]}) == '{"a":["é 漢",1.5,null,true]}'.encode()


def test_a_body_written_item_by_item_is_what_the_encoder_writes_at_once():
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "a"}, "b", 3, None],
        "tools": [],
        "stream": True,
    }
    assert body_bytes(body) == json.dumps(body, separators=(",", ":")).encode()
    assert body_bytes({}) == b"{}"


def test_the_order_of_a_body_is_kept():
    assert body_bytes({"b": 1, "a": {"d": 2, "c": 3}}) == b'{"b":1,"a":{"d":2,"c":3}}'


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_written_and_comes_back(text: str):
    """A lone surrogate, which no encoding has, is repaired and not refused."""
    back = json.loads(body_bytes({"text": text}))["text"]
    assert back == "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_is_no_json_is_refused(odd: object):
    with pytest.raises((TypeError, ValueError)):
        body_bytes({"odd": odd})


def test_what_is_shown_has_the_digest_of_its_bytes_and_no_key():
    guard = Guard("https://a.example:443", Secret.of_text("sk-canary"))
    shown = wire_body({"a": 1}, "https://a.example/v1", (), guard)
    assert shown.digest == digest_of(b'{"a":1}') == hashlib.sha256(b'{"a":1}').hexdigest()
    assert "canary" not in repr(shown)
    assert dict(shown.headers)["authorization"] == "Bearer •••"
    assert shown.headers[: len(JSON_HEADERS)] == JSON_HEADERS


def test_texts_stand_in_the_content_or_in_its_text_part():
    request = asked("one", "two", "three")
    pictured = [{"type": "text", "text": "two"}, {"type": "image_url", "image_url": {}}]
    body = {"messages": [{"content": "one"}, {"content": pictured}]}
    found = chat_stretches(request, body)
    assert found == ((("messages", 0, "content"),), (("messages", 1, "content", 0, "text"),), ())
    assert text_at(body, found[1][0]) == "two"


def test_a_place_with_another_text_is_not_told():
    body = {"messages": [{"content": "one "}, {"content": "two"}]}
    first, second = ("messages", 0, "content"), ("messages", 1, "content")
    assert verified_places(asked("one", "two"), body, [(first,), (second,)]) == ((), (second,))
    assert verified_places(asked("one two"), body, [(first, second)]) == ((first, second),)
