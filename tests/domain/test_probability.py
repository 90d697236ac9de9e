"""Words of an answer by the probabilities of their tokens, kept and found again; damaged notes are no probabilities."""

from __future__ import annotations

import json

import pytest

from workbench.domain.probability import (
    PROBABILITIES,
    Candidate,
    LikelyToken,
    as_notes,
    begun_with,
    from_notes,
    likely_words,
)

OFTEN = Candidate(" often", 0.27)
TOKENS = (
    LikelyToken("It", 0.9),
    LikelyToken(" usually", 0.38, (Candidate(" usually", 0.38), OFTEN, Candidate("", 0.05))),
    LikelyToken(" ren", 0.9),
    LikelyToken("ews", 0.4, (Candidate("ewed", 0.41), Candidate("ews", 0.4))),
    LikelyToken(",", 0.1),
    LikelyToken(" 漢", 0.3),
    LikelyToken("字", 0.8),
    LikelyToken(" 😀", 0.2),
)
ANSWER = "Sure: It usually renews, 漢字 😀"


def notes(tokens: tuple[LikelyToken, ...] = TOKENS, start: int = 6) -> dict[str, object]:
    kept: dict[str, object] = json.loads(json.dumps({PROBABILITIES: as_notes(start, tokens)}))
    return kept


def test_what_was_reported_is_found_again_after_it_was_kept_as_json():
    assert from_notes(notes()) == (6, TOKENS)


def test_words_are_joined_of_their_tokens_and_named_by_the_least_sure_one():
    """Signs alone are no words; a script without spaces has a word for each token."""
    words = likely_words(ANSWER, notes())
    assert [(word.text, word.probability) for word in words] == [
        ("It", 0.9), ("usually", 0.38), ("renews", 0.4), ("漢", 0.3), ("字", 0.8),
    ]  # fmt: skip
    assert [ANSWER[word.start : word.end] for word in words] == [word.text for word in words]
    assert [word.text for word in words if word.is_doubted] == ["usually", "renews", "漢"]
    assert words[2].word_with(Candidate("ewed", 0.41)) == "renewed"
    assert words[1].other_share == pytest.approx(0.3)


def test_another_version_begins_with_all_up_to_the_token_and_the_candidate():
    usually, renews = likely_words(ANSWER, notes())[1:3]
    assert begun_with(ANSWER, usually, OFTEN) == "Sure: It often"
    assert begun_with(ANSWER, renews, Candidate("ewed", 0.41)) == "Sure: It usually renewed"


def test_tokens_that_do_not_stand_in_the_answer_are_passed_over():
    """Those of a thought, and of a mark that was taken off the end."""
    extra = (LikelyToken("hmm", 0.1), *TOKENS, LikelyToken("<|im_end|>", 0.9))
    assert likely_words(ANSWER, notes(extra)) == likely_words(ANSWER, notes())


@pytest.mark.parametrize(
    "kept",
    [None, [], {}, {"from": -1, "tokens": []}, {"from": 0, "tokens": [["a"]]}, {"from": 0, "tokens": [["a", 2]]},
     {"from": 0, "tokens": [["a", True]]}, {"from": 0, "tokens": [[1, 0.5]]}, {"from": "0", "tokens": []}],
)  # fmt: skip
def test_damaged_notes_are_no_probabilities(kept: object):
    assert likely_words("a", {PROBABILITIES: kept}) == ()
