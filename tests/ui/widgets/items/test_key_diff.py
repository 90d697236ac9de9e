"""Turning one list of keys into another by the fewest runs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.widgets.items.key_diff import NOTHING, Edits, Run, edits

KEYS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


def apply(old: list[str], new: list[str], change: Edits) -> list[str]:
    """What a view does with the edits."""
    shown = list(old)
    for first, count in change.removed:
        del shown[first : first + count]
    for first, count in change.inserted:
        shown[first:first] = new[first : first + count]
    return shown


@given(KEYS, KEYS)
def test_the_edits_lead_from_one_list_to_the_other(old: list[str], new: list[str]):
    assert apply(old, new, edits(old, new)) == new


@given(KEYS)
def test_the_same_list_needs_no_edit(keys: list[str]):
    assert edits(keys, list(keys)) == NOTHING


def test_one_key_that_moves_to_the_end_is_one_removal_and_one_insertion():
    assert edits("abcd", "bcda") == Edits((Run(0, 1),), (Run(3, 1),))


def test_neighbours_go_and_come_in_one_run():
    assert edits("abcde", "axyze") == Edits((Run(1, 3),), (Run(1, 3),))


def test_a_key_that_occurs_twice_is_two_keys():
    assert edits("aa", "aba") == Edits((), (Run(1, 1),))
