"""Tokens next to the text they came with: split characters are joined, and nothing is shown that is not text."""

from __future__ import annotations

import time
from math import log
from typing import Any

import pytest

from workbench.domain.probability import Candidate, LikelyToken
from workbench.providers.wire.likely_tokens import LikelyTokens

SMILE = "😀".encode()


def told(piece: bytes, share: float, *others: tuple[bytes, float]) -> dict[str, Any]:
    row = {"token": piece.decode("utf-8", "replace"), "bytes": list(piece), "logprob": log(share)}
    top = [{"token": "", "bytes": list(one), "logprob": log(rank)} for one, rank in others]
    return {**row, "top_logprobs": top}


def read(*chunks: tuple[str, list[dict[str, Any]]]) -> list[LikelyToken]:
    reader = LikelyTokens()
    found = [part.token for text, rows in chunks for part in reader.take(text, rows)]
    return [LikelyToken(one.text, round(one.probability, 4), one.candidates) for one in found]


def test_a_token_with_its_candidates_the_likeliest_first():
    found = read((" usually", [told(b" usually", 0.38, (b" often", 0.27), (b" usually", 0.38))]))
    assert [one.text for one in found] == [" usually"]
    assert [one.text for one in found[0].candidates] == [" usually", " often"]
    assert found[0].candidates[1].probability == pytest.approx(0.27)


def test_a_character_split_over_tokens_is_one():
    """As vLLM and OpenAI report it: the text comes with the last of them."""
    assert read(("", [told(SMILE[:2], 0.5)]), ("😀", [told(SMILE[2:], 0.5)])) == [LikelyToken("😀", 0.25)]
    assert read(("漢 a", [told("漢".encode()[:1], 0.5), told("漢".encode()[1:], 1.0), told(b" a", 0.9)])) == [
        LikelyToken("漢", 0.5), LikelyToken(" a", 0.9),
    ]  # fmt: skip


def test_a_character_of_which_only_the_last_token_is_reported_is_still_one():
    """llama.cpp sends the text of all of them with the probability of the last."""
    assert read(("😀", [told(SMILE[3:], 0.4)]), (" b", [told(b" b", 1.0)])) == [
        LikelyToken("😀", 0.4), LikelyToken(" b", 1.0),
    ]  # fmt: skip


def test_a_candidate_that_is_a_part_of_a_character_is_left_out():
    found = read(("a", [told(b"a", 0.5, (SMILE[:2], 0.3), (b"b", 0.2))]))
    assert [one.text for one in found[0].candidates] == ["b"]


def test_thoughts_and_marks_that_are_no_text_do_not_shift_the_rest():
    assert read(("", [told(b"<think>", 0.9)]), ("", [told(b"hmm", 0.5)]), ("Hi", [told(b"Hi", 0.7)])) == [
        LikelyToken("Hi", 0.7)
    ]


def test_what_is_malformed_is_nothing_sure():
    odd = {"token": "a", "bytes": ["x"], "logprob": None, "top_logprobs": [1, {"token": 3}]}
    assert read(("a", [odd])) == [LikelyToken("a", 0.0, (Candidate("", 0.0),))]


def test_a_long_answer_is_read_as_it_comes():
    """5,000 tokens with five candidates each: a stream must not lag behind its server."""
    row = told(b" word", 0.5, *[(b" other", 0.1)] * 5)
    reader, begun = LikelyTokens(), time.process_time()
    for _ in range(5_000):
        assert len([*reader.take(" word", [row])]) == 1
    assert time.process_time() - begun < 1.5
