"""A list of which only what changed is told to the view."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from workbench.ui.widgets.items.list_model import ITEM, NOTHING, Edits, ListModel, Run, edits

KEYS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


class Fruit(NamedTuple):
    name: str
    weight: int = 1


class Fruits(ListModel[Fruit]):
    def text_of(self, fruit: Fruit) -> str:
        return fruit.name

    def key_of(self, fruit: Fruit) -> str:
        return fruit.name

    def can_choose(self, fruit: Fruit) -> bool:
        return fruit.weight > 0


APPLE, PEAR, QUINCE = Fruit("apple"), Fruit("pear"), Fruit("quince", 0)


def test_only_rows_that_differ_are_told(qapp):
    model = Fruits()
    model.show_items((APPLE, PEAR))
    told: list[int] = []
    model.dataChanged.connect(lambda first, _last: told.append(first.row()))
    model.show_items((QUINCE, APPLE, PEAR._replace(weight=3)))
    assert told == [2]
    assert [model.index(row).data(ITEM) for row in range(3)] == [QUINCE, APPLE, Fruit("pear", 3)]


def test_an_item_is_spoken_as_it_is_written_and_a_heading_cannot_be_chosen(qapp):
    model = Fruits()
    model.reset_items([APPLE, QUINCE])
    assert model.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "apple"
    assert model.index(0).data(Qt.ItemDataRole.ToolTipRole) is None
    assert model.flags(model.index(0)) & Qt.ItemFlag.ItemIsSelectable
    assert model.flags(model.index(1)) == Qt.ItemFlag.NoItemFlags
    assert model.item(QModelIndex()) is None


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=4))
def test_whatever_changes_qt_finds_no_fault(qapp, lists: list[list[str]]):
    model = Fruits()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for names in lists:
        model.show_items([Fruit(name) for name in names])
        assert [fruit.name for fruit in model.items] == names
    assert tester.model() is model


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
