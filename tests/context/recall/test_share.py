"""What comes back within 2,000 tokens of a conversation of 600 turns: a small run of tests/benchmarks/bench_recall."""

from __future__ import annotations

import pytest

from tests.benchmarks.bench_recall import METHODS, near_words, shares
from tests.benchmarks.recall_cases.conversations import KINDS, TURNS, conversation, shared, talk


def share(kind: str, method: str, seed: int) -> float:
    found, _ = shares(kind, [seed], near_words())
    return sum(found[kind, method, 2_000]) / len(found[kind, method, 2_000])


@pytest.mark.parametrize(
    ("kind", "least"), [("far", 0.6), ("german", 0.85), ("chinese", 0.85), ("planning", 0.9)]
)
def test_most_answers_come_back(kind, least):
    assert share(kind, METHODS[-1], 300) >= least


def test_the_questions_without_shared_words_share_none():
    held = conversation("far", 300)
    assert len(talk("far").facts) >= 60
    assert [each for each in held.questions if shared(held.messages[each.answer].text, each.text)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_conversation_is_as_long_as_it_says_and_the_same_for_a_seed(kind):
    held = conversation(kind, 300)
    assert len(held.messages) == TURNS
    assert len({each.text for each in held.questions}) == len(held.questions)
    assert conversation(kind, 300) == held
