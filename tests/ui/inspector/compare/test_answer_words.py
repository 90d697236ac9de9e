"""The answers of an experiment in rows and words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.compared import MINI
from tests.fakes.experiments import EXPERIMENT, LONG, OTHER, experiment_view
from workbench.domain.experiment import Cell, Experiment
from workbench.ui.inspector.compare.answer_words import (
    answer_rows,
    figures,
    head_words,
    other_words,
    price_words,
    spoken,
)

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
    assert [OTHER[start:end] for start, end in other_words(LONG, OTHER)] == ["slow,", "131, 144", "152."]
    assert other_words("", OTHER) == ()
    assert other_words(LONG, LONG) == ()


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
