"""Marked answers in three languages: planted facts are absent, true ones are not, whatever form they have."""

from __future__ import annotations

import pytest

from tests.context.answers.fact_cases import fact_cases, scored


@pytest.mark.parametrize("name", ["mended", "measured"])
def test_planted_facts_are_absent_and_true_ones_are_not(name: str):
    """`mended` is what the finder was mended by; `measured` was written first, and its failures were not looked at."""
    score = scored(fact_cases(name))
    assert score.planted + score.true >= 200
    assert score.caught >= 0.98, score.wrong
    assert score.false_alarms <= 0.02, score.wrong


def test_the_states_of_the_design_are_all_there():
    states = {
        fact.state for name in ("mended", "measured") for case in fact_cases(name) for fact in case.facts()
    }
    assert states == {"found", "question", "earlier_answer", "computed", "absent"}
