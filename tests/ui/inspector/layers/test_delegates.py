"""The cells of the tree-table as they are painted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QSpinBox, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.delegates import DELEGATES, PriorityDelegate
from workbench.ui.inspector.layers.view import SegmentTree
from workbench.ui.look.theme import Theme

FILE = RowKey("L3_TURN", "src/auth.py")
LOG = RowKey("L3_TURN", "logs/big.log")
PERSONA = RowKey("L1_SYSTEM", "persona")


@pytest.fixture
def tree(qtbot: QtBot) -> SegmentTree:
    made = SegmentTree()
    qtbot.addWidget(made)
    made.resize(752, 500)
    made.show_view(sample_view())
    made.show()
    return made


def painted(tree: SegmentTree) -> QImage:
    return tree.viewport().grab().toImage()


def cell(tree: SegmentTree, key: RowKey, column: Column) -> QRect:
    return tree.visualRect(tree.rows.index_of(key, column))


def colours(image: QImage, rect: QRect) -> set[str]:
    return {
        image.pixelColor(x, y).name()
        for x in range(rect.left(), rect.right() + 1)
        for y in range(rect.top(), rect.bottom() + 1)
    }


def test_every_column_has_its_painter():
    assert set(DELEGATES) == set(Column)


def test_a_layer_carries_its_tag_in_its_colour(tree: SegmentTree, theme: Theme):
    first = tree.visualRect(tree.rows.index(0, Column.SEGMENT))
    assert QColor(theme.layers["L1_SYSTEM"].fill).name() in colours(painted(tree), first)


def test_what_fell_is_red_in_every_word(tree: SegmentTree, theme: Theme):
    image = painted(tree)
    red = QColor(theme.err).name()
    for column in (Column.SEGMENT, Column.TOKENS, Column.PRIORITY, Column.REASON):
        assert red in colours(image, cell(tree, LOG, column)), column
        assert red not in colours(image, cell(tree, FILE, column)), column


def test_the_chosen_row_shows_the_stepper_where_it_can_be_stepped(tree: SegmentTree, theme: Theme):
    accent = QColor(theme.accent).name()
    before = colours(painted(tree), cell(tree, FILE, Column.PRIORITY))
    tree.select(FILE)
    assert accent not in before
    assert accent in colours(painted(tree), cell(tree, FILE, Column.PRIORITY))
    tree.select(PERSONA)
    assert accent not in colours(painted(tree), cell(tree, PERSONA, Column.PRIORITY))


def test_a_pin_is_filled_where_it_holds(tree: SegmentTree, theme: Theme):
    image = painted(tree)
    accent = QColor(theme.accent_text).name()
    assert accent in colours(image, cell(tree, PERSONA, Column.PIN))
    assert accent not in colours(image, cell(tree, FILE, Column.PIN))


def test_a_state_stands_on_its_tint(tree: SegmentTree, theme: Theme):
    image = painted(tree)
    assert QColor(theme.err_tint).name() in colours(image, cell(tree, LOG, Column.STATE))
    assert QColor(theme.sunken).name() in colours(image, cell(tree, FILE, Column.STATE))


def test_a_priority_is_typed_in_a_field(tree: SegmentTree, qtbot: QtBot):
    delegate = tree.itemDelegateForColumn(Column.PRIORITY)
    assert isinstance(delegate, PriorityDelegate)
    index = tree.rows.index_of(FILE, Column.PRIORITY)
    editor = delegate.createEditor(tree.viewport(), QStyleOptionViewItem(), index)
    assert isinstance(editor, QSpinBox)
    assert (editor.minimum(), editor.maximum(), editor.accessibleName()) == (0, 10, "Priority")
    delegate.setEditorData(editor, index)
    assert editor.value() == 5
    editor.setValue(7)
    with qtbot.waitSignal(tree.rows.priority_typed) as told:
        delegate.setModelData(editor, tree.rows, index)
    assert told.args == [FILE, 7]
