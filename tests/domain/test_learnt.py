"""What is learnt of a model."""

from __future__ import annotations

from workbench.domain.model import Calibration, ModelLearnt, Truncation, TurnReport


def test_nothing_is_learnt_at_first():
    assert ModelLearnt() == ModelLearnt(0, 0, None)
    assert Calibration().ratio == TurnReport("m").ratio == 1.0
    assert Truncation(9, 4).read_tokens == 4
