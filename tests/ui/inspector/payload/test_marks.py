"""Characters that hide or act are shown, and the way back to what was sent is exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.inspector.payload.lines import marked_ranges, shown_offset, source_offset, visible
from workbench.ui.widgets.plain import utf16_units

letters = st.one_of(
    st.characters(), st.sampled_from("ab\u202e\u200b\r\x00\u2029\ufe0f😀日\u0301\ufffc\U000e0041\ud83d")
)
texts = st.lists(letters, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext", "plain\ttext"),
        ("a\u202eb", "a⟨RLO⟩b"),
        ("a\u200bb", "a⟨ZWSP⟩b"),
        ("end\r", "end⟨CR⟩"),
        ("\x1b[31m", "⟨ESC⟩[31m"),
        ("\u2029", "⟨PS⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("\ufdd0", "⟨U+FDD0⟩"),
        ("👩\u200d👧", "👩⟨ZWJ⟩👧"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("a\ufe0f", "a⟨U+FE0F⟩"),
        ("日本語 é ünï", "日本語 é ünï"),
    ],
)
def test_what_hides_or_acts_is_written_out(text: str, shown: str):
    assert visible(text) == shown


@given(texts)
def test_the_way_to_what_is_shown_and_back_ends_where_it_began(text: str):
    for place in range(len(text) + 1):
        assert source_offset(text, shown_offset(text, place)) == place


@given(texts)
def test_every_place_in_what_is_shown_belongs_to_a_character(text: str):
    shown = utf16_units(visible(text))
    places = [source_offset(text, unit) for unit in range(shown + 1)]
    assert places == sorted(places)
    assert shown_offset(text, len(text)) == shown
    assert places[-1] == len(text)


@given(texts)
def test_marks_are_where_they_are_said_to_be(text: str):
    shown = visible(text).encode("utf-16-le", "surrogatepass")
    for start, length in marked_ranges(text):
        mark = shown[2 * start : 2 * (start + length)].decode("utf-16-le")
        assert (mark[0], mark[-1]) == ("⟨", "⟩")


def test_units_are_counted_as_qt_counts_them():
    assert [utf16_units(text) for text in ("ab", "é", "日", "😀", "\ud83d")] == [2, 1, 1, 2, 1]
