"""The item model: a list or a tree of which only what changed is told to the view."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from workbench.ui.widgets.items.item_model import ITEM, NOTHING, Edits, ItemModel, Run, edits

KEYS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


class Fruit(NamedTuple):
    name: str
    weight: int = 1


class Fruits(ItemModel[Fruit]):
    def text_of(self, fruit: Fruit, _column: int = 0) -> str:
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


class Branch(NamedTuple):
    name: str
    below: tuple[Branch, ...] = ()


class Branches(ItemModel[Branch]):
    column_count = 2

    def text_of(self, branch: Branch, column: int = 0) -> str:
        return branch.name if column == 0 else str(len(branch.below))

    def key_of(self, branch: Branch) -> str:
        return branch.name

    def children_of(self, branch: Branch) -> tuple[Branch, ...]:
        return branch.below


LEAVES = st.lists(st.sampled_from("xyz"), max_size=4, unique=True)
TREES = st.lists(st.tuples(st.sampled_from("abcd"), LEAVES), max_size=4, unique_by=lambda pair: pair[0])


def names(model: Branches, parent: QModelIndex | None = None) -> list[object]:
    above = parent or QModelIndex()
    indexes = [model.index(row, 0, above) for row in range(model.rowCount(above))]
    return [(index.data(), names(model, index)) for index in indexes]


@given(st.lists(TREES, max_size=5))
def test_a_tree_changes_by_its_keys_and_qt_finds_no_fault(qapp, trees: list[list[tuple[str, list[str]]]]):
    """A wrong signal corrupts Qt's persistent indexes, which ends the program later and elsewhere."""
    model = Branches()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for tree in trees:
        kept = {name: QPersistentModelIndex(model.index_of(name)) for name, _ in tree}
        model.show_items([Branch(name, tuple(map(Branch, below))) for name, below in tree])
        assert names(model) == [(name, [(one, []) for one in below]) for name, below in tree]
        assert all(index.data() == name for name, index in kept.items() if index.isValid())
    assert tester.model() is model


def test_an_index_whose_item_is_gone_finds_nothing(qapp):
    model = Branches()
    model.show_items([Branch("a", (Branch("x"),))])
    stale = [model.index_of("a"), model.index_of("x")]
    model.reset_items([Branch("b")])
    assert [model.item(index) for index in stale] == [None, None]
    assert [model.rowCount(index) for index in stale] == [0, 0]
    assert not model.index_of("x").isValid()


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
