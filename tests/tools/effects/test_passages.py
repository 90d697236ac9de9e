"""Passages are found exactly, whatever the line ends, and replaced without touching anything else."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from workbench.tools.effects.diffs import places_of, replaced, why_not_found, why_not_unique

pieces = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r"]), max_size=30).map("".join)


@given(pieces, pieces.filter(bool))
def test_places_are_where_the_passage_is(text: str, passage: str):
    wanted = passage.replace("\r\n", "\n")
    places = places_of(text, wanted)
    assert [text[low:high].replace("\r\n", "\n") for low, high in places] == [wanted] * len(places)
    assert len(places) == text.replace("\r\n", "\n").count(wanted)


@given(pieces, pieces.filter(bool))
def test_what_is_around_stays_to_the_byte(text: str, passage: str):
    places = places_of(text, passage.replace("\r\n", "\n"))
    assert replaced(text, places, "").replace("", "") == "".join(
        text[end:start]
        for end, start in zip(
            [0, *(high for _, high in places)], [*(low for low, _ in places), len(text)], strict=True
        )
    )


def test_new_lines_end_like_the_others():
    text = "a\r\nb\r\n"
    assert replaced(text, places_of(text, "b"), "x\ny") == "a\r\nx\r\ny\r\n"
    assert replaced("a\nb", places_of("a\nb", "b"), "x\ny") == "a\nx\ny"


def test_many_places_are_counted_and_few_are_named():
    text = "x\n" * 50
    assert why_not_unique(text, places_of(text, "x")).startswith(
        "50 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)."
    )


def test_nothing_like_it_is_said():
    assert why_not_found("abc\n", "zzzz") == "0 matches, and nothing like it is near; read the file first."
    assert why_not_found("abc\n", "\n\n").startswith("0 matches, and nothing")


def test_hostile_text_does_not_hang():
    """Searching and looking for the nearest line both take time with the text, never with its square."""
    started = time.thread_time()
    text = "a\n" * 1_000_000
    assert places_of(text, "a\n" * 10_000 + "b") == ()
    why_not_found("ab" * 500_000 + "\n" + ("x" * 300 + "\n") * 5000, "ba" * 5000)
    assert time.thread_time() - started < 20
