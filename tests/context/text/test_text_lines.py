"""Two texts line by line: whoever follows the signs gets the other text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.context.text import changed_text
from workbench.context.text.changed_text import changed_lines

lines = st.lists(st.sampled_from("abcd"), max_size=25).map("\n".join)


@given(lines, lines)
def test_with_everything_around_them_the_lines_are_both_texts(before: str, after: str):
    found = changed_lines(before, after, around=100)
    if before.splitlines() == after.splitlines():
        assert found == ()
        return
    assert [line.text for line in found if line.sign in "- "] == before.splitlines()
    assert [line.text for line in found if line.sign in "+ "] == after.splitlines()
    for line in found:
        assert line.old is None or before.splitlines()[line.old - 1] == line.text
        assert line.new is None or after.splitlines()[line.new - 1] == line.text


def test_far_changes_are_two_stretches():
    before = "\n".join(map(str, range(40)))
    after = before.replace("5\n", "five\n", 1).replace("\n35\n", "\nthirty-five\n")
    signs = "".join(line.sign for line in changed_lines(before, after))
    assert signs == "   -+   ⋯   -+   "


def test_very_long_changes_are_shown_as_replaced(monkeypatch):
    monkeypatch.setattr(changed_text, "MOST_MATCHED", 10)
    before, after = "same\n" + "a\n" * 30 + "end", "same\n" + "b\n" * 20 + "end"
    signs = "".join(line.sign for line in changed_lines(before, after))
    assert signs == " " + "-" * 30 + "+" * 20 + " "
