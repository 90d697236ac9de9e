"""The grid of answers: what is chosen in it, and that it stands under its columns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.fakes.compared import COMPARISON, MINI
from tests.fakes.experiments import EXPERIMENT
from workbench.ui.inspector.compare.asking import CELL_HEIGHT, AnswersView, in_two
from workbench.ui.inspector.compare.cells import shown_columns
from workbench.ui.inspector.compare.columns import ColumnsView


@pytest.fixture
def grid(qtbot) -> AnswersView:
    columns = ColumnsView()
    first = replace(COMPARISON.columns[0], name="As sent")
    columns.show_columns(shown_columns(replace(COMPARISON, turn=7, columns=(first, *COMPARISON.columns[1:]))))
    made = AnswersView(columns)
    for one in (columns, made):
        qtbot.addWidget(one)
        one.resize(718, 320)
        one.show()
    made.show_answers(EXPERIMENT)
    columns.choose(0)
    return made


def test_arrows_choose_a_cell_and_enter_opens_it(grid: AnswersView, qtbot):
    opened: list[bool] = []
    grid.opened.connect(lambda: opened.append(True))
    assert grid.cell() is EXPERIMENT.cells[0]
    QTest.keyClick(grid, Qt.Key.Key_Right)
    assert grid.cell() is EXPERIMENT.cells[2]
    QTest.keyClick(grid, Qt.Key.Key_Down)
    assert grid.cell() is EXPERIMENT.cells[3]
    assert grid.accessibleDescription().endswith("not asked")
    grid.show_answers(EXPERIMENT, running=True)
    assert grid.accessibleDescription().endswith("waits for its turn")
    QTest.keyClick(grid, Qt.Key.Key_Return)
    assert opened == [True]


def test_a_click_chooses_the_cell_under_it(grid: AnswersView):
    box = grid._columns.box(1)
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=QPoint(int(box.left()) + 20, CELL_HEIGHT + 40))
    assert grid.cell() is EXPERIMENT.cells[3]
    assert grid._columns.columns()[grid._columns.place()].name == MINI.name


def test_it_is_as_high_as_its_rows_and_draws_every_state(grid: AnswersView):
    assert grid.sizeHint().height() >= 2 * CELL_HEIGHT
    assert not grid.grab().isNull()
    grid.show_answers(None)
    assert (grid.sizeHint().height(), grid.cell(), grid.rows()) == (0, None, ())


@pytest.mark.parametrize(
    ("title", "width", "lines"),
    [
        ("Built-in SmolLM2", 40, ("Built-in", "SmolLM2")),
        ("Built-in SmolLM2", 900, ("Built-in SmolLM2", "")),
        ("gpt-4.1-mini", 10, ("gpt-4.1-mini", "")),
    ],
)
def test_a_long_title_has_two_lines_where_it_has_words(
    qapp, title: str, width: float, lines: tuple[str, str]
):
    assert in_two(title, width) == lines
