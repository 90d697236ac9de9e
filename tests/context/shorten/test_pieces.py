"""Spans of a text chosen by their worth."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from workbench.context.shorten.pieces import (
    Pieces,
    Span,
    Tier,
    clipped,
    end_of_head,
    line_spans,
    spread,
    start_of_tail,
)


def gap(text: str, span: Span) -> str:
    return "~\n"


def plan(text: str, *tiers: Tier) -> Pieces:
    return Pieces(text, tiers, gap, 2)


def test_the_most_worthy_stay_in_the_order_of_the_text():
    text = "aaaa\nbbbb\ncccc\ndddd\n"
    spans = line_spans(text)
    made = plan(text, Tier((spans[2],)), Tier((spans[0],)), Tier((spans[1], spans[3]), in_order=True))
    assert [made.cut(chars) for chars in (9, 14, 100)] == ["~\ncccc\n~", "aaaa\n~\ncccc\n~", text.strip("\n")]


@given(st.integers(0, 300), st.integers(0, 300))
def test_any_first_few_are_taken_evenly(number: int, few: int):
    items = [(place, place) for place in range(number)]
    ordered = list(spread(items))
    assert sorted(ordered) == items
    taken = sorted(place for place, _ in ordered[:few])
    if 8 <= few < number:
        widest = max(after - before for before, after in pairwise(taken))
        assert widest <= 4 * number / few + 1


@given(st.lists(st.sampled_from(["a", "\n", "bc ", "\n\n"])).map("".join))
def test_lines_are_the_text(text: str):
    assert "".join(text[start:end] for start, end in line_spans(text)) == text


def test_ends_fall_on_lines_and_words():
    assert "one two three"[: end_of_head("one two three" + "x" * 90, 8)] == "one two "
    text = "x" * 90 + " one" * 30
    assert text[start_of_tail(text, 89) :] == "one" + " one" * 29


def test_a_long_line_is_clipped():
    assert clipped("abc", 3) == "abc"
    assert clipped("abcd", 3) == "abc …"
