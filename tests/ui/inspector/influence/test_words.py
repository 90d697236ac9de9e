"""Influence in words."""

from __future__ import annotations

from tests.fakes.influence_results import first_key, looked_back
from workbench.domain.influence import FinerLook
from workbench.domain.shown.envelope_view import RowPart
from workbench.ui.influence_figures import figures_of
from workbench.ui.inspector.influence import words


def test_a_negative_figure_has_a_minus_and_nothing_has_none():
    assert words.value_text(0.414) == "0.41"
    assert words.value_text(-0.012) == "−0.01"
    assert words.value_text(-0.001) == "0.00"


def test_a_cell_says_its_figure_and_the_question_has_none():
    _, chat = looked_back()
    assert chat.opened is not None
    assert chat.influence is not None
    assert chat.influence.result is not None
    figures = figures_of(chat.influence.result, chat.opened)
    row = chat.opened.row(first_key(chat))
    question = next(row for layer in chat.opened.layers if layer.name == "L5_USER" for row in layer.rows)
    assert row is not None
    assert words.cell_words(row, figures) == "0.40"
    assert words.spoken_words(row, figures) == "influence 0.40"
    assert words.cell_words(question, figures) == "—"
    assert words.cell_tip(question, figures) == "Not measured: the question is never left out."


def test_a_sentence_is_named_by_its_line_and_the_rest_by_their_number():
    assert words.part_name(RowPart("sentence", "So.", 2, 31, 0.1)) == "line 31"
    assert words.part_text(RowPart("sentence", "So\nit is.", 2, 31, 0.1)) == "“So it is.”"
    assert words.part_name(RowPart("sentences", "", 2, 1, 0.1)) == "1 more sentence"


def test_a_grouped_result_says_what_each_piece_alone_takes():
    _, chat = looked_back(finer=FinerLook(400, 417, 1_250_000), notes=("Stopped.",))
    assert chat.influence is not None
    assert chat.influence.result is not None
    assert words.notes_words(chat.influence.result) == (
        "Stopped. Scored in groups. Each of 400 pieces alone takes 417 requests, 1.25M tokens."
    )
