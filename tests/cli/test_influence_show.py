from __future__ import annotations

from workbench.cli.influence_show import document
from workbench.domain.influence import Influence


def test_a_result_without_pieces_is_a_document_too():
    found = document(Influence("m", "leave_one_out", 1, "d", 0))
    assert found["segments"] == []
    assert found["reliability"] == {"spearman": None, "held_out": 0, "trust": "too_few"}
