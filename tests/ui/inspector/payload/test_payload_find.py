"""Looking for words."""

from __future__ import annotations

import pytest

from workbench.ui.inspector.payload.reader import MOST_HITS, find_all, hit_before, next_hit


@pytest.mark.parametrize(
    ("text", "words", "hits"),
    [
        ("one two one", "one", [(0, 3), (8, 11)]),
        ("Token, TOKEN, token", "token", [(0, 5), (7, 12), (14, 19)]),
        ("aaaa", "aa", [(0, 2), (2, 4)]),
        ("a.c abc", "a.c", [(0, 3)]),
        ("日本語の日本", "日本", [(0, 2), (4, 6)]),
        ("anything", "", []),
        ("", "x", []),
    ],
)
def test_every_place_is_found_whatever_its_case(text: str, words: str, hits: list[tuple[int, int]]):
    assert find_all(text, words) == hits


def test_a_letter_that_is_longer_in_lower_case_does_not_move_the_places():
    assert find_all("\u0130\u0130 word", "WORD") == [(3, 7)]


def test_there_is_an_end_to_counting():
    assert len(find_all("x" * (MOST_HITS + 5), "x")) == MOST_HITS
    assert len(find_all("\u0130" + "x" * (MOST_HITS + 5), "x")) == MOST_HITS


def test_going_on_and_back_goes_round():
    hits = [(0, 3), (8, 11), (20, 23)]
    assert [next_hit(hits, place) for place in (0, 1, 9, 21)] == [0, 1, 2, 0]
    assert [hit_before(hits, place) for place in (20, 8, 0)] == [1, 0, 2]
