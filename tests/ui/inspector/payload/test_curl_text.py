"""The request as a command: what it sends is the body, and no secret is in it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.fakes.effort import tries
from tests.fakes.sample_payload import wire_form
from tests.fakes.wire_forms import few, pieces_of, wire_forms
from workbench.domain.wire_form import WireForm
from workbench.ui.inspector.payload.curl_text import curl_text, quoted, redacted

SECRET = "sk-live-0123456789"


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
    got = subprocess.run(["sh", "-c", f"printf %s {quoted(word)}"], capture_output=True, check=True)
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
    assert redacted(name, value) == shown


def test_what_curl_sends_by_itself_is_left_out():
    form = replace(wire_form(), headers=(("Host", "x"), ("Content-Length", "9"), ("X-Other", "kept")))
    text = curl_text(form).text
    assert "Host" not in text
    assert "Content-Length" not in text
    assert "-H 'X-Other: kept' \\\n  -H 'Content-Type: application/json'" in text
