"""What a reader needs of a long text survives in a tenth of it."""

from __future__ import annotations

import pytest

from tests.benchmarks.bench_shorten import PLANTED, TEXTS, survivors


@pytest.mark.parametrize("what", sorted(PLANTED))
def test_what_is_planted_in_the_middle_survives_at_a_tenth(what: str):
    before, after = survivors(what)
    assert after >= 0.95 * TEXTS
    assert before <= 0.4 * TEXTS
