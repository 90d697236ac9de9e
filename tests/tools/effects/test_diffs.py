"""Diffs are right where they are short, and short where they could be long."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from workbench.tools.effects.diffs import short_diff

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
