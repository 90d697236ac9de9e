"""The card of what a piece carried: its lines add up to the piece's influence."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from tests.fakes.influence_results import looked_back
from workbench.ui.inspector.influence.carried import CarriedCard, carried_lines, sum_words


def test_words_and_all_others_add_up(qtbot: QtBot):
    _, chat = looked_back()
    assert chat.influence is not None
    result = chat.influence.result
    assert result is not None
    piece = result.pieces[0]
    lines = carried_lines(piece, "first words, and more")
    assert lines[0] == ("first", 25.0)
    assert sum(nats for _, nats in lines) == pytest.approx(piece.nats)
    assert sum_words(piece, result) == "0.40 a token × 100 answer tokens = 40.0 nats"
    card = CarriedCard()
    qtbot.addWidget(card)
    card.show_piece(piece, result, "first words, and more")
    assert "first 25.0; words 5.0; all other words 10.0" in card.accessibleDescription()
    card.show_piece(result.pieces[1], result, "first words, and more")
    assert not card.isVisible()
