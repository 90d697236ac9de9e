"""Vectors of sections: packed and opened again, the nearest found, and joined to the ranking by words."""

from __future__ import annotations

from math import sin

import pytest

from tests.context.folders.test_rank import DOCS, segment_of
from workbench.context.folders.rank import Hit
from workbench.context.folders.vectors import Vectors, are_vectors, fused, nearest_sections, pack_vectors
from workbench.context.recall.rank import run_to_end

SEGMENT = segment_of(DOCS)


def vectors(size: int = 32, seed: int = 1) -> list[list[float]]:
    return [[sin(7.3 * place * size + at * at + seed) for at in range(size)] for place in range(len(SEGMENT))]


def nearest(packed: bytes, vector: list[float], model: str = "m") -> list[int]:
    indexed = [(SEGMENT, Vectors(packed, len(SEGMENT)))]
    return [hit.place for hit in run_to_end(nearest_sections(indexed, model, vector))]


def test_the_nearest_comes_first_and_nothing_of_another_model_or_length():
    made = vectors()
    packed = pack_vectors("m", made)
    for place, vector in enumerate(made):
        assert nearest(packed, [value + 0.01 for value in vector])[0] == place
    assert nearest(packed, made[0], "other") == []
    assert nearest(packed, made[0][:-1]) == []


def test_a_section_without_a_vector_and_a_file_that_is_gone_are_near_nothing():
    made = vectors()
    packed = pack_vectors("m", [[0.0] * 32, *made[1:]])
    assert 0 not in nearest(packed, made[0])
    SEGMENT.dead = {SEGMENT.file_of[1]}
    assert 1 not in nearest(packed, made[1])
    SEGMENT.dead = set()


@pytest.mark.parametrize(
    "broken", [b"FOLDVEC1", b"FOLDVEC1[1]\n", b"FOLDVEC1not json\n", b'FOLDVEC1["m", 4]\nxy']
)
def test_damaged_vectors_are_none(broken: bytes):
    assert Vectors(broken, len(SEGMENT)).dimensions == 0
    assert nearest(broken, [1.0, 0.0, 0.0, 0.0]) == []


def test_ranks_are_joined_the_same_way_each_time_and_the_best_score_stays():
    words = [Hit(SEGMENT, place, 9.0 - place) for place in (0, 1, 2)]
    meaning = [Hit(SEGMENT, place, 0.5) for place in (3, 2)]
    joined = fused(words, meaning)
    assert [hit.place for hit in joined] == [2, 0, 3, 1]
    assert joined == fused(words, meaning)
    assert joined[0].score == pytest.approx(9.0)
    assert sorted((hit.score for hit in joined), reverse=True) == [hit.score for hit in joined]
    assert [hit.place for hit in fused(words, ())] == [0, 1, 2]
    assert fused((), ()) == ()


@pytest.mark.parametrize(
    "found", [[], [[1.0]], [[1.0], [1.0, 2.0]], [[], []], [[float("nan")], [1.0]], [[float("inf")], [1.0]]]
)
def test_what_is_no_vector_for_each_text_is_not_used(found: list[list[float]]):
    assert not are_vectors(found, 2)
    assert are_vectors([[1.0, 0.0], [0.0, 1.0]], 2)
