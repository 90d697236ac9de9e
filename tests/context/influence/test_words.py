from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.influence.weighing import carried_words, token_words, word_spans
from workbench.domain.influence import AnswerTokens


def cut(*pieces: str) -> tuple[str, AnswerTokens]:
    return "".join(pieces), AnswerTokens(tuple(range(len(pieces))), tuple(p.encode() for p in pieces))


def test_tokens_belong_to_the_word_that_they_write():
    text, answer = cut("The", " pil", "ot", " paid", " ", "1", "1", "1", " eu", "ros.", "\n")
    assert token_words(text, answer) == (0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4)


def test_a_character_of_several_tokens_is_one_word():
    word = "naïve".encode()
    answer = AnswerTokens((0, 1, 2, 3), (b"a ", word[:3], word[3:], b" b"))
    assert token_words("a naïve b", answer) == (0, 1, 1, 2)


@given(st.lists(st.text("ab \n", min_size=1, max_size=4), min_size=1, max_size=12))
def test_every_token_has_a_word_in_order(pieces: list[str]):
    text, answer = cut(*pieces)
    found = token_words(text, answer)
    assert len(found) == len(pieces)
    assert list(found) == sorted(found)
    assert all(place < len(word_spans(text)) for place in found)


def test_neighbours_that_were_carried_are_one_run_and_the_strongest_comes_first():
    text, answer = cut("It", " is", " the", " lock", " that", " is", " made", " anew", ".")
    full = [-0.1] * 9
    without = [-0.1, -0.2, -0.1, -3.1, -0.1, -0.1, -4.0, -5.0, -0.1]
    found = carried_words(text, token_words(text, answer), full, without)
    assert [text[one.start : one.end] for one in found] == ["made anew.", "lock"]
    assert [one.nats for one in found] == pytest.approx([8.8, 3.0])


def test_words_that_are_a_little_less_likely_are_not_marked():
    text, answer = cut("Yes", ",", " it", " is", ".")
    assert carried_words(text, token_words(text, answer), [-0.1] * 5, [-0.2] * 5) == ()


def test_a_piece_that_carried_nothing_carried_no_words():
    """A file that could go was said to have carried “out.” and “Friday.”, most of all."""
    text, answer = cut("It", " goes", " out", " every", " Friday")
    words = token_words(text, answer)
    assert carried_words(text, words, [-0.5] * 5, [-0.1, -0.1, -1.3, -0.1, -1.0]) == ()
    assert len(carried_words(text, words, [-0.5] * 5, [-0.1, -0.1, -2.6, -0.1, -0.1])) == 1
    assert len(carried_words(text, words, [-0.5] * 5, [-0.5, -0.5, -1.6, -0.5, -1.6])) == 2
