"""Plain text in any encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.spoken import SPOKEN, UNICODE
from workbench.domain.translation import counted
from workbench.sources.extract.refusal import Unreadable, clean
from workbench.sources.extract.text import decode_text, known_encoding

WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=300)


@given(WORDS)
def test_utf_8_comes_back_as_it_was(text: str):
    if "\x1b$" not in text and not text.startswith("\ufeff"):
        assert decode_text(text.encode()) == (text, "utf-8")


@given(WORDS)
def test_what_says_its_encoding_is_read_in_it(text: str):
    for name in ("utf-8-sig", "utf-16", "utf-32"):
        assert decode_text(text.encode(name)) == (text, name) or text.startswith(("\0", "\ufeff"))


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_refused(content: bytes):
    try:
        text, encoding = decode_text(content)
    except Unreadable:
        return
    assert "\0" not in text
    assert known_encoding(encoding)
    assert content.decode(encoding) == text


@pytest.mark.parametrize("encoding", UNICODE)
def test_without_a_mark_the_order_of_bytes_is_found(encoding: str):
    for text in SPOKEN.values():
        assert decode_text(text.encode(encoding))[0] == text


@pytest.mark.parametrize(
    ("content", "encoding", "reason"),
    [
        (b"\xff", "utf-8", "not text in the encoding utf-8"),
        (b"abc", "klingon", "no encoding “klingon”"),
        (b"abc", "base64", "no encoding"),
        (b"abc", "unicode_escape", "no encoding"),
        (b"abc", "a\0b", "no encoding"),
        (b"a\0b\0c", "utf-16", "not text in the encoding utf-16"),
        (b"a\0b", "latin-1", "read as iso8859-1 it is not text"),
    ],
)
def test_a_wrong_choice_is_refused(content: bytes, encoding: str, reason: str):
    with pytest.raises(Unreadable, match=reason):
        decode_text(content, encoding)


def test_a_choice_is_done_as_it_is_said():
    assert decode_text("Grüße".encode("cp437"), "CP437") == ("Grüße", "cp437")
    assert decode_text(b"\xef\xbb\xbfa", "utf8") == ("a", "utf-8-sig")


def test_a_large_file_is_judged_by_a_part():
    content = b"plain ascii words\n" * 20_000 + "Größe über alles, schöne Grüße\n".encode("cp1252") * 50
    text, encoding = decode_text(content)
    assert encoding == "cp1252"
    assert text.endswith("schöne Grüße\n")


def test_text_is_cleaned_of_what_cannot_be_kept():
    assert clean("a\0b\ud800c") == "ab?c"
    assert (counted(1, "row"), counted(2000, "row"), counted(2, "a", "b")) == ("1 row", "2,000 rows", "2 b")
