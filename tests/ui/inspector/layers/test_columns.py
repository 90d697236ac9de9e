"""The columns of the tree-table, and how they give way."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QHeaderView
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.view import NARROW, WIDE, SegmentTree, TreeHeader, columns_for

NONE: frozenset[Column] = frozenset()


@pytest.fixture
def tree(qtbot: QtBot) -> SegmentTree:
    made = SegmentTree()
    qtbot.addWidget(made)
    made.resize(752, 500)
    made.show_view(sample_view())
    made.show()
    return made


def widths(tree: SegmentTree) -> dict[Column, int]:
    head = tree.head
    return {column: head.sectionSize(column) for column in Column if not head.isSectionHidden(column)}


def test_digest_goes_first_then_reason_then_cache(qtbot: QtBot):
    every = set(Column) - {Column.INFLUENCE}
    gone = {width: every - set(columns_for(width, NONE)) for width in (752, 660, 588, 480)}
    assert gone == {
        752: set(),
        660: {Column.DIGEST},
        588: {Column.DIGEST, Column.REASON},
        480: {Column.DIGEST, Column.REASON, Column.CACHE},
    }


def test_wide_the_columns_have_the_widths_of_the_design_and_reason_takes_the_rest(tree: SegmentTree):
    found = widths(tree)
    rest = found.pop(Column.REASON)
    off_or_rest = (
        Column.DIGEST,
        Column.REASON,
        Column.INFLUENCE,
    )  # a digest is for experts: off until chosen
    assert found == {column: width for column, width in WIDE.items() if column not in off_or_rest}
    assert sum(found.values()) + rest == tree.viewport().width()


def test_with_influence_reason_gives_way_and_nothing_is_cut_off(tree: SegmentTree):
    tree.head.show_influence(True, tree.viewport().width())
    assert Column.INFLUENCE in widths(tree)
    assert sum(widths(tree).values()) == tree.viewport().width()


def test_narrow_the_segment_takes_the_rest(tree: SegmentTree, qtbot: QtBot):
    tree.resize(588, 500)
    found = widths(tree)
    segment = found.pop(Column.SEGMENT)
    assert found == {column: NARROW[column] for column in found}
    assert sum(found.values()) + segment == tree.viewport().width()


def test_a_width_changed_by_hand_stays_after_a_narrow_time(tree: SegmentTree, qtbot: QtBot):
    with qtbot.waitSignal(tree.head.rearranged):
        tree.head.resizeSection(Column.STATE, 120)
    tree.resize(588, 500)
    tree.resize(752, 500)
    assert widths(tree)[Column.STATE] == 120


def test_what_was_left_is_found_again(tree: SegmentTree, qtbot: QtBot):
    tree.head.resizeSection(Column.TOKENS, 70)
    tree.head.want(Column.DIGEST, False, 752)
    kept = tree.head.remembered()
    other = SegmentTree()
    qtbot.addWidget(other)
    other.resize(752, 500)
    other.show_view(sample_view())
    other.show()
    other.head.restore(kept, 752)
    assert widths(other)[Column.TOKENS] == 70
    assert other.head.isSectionHidden(Column.DIGEST)
    assert other.head.unwanted() == {Column.DIGEST}


@pytest.mark.parametrize(
    "text", ["", "x", "1,2;3,4;5", "1,2,3;;", ",".join("1" * 9) + ";" + ",".join("1" * 9) + ";"]
)
def test_what_cannot_be_read_changes_nothing(tree: SegmentTree, text: str):
    before = widths(tree)
    tree.head.restore(text, 752)
    assert widths(tree) == before


def test_the_first_column_cannot_be_switched_off(tree: SegmentTree):
    tree.head.want(Column.SEGMENT, False, 752)
    assert not tree.head.isSectionHidden(Column.SEGMENT)


def test_widths_can_be_changed_by_hand(tree: SegmentTree):
    assert isinstance(tree.head, TreeHeader)
    assert tree.head.sectionResizeMode(Column.STATE) is QHeaderView.ResizeMode.Interactive


def test_a_head_is_as_high_as_a_row(tree: SegmentTree):
    assert tree.head.sizeHint().height() == 26


def test_influence_stands_beside_the_tokens_in_the_place_of_what_can_be_tuned(tree: SegmentTree):
    assert Column.INFLUENCE not in widths(tree)
    tree.head.show_influence(True, tree.viewport().width())
    found = widths(tree)
    assert found[Column.INFLUENCE] == WIDE[Column.INFLUENCE]
    assert found.keys().isdisjoint({Column.PRIORITY, Column.PIN})
    assert tree.head.visualIndex(Column.INFLUENCE) == tree.head.visualIndex(Column.TOKENS) + 1
