"""The lines in which two texts differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import sample_texts as texts
from workbench.ui.inspector.diff.lines import MOST_COMPARED, MOST_SHOWN, differences

lines = st.lists(st.sampled_from(("a", "b", "c", "")), max_size=12).map(
    lambda some: "".join(f"{one}\n" for one in some)
)


def test_the_scripted_file_changed_in_five_lines():
    found = differences(texts.API_BEFORE, texts.API_AFTER)
    assert (found.added, found.removed) == (3, 2)
    assert found.first == 1
    assert found.lines[1] == (2, None, "-", "Returns a new token. Valid for 3600 s.")


@given(lines, lines)
def test_what_is_added_and_removed_makes_one_text_of_the_other(before: str, after: str):
    found = differences(before, after)
    kept = [line for line in found.lines if line.sign in " +"]
    old = before.splitlines()
    rebuilt = {line.new: line.text for line in kept}
    assert all(after.splitlines()[number - 1] == text for number, text in rebuilt.items() if number)
    assert found.removed - found.added == len(old) - len(after.splitlines())


def test_numbers_are_those_of_the_whole_text():
    """What is the same at the beginning is skipped before comparing; its lines count all the same."""
    same = "".join(f"{n}\n" for n in range(5_000))
    found = differences(same + "old\n" + same, same + "new\n" + same)
    changed = [line for line in found.lines if line.sign != " "]
    assert [(line.old, line.new) for line in changed] == [(5_001, None), (None, 5_001)]
    assert len(found.lines) == 8


def test_texts_that_have_nothing_in_common_are_not_matched_line_by_line():
    """Matching a hundred thousand lines with as many others takes minutes."""
    before = "".join(f"a{n}\n" for n in range(50_000))
    after = "".join(f"b{n}\n" for n in range(60_000))
    found = differences(before, after)
    assert (found.added, found.removed, found.cut) == (60_000, 50_000, True)
    assert len(found.lines) == MOST_SHOWN
    assert MOST_COMPARED < 50_000


def test_the_same_twice_has_no_lines():
    found = differences("a\nb\n", "a\nb\n")
    assert (found.lines, found.first) == ((), None)
