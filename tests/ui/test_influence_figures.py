"""Pieces at their rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.influence_results import first_key, looked_back
from workbench.domain.influence import Influence
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui.influence_figures import figures_of, piece_at, sorted_view

_, CHAT = looked_back()
FIRST = first_key(CHAT)


def parts() -> tuple[Influence, EnvelopeView]:
    assert CHAT.influence is not None
    assert CHAT.influence.result is not None
    assert CHAT.opened is not None
    return CHAT.influence.result, CHAT.opened


def test_the_largest_figure_fills_its_bar_and_a_negative_one_as_far():
    figures = figures_of(*parts())
    assert figures.rows[FIRST].value == figures.largest == pytest.approx(0.4)
    assert figures.share(figures.largest) == 1.0
    assert figures.share(-0.1) == pytest.approx(0.25)


def test_sentences_and_the_rest_add_up_to_their_row():
    figures = figures_of(*parts())
    told = figures.sentences[FIRST]
    assert [part.source for part in told] == ["sentence", "sentences"]
    assert sum(part.influence or 0.0 for part in told) == pytest.approx(figures.rows[FIRST].value)


def test_pieces_of_one_row_add_up_and_a_group_stands_at_its_first_row():
    result, view = parts()
    one, other = result.pieces[:2]
    double = replace(result, pieces=(one, replace(one, id=f"{one.id}:part")))
    assert figures_of(double, view).rows[FIRST].value == pytest.approx(0.8)
    group = replace(one, members=(*one.members, *other.members), layer="L1_SYSTEM")
    rows = figures_of(replace(result, pieces=(group,)), view).rows
    assert sorted(found.first for found in rows.values()) == [False] * (len(rows) - 1) + [True]


def test_sorted_by_influence_without_layers_and_the_question_last():
    result, view = parts()
    flat = sorted_view(view, figures_of(result, view))
    assert len(flat.layers) == 1
    assert flat.layers[0].rows[0].key == FIRST
    assert flat.layers[0].rows[-1].key.layer == "L5_USER"
    assert {row.key for row in flat.layers[0].rows} == {
        row.key for layer in view.layers for row in layer.rows
    }


def test_a_row_has_its_strongest_piece():
    result, view = parts()
    assert piece_at(FIRST, result, view) == result.pieces[0]
    assert piece_at(FIRST._replace(id="nowhere"), result, view) is None
