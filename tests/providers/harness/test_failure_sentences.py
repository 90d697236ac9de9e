"""The sentences themselves."""

from __future__ import annotations

import pytest

from workbench.providers.harness.failures import SENTENCES, STOPPED_EMPTY, numbers_in_words

PARTS = dict.fromkeys(("host", "model", "status", "wait", "numbers", "seconds", "what"), "x")


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_can_be_filled_names_the_host_and_says_what_to_do(name: str):
    sentence = SENTENCES[name].format(**PARTS)
    assert "{" not in sentence
    assert "{host}" in SENTENCES[name] or name == "context"
    assert sentence.count(". ") >= 1
    assert len(sentence) <= 240
    assert "send again" not in sentence.lower()  # it stands in cells of a grid, too, where nothing is sent
    assert "go on" not in sentence


def test_an_empty_end_has_a_sentence():
    assert set(STOPPED_EMPTY.values()) <= SENTENCES.keys()


@pytest.mark.parametrize(
    ("limit", "asked", "words"),
    [
        (None, None, ""),
        (8, None, " (8 tokens fit)"),
        (None, 9, " (it has 9 tokens)"),
        (8000, 9, " (it has 9 tokens, 8,000 fit)"),
    ],
)
def test_numbers_are_said_as_far_as_they_are_known(limit: int | None, asked: int | None, words: str):
    assert numbers_in_words(limit, asked) == words
