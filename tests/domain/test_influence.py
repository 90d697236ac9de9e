from __future__ import annotations

import pytest

from workbench.domain.codec import decode, encode
from workbench.domain.influence import CarriedWords, Influence, PieceInfluence, Reliability, SentenceInfluence


@pytest.mark.parametrize(
    ("spearman", "held_out", "complete", "trust"),
    [
        (0.81, 16, False, "reliable"), (0.4, 16, False, "reliable"), (0.39, 40, False, "not_reliable"),
        (0.99, 15, False, "too_few"), (0.99, 11, True, "reliable"), (0.8, 4, True, "too_few"),
        (None, 16, False, "too_few"),
    ],
)  # fmt: skip
def test_a_rank_correlation_counts_from_sixteen_masks_on(spearman, held_out: int, complete: bool, trust: str):
    assert Reliability(spearman, held_out, complete).trust == trust


def test_a_result_comes_back_from_the_store_as_it_was():
    sentence = SentenceInfluence(3, "Only one.", 4, 1.5)
    piece = PieceInfluence(
        "a.md",
        "a.md",
        "L2_PREVIOUS",
        "artifact",
        12,
        ("a.md",),
        3.0,
        0.3,
        None,
        (CarriedWords(0, 4, 2.5),),
        (sentence,),
    )
    found = Influence("m", "masks", 2, "d", 10, -3.0, 0.0, 4, 5, 100, 60, (piece,), Reliability(0.5, 16))
    assert decode(Influence, encode(found)) == found
    assert found.cached_share == 0.6
    assert not found.complete
