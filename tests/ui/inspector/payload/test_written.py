"""The body as JSON: it is the body, and every piece is where the ranges say."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.sample_payload import wire_form
from tests.fakes.wire_forms import few, pieces_of, wire_forms
from workbench.domain.request import PayloadMessage, Piece, WireForm, hidden_secret, shell_quoted
from workbench.ui.inspector.payload.written import (
    BETWEEN_MESSAGES,
    COMPACT,
    PRETTY,
    curl_text,
    cuts_of,
    json_text,
    messages_text,
)

indents = st.sampled_from((PRETTY, COMPACT))
SECRET = "sk-live-0123456789"


@few
@given(wire_forms(), indents)
def test_the_text_parses_back_to_the_body(form: WireForm, indent: int):
    assert json.loads(json_text(form, indent).text) == form.body


@few
@given(wire_forms(), indents)
def test_the_ranges_of_a_piece_decode_to_exactly_that_piece(form: WireForm, indent: int):
    """A piece may stand in two blocks of a message: its ranges, one after the other, are the piece."""
    written = json_text(form, indent)
    decoded: dict[tuple[int, int], str] = {}
    for span in written.spans:
        part = json.loads(f'"{written.text[span.start : span.end]}"')
        decoded[span.message, span.piece] = decoded.get((span.message, span.piece), "") + part
    assert decoded == pieces_of(form)


@few
@given(wire_forms())
def test_ranges_follow_each_other_and_never_overlap(form: WireForm):
    ends = [place for span in json_text(form).spans for place in (span.start, span.end)]
    assert ends == sorted(ends)


@few
@given(wire_forms())
def test_in_one_line_it_is_what_a_client_writes(form: WireForm):
    expected = json.dumps(form.body, ensure_ascii=False, separators=(",", ":"))
    assert json_text(form, COMPACT).text == expected


@few
@given(wire_forms())
def test_indented_it_is_what_everyone_is_used_to(form: WireForm):
    assert json_text(form, PRETTY).text == json.dumps(form.body, ensure_ascii=False, indent=2)


def test_a_place_that_holds_something_else_has_no_ranges():
    """A provider may change a text on its way; a range that points at other words would be a lie."""
    form = form_of({"messages": [{"content": "asked, and more"}]}, "asked")
    assert json_text(form).spans == ()
    assert json_text(replace(form, places=(None,))).spans == ()


def test_a_piece_that_reaches_into_the_next_block_has_a_range_in_each():
    body = {"a": ["one t", "", "wo thr", "ee"]}
    places = tuple(("a", number) for number in range(4))
    form = replace(form_of(body, "one ", "two ", "three"), places=(None,), stretches=(places,))
    written = json_text(form, COMPACT)
    shown = [(span.piece, written.text[span.start : span.end]) for span in written.spans]
    assert shown == [(0, "one "), (1, "t"), (1, "wo "), (2, "thr"), (2, "ee")]
    assert cuts_of(form)["a", 1] == (0, ())


@pytest.mark.parametrize("body", [{}, {"a": []}, {"a": {}}, {"a": [[], {}, None, True, 1.5]}])
def test_empty_things_stay_in_their_line(body: dict[str, Any]):
    assert json_text(WireForm(tuple, body)).text == json.dumps(body, indent=2)


def form_of(body: dict[str, Any], *texts: str) -> WireForm:
    pieces = tuple(Piece("L5_USER", str(number), text) for number, text in enumerate(texts))
    return WireForm(lambda: (PayloadMessage("user", pieces),), body, places=(("messages", 0, "content"),))


def test_the_command_names_the_address_the_headers_and_the_body():
    lines = curl_text(wire_form()).text.split("\n")
    assert lines[:4] == [
        "curl 'https://api.openai.com/v1/chat/completions' \\",
        "  -H 'Authorization: Bearer •••' \\",
        "  -H 'Content-Type: application/json' \\",
        "  --data @- <<'JSON'",
    ]
    assert json.loads(lines[4]) == wire_form().body
    assert lines[5:] == ["JSON", ""]


@few
@given(wire_forms())
def test_each_range_decodes_to_exactly_its_piece(form: WireForm):
    written = curl_text(form)
    decoded = {(span.message, span.piece): "" for span in written.spans}
    for span in written.spans:
        decoded[span.message, span.piece] += json.loads(f'"{written.text[span.start : span.end]}"')
    assert decoded == pieces_of(form)


@settings(max_examples=tries(12), deadline=None)
@given(wire_forms())
def test_a_shell_hands_over_the_body_byte_for_byte(form: WireForm):
    """A quote, a backslash or a dollar in a message must not end the text or be replaced in it."""
    script = curl_text(form).text.replace("curl ", "true ", 1).replace("--data @- <<", "; cat <<", 1)
    got = subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout
    expected = json.dumps(form.body, ensure_ascii=False, separators=(",", ":")).encode()
    assert got.removesuffix(b"\n") == expected


@pytest.mark.parametrize("word", ["plain", "it's", '$HOME `ls` \\ "', "a'; rm -rf ~ #", "'''", ""])
def test_a_quoted_word_is_one_word_to_a_shell(word: str):
    got = subprocess.run(["sh", "-c", f"printf %s {shell_quoted(word)}"], capture_output=True, check=True)
    assert got.stdout.decode() == word


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("Authorization", f"Bearer {SECRET}", "Bearer •••"),
        ("x-api-key", SECRET, "•••"),
        ("X-Api-Key", f"odd value {SECRET}", "odd •••"),
        ("Authorization", "Bearer •••", "Bearer •••"),
        ("Content-Type", "application/json", "application/json"),
    ],
)
def test_a_secret_is_replaced_even_where_nobody_did_before(name: str, value: str, shown: str):
    assert hidden_secret(name, value) == shown


def test_what_curl_sends_by_itself_is_left_out():
    form = replace(wire_form(), headers=(("Host", "x"), ("Content-Length", "9"), ("X-Other", "kept")))
    text = curl_text(form).text
    assert "Host" not in text
    assert "Content-Length" not in text
    assert "-H 'X-Other: kept' \\\n  -H 'Content-Type: application/json'" in text


@few
@given(wire_forms())
def test_each_range_holds_exactly_its_piece(form: WireForm):
    written = messages_text(form)
    pieces = [piece.text for message in form.messages for piece in message.pieces]
    assert [written.text[span.start : span.end] for span in written.spans] == pieces


@few
@given(wire_forms())
def test_the_pieces_of_a_message_stand_side_by_side_and_are_the_message(form: WireForm):
    written = messages_text(form)
    contents = ["".join(piece.text for piece in message.pieces) for message in form.messages]
    assert written.text == BETWEEN_MESSAGES.join(contents)
    for head, content in zip(written.heads, contents, strict=True):
        assert written.text[head.at :].startswith(content)


def test_a_piece_is_named_by_its_message_and_its_place_in_it():
    spans = messages_text(wire_form()).spans
    assert [(span.message, span.piece) for span in spans[:5]] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]


def test_nothing_is_text_without_messages():
    assert messages_text(WireForm(tuple, {})).text == ""
