"""The grid of answers: its rows and words, what is chosen in it, and that it stands under its columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.fakes.compared import COMPARISON, MINI
from tests.fakes.experiments import EXPERIMENT, LONG, OTHER, experiment_view
from workbench.domain.experiment import Cell, Experiment
from workbench.ui.inspector.compare.answer_words import (
    answer_rows,
    fact_words,
    figures,
    head_words,
    price_words,
    spoken,
)
from workbench.ui.inspector.compare.asking import CELL_HEIGHT, AnswersView, in_two
from workbench.ui.inspector.compare.cells import shown_columns
from workbench.ui.inspector.compare.columns import ColumnsView
from workbench.ui.widgets.found_words import LINES, differing_ranges

COLUMNS = ("As sent", MINI.name)


def test_there_is_a_row_for_each_model_and_repeat():
    rows = answer_rows(EXPERIMENT, COLUMNS)
    assert [(row.title, row.note, len(row.cells)) for row in rows] == [("gpt-4.1", "", 2), ("nano", "", 2)]
    cells = tuple(replace(cell, repeat=n) for cell in EXPERIMENT.cells for n in (1, 2))
    rows = answer_rows(replace(EXPERIMENT, cells=cells), COLUMNS)
    assert [(row.title, row.note) for row in rows][:2] == [("gpt-4.1", "1 of 2"), ("gpt-4.1", "2 of 2")]


def test_where_each_variant_has_its_own_model_they_stand_in_one_row():
    cells = (Cell("As sent", "a", 1, "complete", "One"), Cell(MINI.name, "b", 1, "complete", "Two"))
    (row,) = answer_rows(Experiment("c", 1, cells), COLUMNS)
    assert (row.title, row.note) == ("Own model", "of each variant")
    assert [cell.answer for cell in row.cells.values()] == ["One", "Two"]
    (row,) = answer_rows(Experiment("c", 1, (cells[0], replace(cells[1], model="a"))), COLUMNS)
    assert row.title == "a"


def test_words_that_the_first_answer_does_not_have_are_marked():
    assert [OTHER[start:end] for start, end in differing_ranges(LONG, OTHER)] == ["slow,", "131, 144", "152."]
    assert differing_ranges("", OTHER) == ()
    assert differing_ranges(LONG, LONG) == ()


def test_figures_are_those_that_are_known():
    assert figures(EXPERIMENT.cells[0]) == "$0.0049 · 212 out · 4.1 s"
    assert figures(EXPERIMENT.cells[3]) == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stage": "failed", "problem": "It is gone."}, "It is gone."),
        ({"stage": "working", "most_usd": 0.0}, "4 requests · 26,468 tokens · no cost"),
        ({"stage": "done"}, "3 of 4 asked · $0.0070"),
    ],
)
def test_the_head_says_what_it_takes_and_took(changes: dict[str, object], words: str):
    view = experiment_view("q", **changes)
    assert head_words(view, EXPERIMENT if view.stage == "done" else None) == words


def test_without_answers_it_says_what_asking_is():
    assert head_words(None, None).startswith("Ask this question under every variant")


def test_a_price_is_said_with_what_judging_takes():
    view = experiment_view("q", stage="offered", judgements=4, expected_usd=0.02, most_usd=0.05)
    assert price_words(view) == "4 requests · 4 requests to judge · 26,468 tokens · ≈ $0.020, at most $0.0500"
    assert price_words(experiment_view("q", stage="offered")).endswith("price unknown")


def test_every_cell_can_be_said():
    first, second = answer_rows(EXPERIMENT, COLUMNS)
    assert spoken(first, MINI.name).startswith(f"{MINI.name}, gpt-4.1: The 60 s bound")
    assert "lacks 152: failed" in spoken(first, MINI.name)
    assert spoken(second, "As sent") == "As sent, nano: The server answered 529: overloaded."
    assert spoken(second, MINI.name, running=True).endswith("waits for its turn")
    assert spoken(second, MINI.name).endswith("not asked")
    over = replace(EXPERIMENT.cells[3], problem="it does not fit, over by 19 tokens.")
    (row, *_) = answer_rows(replace(EXPERIMENT, cells=(over,)), COLUMNS)
    assert spoken(row, MINI.name).endswith("over by 19 tokens.")
    assert spoken(second, "Nobody").endswith("not asked")


def test_facts_that_a_request_does_not_have_are_a_line_of_each_cell():
    cell = replace(EXPERIMENT.cells[0], facts=("60 s", "8443"), absent=("8443",))
    assert fact_words(cell) == "2 facts, 1 not: 8443"
    assert fact_words(replace(cell, absent=())) == "2 facts, none absent"
    assert fact_words(replace(cell, facts=("60 s",), absent=None)) == ""
    assert fact_words(EXPERIMENT.cells[0]) == ""
    (row, *_) = answer_rows(replace(EXPERIMENT, cells=(cell,)), COLUMNS)
    assert "; 2 facts, 1 not: 8443; $0.0049" in spoken(row, "As sent")


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


def test_facts_that_differ_and_facts_that_are_absent_are_marked(grid: AnswersView):
    first = Cell(
        "As sent", "a", 1, "complete", "It takes 60 s on port 443.", facts=("60 s", "443"), absent=()
    )
    other = replace(
        first,
        variant=MINI.name,
        answer="It takes 60 s on port 8443.",
        facts=("60 s", "8443"),
        absent=("8443",),
    )
    marks: list[Any] = list(grid._marks(other.answer, other, first))  # the stub of a range lacks its fields
    told = [(other.answer[one.start : one.start + one.length], one.format) for one in marks]
    assert [words for words, _ in told] == ["8443.", "8443", "8443"]
    assert told[1][1].fontWeight() == 600
    assert told[2][1].underlineStyle() == LINES["dotted"]
    assert grid._marks(first.answer, first, first) == []
    grid.show_answers(replace(EXPERIMENT, cells=(first, other)))
    assert not grid.grab().isNull()


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
