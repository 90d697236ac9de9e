"""Diffs are right where they are short, and short where they could be long."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from workbench.tools.effects.diffs import (
    find_passage,
    replace_places,
    short_diff,
    why_not_found,
    why_not_unique,
)

LINES = "".join(f"line {number}\n" for number in range(1, 101))


def test_a_change_is_shown_with_its_place():
    changed = LINES.replace("line 50\n", "line fifty\nand more\n")
    assert short_diff("a.txt", LINES, changed).splitlines() == [
        "--- a/a.txt", "+++ b/a.txt", "@@ -47,7 +47,8 @@", " line 47", " line 48", " line 49", "-line 50",
        "+line fifty", "+and more", " line 51", " line 52", " line 53",
    ]  # fmt: skip


def test_a_new_file_is_all_added():
    assert short_diff("a", "", "x\ny\n") == "--- a/a\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y"


def test_a_missing_last_line_end_shows():
    assert short_diff("a", "x\n", "x").endswith("+\\ No newline at end of file")


@given(st.text(alphabet="ab\n\r\u2028\x0b"), st.text(alphabet="ab\n\r\u2028\x0b"))
def test_no_difference_is_ever_hidden(before: str, after: str):
    """A diff that looks empty is allowed with a click; `splitlines` would swallow a changed separator."""
    assert (short_diff("a", before, after) == "") == (before == after)


def test_large_files_are_compared_quickly_and_shown_shortly():
    before = "".join(f"{number * 7919 % 10007}\n" for number in range(60_000))
    after = "".join(f"{number * 7907 % 10009}\n" for number in range(60_000))
    started = time.thread_time()
    diff = short_diff("a", before, after)
    assert time.thread_time() - started < 10
    assert len(diff.splitlines()) <= 201
    assert diff.endswith("more lines of the diff")
    assert "\n+" in diff[5:]


def test_a_long_line_is_cut():
    assert max(len(line) for line in short_diff("a", "", "x" * 5000).splitlines()) <= 301


# Passages are found exactly, whatever the line ends, and replaced without touching anything else.


pieces = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r"]), max_size=30).map("".join)


@given(pieces, pieces.filter(bool))
def test_places_are_where_the_passage_is(text: str, passage: str):
    wanted = passage.replace("\r\n", "\n")
    places = find_passage(text, wanted)
    assert [text[low:high].replace("\r\n", "\n") for low, high in places] == [wanted] * len(places)
    assert len(places) == text.replace("\r\n", "\n").count(wanted)


@given(pieces, pieces.filter(bool))
def test_what_is_around_stays_to_the_byte(text: str, passage: str):
    places = find_passage(text, passage.replace("\r\n", "\n"))
    assert replace_places(text, places, "").replace("", "") == "".join(
        text[end:start]
        for end, start in zip(
            [0, *(high for _, high in places)], [*(low for low, _ in places), len(text)], strict=True
        )
    )


def test_new_lines_end_like_the_others():
    text = "a\r\nb\r\n"
    assert replace_places(text, find_passage(text, "b"), "x\ny") == "a\r\nx\r\ny\r\n"
    assert replace_places("a\nb", find_passage("a\nb", "b"), "x\ny") == "a\nx\ny"


def test_many_places_are_counted_and_few_are_named():
    text = "x\n" * 50
    assert why_not_unique(text, find_passage(text, "x")).startswith(
        "50 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)."
    )


def test_nothing_like_it_is_said():
    assert why_not_found("abc\n", "zzzz") == "0 matches, and nothing like it is near; read the file first."
    assert why_not_found("abc\n", "\n\n").startswith("0 matches, and nothing")


def test_hostile_text_does_not_hang():
    """Searching and looking for the nearest line both take time with the text, never with its square."""
    started = time.thread_time()
    text = "a\n" * 1_000_000
    assert find_passage(text, "a\n" * 10_000 + "b") == ()
    why_not_found("ab" * 500_000 + "\n" + ("x" * 300 + "\n") * 5000, "ba" * 5000)
    assert time.thread_time() - started < 20
