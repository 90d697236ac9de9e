"""Rich text: any bytes end in text or a refusal, and control words are no text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.sources.extract.refusal import Unreadable
from workbench.sources.extract.rtf import LETTERS, PASSED, STARRED, read_rtf

PIECES = st.lists(
    st.sampled_from(
        [
            b"{", b"}", b"\\par ", b"\\cell", b"\\row", b"\\u123?", b"\\'e9", b"\\*", b"\\footnote ", b"\\pict",
            b"\\bin3 ", b"\\uc9 ", b"words ", b"\\f1", b"\\fonttbl", b"\\header ", b"\\v", b"\\deleted", b"\n",
            b"\\s1 ", b"\\stylesheet ", b"\\intbl ",
        ]
    ),
    max_size=60,
)  # fmt: skip


@given(PIECES.map(b"".join))
def test_any_words_in_any_order_are_read(inside: bytes):
    document = read_rtf(b"{\\rtf1 " + inside)
    assert "\\" not in document.text.replace("\\|", "")


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(inside: bytes):
    assert isinstance(read_rtf(b"{\\rtf1 " + inside).text, str)
    if not inside.startswith(b"{\\rt"):
        with pytest.raises(Unreadable):
            read_rtf(inside)


def test_a_letter_is_skipped_for_each_that_came_as_unicode():
    assert read_rtf(rb"{\rtf1\uc2 \u8364ab\'63d}").text == "€cd\n"


def test_no_word_is_both_passed_over_and_read():
    assert not PASSED & STARRED
    assert not PASSED & LETTERS.keys()


def test_a_note_whose_group_begins_with_more_words_is_read():
    """What stood after the second word of such a group was lost, as other programs write every footnote."""
    note = rb"{\*\footnote\chftn\~\plain\pard {\pard \ql The note.\par}}"
    assert read_rtf(rb"{\rtf1 a" + note + rb"b\par}").text == "a[^1]b\n\n[^1]: The note.\n"
