"""States: equal ones have equal digests, and JSON brings them back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files.writing import FileState
from workbench.tools.workspace.paths import Refused
from workbench.tools.workspace.states import (
    ABSENT,
    FolderState,
    State,
    digest_of,
    encode_like,
    state_from_json,
    state_to_json,
    text_of,
    uses_crlf,
    utf8_text,
)

modes = st.none() | st.integers(0, 0o7777)
states = st.one_of(
    st.none(),
    st.builds(FolderState, modes),
    st.builds(FileState, st.binary(), modes, st.none() | st.integers(0, 2**62)),
)


@given(states)
def test_json_brings_a_state_back(state: State):
    assert state_from_json(json.loads(json.dumps(state_to_json(state)))) == state


@given(states, states)
def test_a_digest_tells_states_apart(one: State, other: State):
    assert (digest_of(one) == digest_of(other)) == (_timeless(one) == _timeless(other))


def _timeless(state: State) -> State:
    return FileState(state.content, state.mode) if isinstance(state, FileState) else state


def test_nothing_has_a_digest_that_says_so():
    assert digest_of(None) == ABSENT


@pytest.mark.parametrize(
    "written", ["x", 3, [], {"type": "file"}, {"base64": "!"}, {"base64": "", "mode": -1}, {"base64": "é"}]
)
def test_a_damaged_note_is_refused(written: Any):
    with pytest.raises(Refused, match="damaged"):
        state_from_json(written)


# Bytes as text and back.


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", ""),
        ("ünï\r\nb".encode(), "ünï\nb"),
        (MARK + b"a", "a"),
        ("é\r\n".encode("utf-16"), "é\n"),
        (b"\xff\xfe\x00", None),
        (b"\xff", None),
        (b"a\0b", None),
        ("漢".encode("latin-1", "replace") + b"\xe9", None),
    ],
)
def test_text_is_told_from_what_is_none(content: bytes, text: str | None):
    assert text_of(content) == text


def test_only_utf8_is_edited():
    assert utf8_text("\ufeffé\r\n".encode(), "a") == "\ufeffé\r\n"
    for content in (b"\xe9", "é".encode("utf-16"), b"a\0"):
        with pytest.raises(Refused, match=r"a is not UTF-8|a looks like a binary"):
            utf8_text(content, "a")


@pytest.mark.parametrize(
    ("text", "old", "written"),
    [
        ("a\nb\n", None, b"a\nb\n"),
        ("a\nb\n", b"x\ny\n", b"a\nb\n"),
        ("a\nb\n", b"x\r\ny\r\n", b"a\r\nb\r\n"),
        ("a\r\nb\n", b"x\r\n", b"a\r\nb\n"),
        ("a\n", MARK + b"x\n", MARK + b"a\n"),
        ("\ufeffa", MARK + b"x", MARK + b"a"),
        ("a\n", b"", b"a\n"),
    ],
)
def test_new_text_is_written_like_the_old(text: str, old: bytes | None, written: bytes):
    assert encode_like(text, old) == written


def test_half_a_character_is_refused():
    with pytest.raises(Refused, match="surrogate"):
        encode_like("\ud800", None)


def test_the_line_ends_of_most_lines_count():
    assert uses_crlf("a\r\nb\r\nc\n")
    assert not uses_crlf("a\r\nb\nc\n")
    assert not uses_crlf("")
