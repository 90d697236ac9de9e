"""The model of the tree-table: it tells exactly what changed, and nothing more."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from tests.fakes.envelope_views import long_view, made_row, made_view, retyped, wandering
from tests.fakes.sample_envelope import over_view, sample_view, trial_view
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.model import LayersModel

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


class Listener:
    """A view that believes only what it is told: its cells are right where every change was told."""

    def __init__(self, model: LayersModel) -> None:
        self._model = model
        self.resets = 0
        self.told: list[tuple[int, int, int, int]] = []
        self.cells: list[tuple[list[str], list[list[str]]]] = []
        model.rowsInserted.connect(self._inserted)
        model.rowsRemoved.connect(self._removed)
        model.dataChanged.connect(self._changed)
        model.modelReset.connect(self._reset)

    def _line(self, row: int, parent: QModelIndex) -> list[str]:
        return [self._cell(row, column, parent) for column in Column]

    def _cell(self, row: int, column: int, parent: QModelIndex) -> str:
        index = self._model.index(row, column, parent)
        item = self._model.item(index)
        share = self._model.scale.of_largest(item.tokens) if item is not None else 0.0
        return f"{index.data()} {share:.3f}" if column == Column.SHARE else str(index.data())

    def _inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        for row in range(first, last + 1):
            if parent.isValid():
                self.cells[parent.row()][1].insert(row, self._line(row, parent))
            else:
                index = self._model.index(row, 0)
                rows = [self._line(child, index) for child in range(self._model.rowCount(index))]
                self.cells.insert(row, (self._line(row, parent), rows))

    def _removed(self, parent: QModelIndex, first: int, last: int) -> None:
        lines: list[Any] = self.cells[parent.row()][1] if parent.isValid() else self.cells
        del lines[first : last + 1]

    def _changed(self, top: QModelIndex, bottom: QModelIndex, _roles: object = None) -> None:
        parent = top.parent()
        self.told.append((top.row(), bottom.row(), top.column(), bottom.column()))
        for row in range(top.row(), bottom.row() + 1):
            line = self.cells[parent.row()][1][row] if parent.isValid() else self.cells[row][0]
            for column in range(top.column(), bottom.column() + 1):
                line[column] = self._cell(row, column, parent)

    def _reset(self) -> None:
        self.resets += 1

    def fresh(self) -> list[tuple[list[str], list[list[str]]]]:
        """The cells as they are, all asked for anew."""
        made = []
        for row in range(self._model.rowCount()):
            index = self._model.index(row, 0)
            made.append(
                (
                    self._line(row, QModelIndex()),
                    [self._line(child, index) for child in range(self._model.rowCount(index))],
                )
            )
        return made


@pytest.fixture
def model(qtbot: QtBot) -> LayersModel:
    made = LayersModel()
    made.setParent(None)
    return made


@pytest.mark.parametrize("seed", range(6))
def test_whatever_changes_a_view_that_listens_stays_right(model: LayersModel, seed: int):
    """A missed signal leaves an old text on the screen."""
    listener = Listener(model)
    for view in wandering(seed, 30):
        model.show_view(view)
        assert listener.cells == listener.fresh()
        check_layers(model, view)
    assert listener.resets == 0


@pytest.mark.parametrize("seed", range(20, 23))
def test_whatever_changes_qt_finds_no_fault(model: LayersModel, seed: int):
    """A wrong signal corrupts Qt's persistent indexes, which ends the program later and elsewhere."""
    tester = QAbstractItemModelTester(model, FATAL)
    for view in wandering(seed, 10):
        model.show_view(view)
        check_layers(model, view)
    tester.deleteLater()


def check_layers(model: LayersModel, view: EnvelopeView | None) -> None:
    layers = view.layers if view is not None else ()
    assert [model.item(index) for index in model.layer_indexes()] == list(layers)
    for layer in layers:
        for row in layer.rows:
            index = model.index_of(row.key)
            assert model.row(index) == row
            assert model.item(index.parent()) == layer


def test_a_keystroke_tells_only_of_the_draft_and_its_layer(model: LayersModel):
    view = long_view(200)
    model.show_view(view)
    listener = Listener(model)
    listener.cells = listener.fresh()
    model.show_view(retyped(view, 43))
    assert {(top, bottom) for top, bottom, _, _ in listener.told} == {(3, 3), (0, 0)}
    assert {(first, last) for _, _, first, last in listener.told} == {(1, 2), (7, 7)}
    assert listener.cells == listener.fresh()


def test_equal_rows_made_anew_tell_nothing(model: LayersModel):
    view = long_view(200)
    model.show_view(view)
    listener = Listener(model)
    listener.cells = listener.fresh()
    model.show_view(retyped(view, 42, anew=True))
    assert [told for told in listener.told if told[2] != Column.DIGEST] == []


def test_the_same_view_tells_nothing_at_all(model: LayersModel):
    view = sample_view()
    model.show_view(view)
    listener = Listener(model)
    listener.cells = listener.fresh()
    model.show_view(view)
    assert listener.told == []


def test_rows_that_stay_keep_their_indexes(model: LayersModel):
    model.show_view(sample_view())
    kept = QPersistentModelIndex(model.index_of(RowKey("L4_STRIP", "turn 8")))
    model.show_view(trial_view())
    assert kept.isValid()
    row = model.row(kept)
    assert row is not None
    assert row.key == RowKey("L4_STRIP", "turn 8")
    assert kept.row() == 1


def test_another_scale_repaints_every_mini_bar(model: LayersModel):
    model.show_view(sample_view())
    listener = Listener(model)
    listener.cells = listener.fresh()
    model.show_view(over_view())
    assert listener.cells == listener.fresh()


def test_only_a_priority_that_can_be_changed_can_be_typed(model: LayersModel):
    model.show_view(sample_view())

    def editable(key: RowKey, column: Column) -> bool:
        flags = model.flags(model.index_of(key, column))
        return bool(flags & Qt.ItemFlag.ItemIsEditable)

    assert editable(RowKey("L3_TURN", "src/auth.py"), Column.PRIORITY)
    assert not editable(RowKey("L3_TURN", "src/auth.py"), Column.TOKENS)
    assert not editable(RowKey("L4_STRIP", "turn 7"), Column.PRIORITY)
    assert not editable(RowKey("L1_SYSTEM", "persona"), Column.PRIORITY)


def test_a_typed_priority_is_handed_on_and_not_kept(model: LayersModel, qtbot: QtBot):
    model.show_view(sample_view())
    index = model.index_of(RowKey("L3_TURN", "src/auth.py"), Column.PRIORITY)
    with qtbot.waitSignal(model.priority_typed) as told:
        assert not model.setData(index, 8)
    assert told.args == [RowKey("L3_TURN", "src/auth.py"), 8]
    assert index.data() == "5"
    with qtbot.assertNotEmitted(model.priority_typed):
        model.setData(index, 5)


def test_tooltips_are_escaped(model: LayersModel):
    model.show_view(made_view({"L3_TURN": (made_row("L3_TURN", "<b>x</b>"),)}))
    told = model.index_of(RowKey("L3_TURN", "<b>x</b>")).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;x" in told


def test_a_line_has_its_spoken_text_in_the_first_column(model: LayersModel):
    model.show_view(sample_view())
    index = model.index_of(RowKey("L3_TURN", "src/auth.py"))
    told = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert told.startswith("src/auth.py, 6,120 tokens")


def test_an_unknown_key_has_no_place(model: LayersModel):
    model.show_view(sample_view())
    assert not model.index_of(RowKey("L3_TURN", "gone.py")).isValid()
    assert isinstance(model, QAbstractItemModel)
