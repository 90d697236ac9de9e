"""An answer that is read while it passes says the same as the whole one, wherever its bytes are cut."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.watch.test_split_streams import STREAMS, THOUGHT, WORDS, sse
from workbench.context.watch.reading import ArrivingAnswer, Grown
from workbench.domain.watch.exchange import WatchedFormat

LINES = [name for name in STREAMS if name != "gemini"]


def grown(name: WatchedFormat, pieces: Iterable[bytes]) -> dict[str, str]:
    reading, found = ArrivingAnswer(name), {"thought": "", "answer": "", "call": ""}
    for piece in pieces:
        for one in reading.take(piece):
            found[one.kind] += one.text
    return found


@pytest.mark.parametrize("name", LINES)
@given(places=st.lists(st.integers(0, 100), max_size=4), cuts=st.lists(st.integers(0, 3000), max_size=6))
def test_wherever_it_is_cut(name: WatchedFormat, places: list[int], cuts: list[int]):
    whole = STREAMS[name](places) + b"\n"
    ends = [0, *sorted(one % (len(whole) + 1) for one in cuts), len(whole)]
    found = grown(name, (whole[start:end] for start, end in pairwise(ends)))
    assert found == {"thought": THOUGHT, "answer": WORDS, "call": "Read"}


def test_gemini_in_events():
    chunks = [{"candidates": [{"content": {"parts": [{"text": one}]}}]} for one in ("It is ", "so.")]
    assert grown("gemini", [sse(*chunks)])["answer"] == "It is so."


def test_words_that_come_together_are_one_and_a_call_ends_them():
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "so "}}
    call = {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "Read"}}
    found = ArrivingAnswer("anthropic").take(sse(delta, delta, call, delta))
    assert found == (Grown("answer", "so so "), Grown("call", "Read"), Grown("answer", "so "))


@pytest.mark.parametrize(
    "piece",
    [b"data: {broken\n", b"event: ping\n\n: still here\n", b"<html>\n", b"data: [DONE]\n", b'data: "x"\n'],
)
def test_what_says_nothing_is_passed_over(piece: bytes):
    assert ArrivingAnswer("openai").take(piece) == ()


def test_an_answer_of_one_line_is_not_copied_for_every_piece_of_it():
    """Eight megabytes in pieces of a few kilobytes would be read for minutes."""
    reading = ArrivingAnswer("openai")
    document = json.dumps({"choices": [{"message": {"content": "x" * 400_000}}]}).encode()
    for start in range(0, len(document), 100):
        assert reading.take(document[start : start + 100]) == ()
    assert reading.take(b"\n") == (Grown("answer", "x" * 400_000),)
