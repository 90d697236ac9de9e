"""What changed between two texts: the lines outside are the same, whatever was written, cut and pasted."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from workbench.context.text.changed_text import common_tail, edited_lines

PIECES = st.lists(st.sampled_from(["a", "bc", "\n", "\n\n", "é", "😀", " ", "x=1"]), max_size=40).map("".join)


@given(PIECES, PIECES, PIECES, PIECES)
@settings(max_examples=tries(400))
def test_what_is_outside_of_an_edit_is_the_same_and_whole_lines(head: str, old: str, new: str, tail: str):
    before, after = head + old + tail, head + new + tail
    edit = edited_lines(before, after)
    if edit is None:
        return
    assert before[: edit.start] == after[: edit.start]
    assert before[edit.old_end :] == after[edit.new_end :]
    assert edit.start == 0 or after[edit.start - 1] == "\n"
    assert edit.new_end == len(after) or after[edit.new_end] == "\n"
    assert edit.old_end == len(before) or before[edit.old_end] == "\n"


def test_a_letter_in_a_long_text_is_an_edit_of_its_line():
    lines = [f"line {n}" for n in range(5000)]
    old = "\n".join(lines)
    lines[2500] += "!"
    new = "\n".join(lines)
    edit = edited_lines(old, new)
    assert edit is not None
    assert new[edit.start : edit.new_end] == "line 2500!"
    assert old[edit.start : edit.old_end] == "line 2500"


def test_another_text_is_no_edit():
    assert edited_lines("a line\n" * 300, "another line\n" * 300) is None


def test_a_tail_is_never_longer_than_it_may_be():
    assert common_tail("aaaa", "aaa", 2) == 2
    assert common_tail("xb", "yb", 2) == 1
    assert common_tail("", "", 0) == 0
