"""Bytes as text and back."""

from __future__ import annotations

import pytest

from workbench.tools.workspace.paths import Refused
from workbench.tools.workspace.states import text_of, uses_crlf, utf8_text, written_like

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
    assert written_like(text, old) == written


def test_half_a_character_is_refused():
    with pytest.raises(Refused, match="surrogate"):
        written_like("\ud800", None)


def test_the_line_ends_of_most_lines_count():
    assert uses_crlf("a\r\nb\r\nc\n")
    assert not uses_crlf("a\r\nb\nc\n")
    assert not uses_crlf("")
