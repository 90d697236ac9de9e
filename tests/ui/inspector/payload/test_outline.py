"""The outline: what it lists, and how it follows a request that changes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

from tests.fakes.requests_shown import AUTH, view_of
from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.payload.reader import ACCENT_WIDTH, Outline, OutlineModel, item_name
from workbench.ui.look.theme import Theme, colour


def checked(model: OutlineModel) -> QAbstractItemModelTester:
    return QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)


def words(model: OutlineModel) -> list[str]:
    return [model.index(number).data() for number in range(model.rowCount())]


def test_it_lists_layers_and_rows_in_wire_order(qapp):
    model = OutlineModel()
    tester = checked(model)
    model.show(sample_view())
    assert words(model)[:4] == [
        "System, 1,060 tokens",
        "Instructions, 820 tokens",
        "Memory, 240 tokens",
        "Library, 775 tokens",
    ]
    assert "logs/big.log, not sent" in words(model)
    assert tester.model() is model


def test_a_row_more_or_less_leaves_the_others_where_they_are(qapp):
    model = OutlineModel()
    tester = checked(model)
    model.show(view_of("a", "b", "c"))
    told: list[str] = []
    model.rowsInserted.connect(lambda *_: told.append("in"))
    model.rowsRemoved.connect(lambda *_: told.append("out"))
    model.modelReset.connect(lambda: told.append("reset"))
    model.show(view_of("a", "b", "c", "d"))
    model.show(view_of("a", "b"))
    assert told == ["in", "out"]
    assert tester.model() is model


def test_a_row_that_changed_is_told_alone(qapp):
    model = OutlineModel()
    view = view_of("a", "b")
    model.show(view)
    changed: list[int] = []
    model.dataChanged.connect(lambda first, last: changed.extend(range(first.row(), last.row() + 1)))
    layer = view.layers[0]
    model.show(
        replace(view, layers=(replace(layer, rows=(layer.rows[0], replace(layer.rows[1], tokens=11))),))
    )
    assert changed == [0, 2]


def test_headings_cannot_be_chosen(qapp):
    model = OutlineModel()
    model.show(sample_view())
    assert not model.flags(model.index(0)) & Qt.ItemFlag.ItemIsSelectable
    assert model.flags(model.index(1)) & Qt.ItemFlag.ItemIsSelectable


def test_a_click_and_the_arrows_choose_and_step_over_headings(qtbot):
    outline = Outline()
    qtbot.addWidget(outline)
    outline.resize(188, 500)
    outline.show_view(sample_view())
    outline.show()
    picked: list[RowKey] = []
    outline.picked.connect(picked.append)
    memory = outline.visualRect(outline.model().index(2, 0)).center()
    QTest.mouseClick(outline.viewport(), Qt.MouseButton.LeftButton, pos=memory)
    QTest.keyClick(outline, Qt.Key.Key_Down)
    QTest.keyClick(outline, Qt.Key.Key_Up)
    QTest.keyClick(outline, Qt.Key.Key_Home)
    assert picked == [
        RowKey("L1_SYSTEM", "memory"),
        RowKey("L2_PREVIOUS", "project-spec.md"),
        RowKey("L1_SYSTEM", "memory"),
        RowKey("L1_SYSTEM", "persona"),
    ]


def test_selecting_from_outside_marks_the_row_and_tells_nobody(qtbot):
    outline = Outline()
    qtbot.addWidget(outline)
    outline.show_view(sample_view())
    picked: list[RowKey] = []
    outline.picked.connect(picked.append)
    outline.select(AUTH)
    assert [index.data() for index in outline.selectedIndexes()] == ["src/auth.py, 6,120 tokens"]
    outline.select(None)
    assert outline.selectedIndexes() == []
    assert picked == []


def test_lines_are_called_as_in_the_rest_of_the_window():
    layer = sample_view().layers[2]
    assert item_name(layer) == "History"
    assert [item_name(row) for row in layer.rows] == ["turns 1–6", "turn 7", "turn 8"]


def test_the_chosen_row_has_its_ground_and_an_edge_and_a_heading_its_own(qtbot, theme: Theme):
    outline = Outline()
    qtbot.addWidget(outline)
    outline.resize(188, 420)
    outline.show_view(sample_view())
    outline.select(AUTH)
    outline.show()
    seen = outline.viewport().grab().toImage()
    row = outline.visualRect(outline.selectedIndexes()[0])
    assert seen.pixelColor(row.left() + ACCENT_WIDTH - 1, row.top() + 3) == colour(theme.accent)
    assert seen.pixelColor(row.left() + ACCENT_WIDTH + 2, row.top() + 3) == colour(theme.sel)
    assert seen.pixelColor(3, 3) == colour(theme.sunken)
