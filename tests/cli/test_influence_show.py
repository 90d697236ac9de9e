from __future__ import annotations

import pytest

from workbench.cli.influence import _print, document
from workbench.domain.influence import Influence, PieceInfluence, Reliability, SentenceInfluence


def test_a_result_without_pieces_is_a_document_too():
    found = document(Influence("m", "leave_one_out", 1, "d", 0))
    assert found["segments"] == []
    assert found["reliability"] == {"spearman": None, "held_out": 0, "trust": "too_few"}


@pytest.mark.parametrize(
    ("reliability", "words"),
    [
        (Reliability(0.812, 16), "; reliable (ρ 0.81 on 16 unseen masks)"),
        (Reliability(0.2, 16), "; not reliable here (ρ 0.20 on 16 unseen masks)"),
        (Reliability(None, 3), "; reliability unknown: too few unseen masks"),
        (Reliability(None, 1, complete=True), "; every combination of pieces was scored"),
    ],
)
def test_how_far_to_trust_it_stands_beside_it(
    reliability: Reliability, words: str, capsys: pytest.CaptureFixture[str]
):
    _print(Influence("m", "leave_one_out", 1, "d", 10, reliability=reliability), "")
    assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Influence("m", "leave_one_out", 1, "d", 48, drift=0.96), "differences under 0.020 mean nothing"),
        (Influence("m", "asking", 1, "d", 48, drift=0.2), "differences under 20% mean nothing"),
    ],
)
def test_the_drift_has_the_unit_of_the_influence_below_it(
    found: Influence, words: str, capsys: pytest.CaptureFixture[str]
):
    """The drift of a whole answer looked larger than pieces that had many times as much."""
    _print(found, "")
    assert words in capsys.readouterr().out


def test_sentences_and_the_rest_sum_to_their_piece(capsys: pytest.CaptureFixture[str]):
    sentences = (SentenceInfluence(1, "One.", 4, 3.0),)
    piece = PieceInfluence(
        "a",
        "a",
        "L3_TURN",
        "artifact",
        9,
        nats=2.0,
        per_answer_token=0.2,
        sentences=sentences,
        more_nats=-1.0,
    )
    _print(Influence("m", "leave_one_out", 1, "d", 10, pieces=(piece,)), "")
    shown = capsys.readouterr().out.split("\n")
    assert [line.split()[-1] for line in shown if line.startswith("L3")] == ["0.20"]
    assert any("line 1" in line and "0.30" in line for line in shown)
    assert any("the rest" in line and "-0.10" in line for line in shown)
