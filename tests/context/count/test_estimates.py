"""The estimates that need no tokenizer, with the figures of the systems they come from."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.count.counting import (
    RFC_MESSAGE_TOKENS,
    RFC_NATIVE_EXTRA_BYTES,
    RFC_PART_TOKENS,
    chars4_tokens,
    rfc_buffered,
    rfc_text_tokens,
    rfc_tool_tokens,
)


def plain_message(text: str) -> int:
    return rfc_text_tokens(len(text.encode())) + RFC_MESSAGE_TOKENS


def test_hello_world_is_13():
    assert plain_message("Hello world") == 12
    assert rfc_buffered(plain_message("Hello world")) == 13


def test_hello_and_world_as_two_messages_are_21():
    assert rfc_buffered(plain_message("Hello") + plain_message("World")) == 21


def test_a_tool_result_of_400_bytes_is_141():
    part = rfc_text_tokens(400 + RFC_NATIVE_EXTRA_BYTES) + RFC_PART_TOKENS
    assert rfc_buffered(part + RFC_MESSAGE_TOKENS) == 141


@pytest.mark.parametrize(
    ("size", "tokens"), [(0, 0), (1, 1), (3, 1), (4, 2), (7, 2), (8, 3), (350, 100), (351, 101)]
)
def test_bytes_are_divided_by_three_and_a_half(size: int, tokens: int):
    assert rfc_text_tokens(size) == tokens


@given(amount=st.integers(0, 10**18))
def test_rounding_is_that_of_exact_fractions(amount: int):
    """Floats are off by one from about 10**15 on, and 20 × 1.05 is already above 21 in binary."""
    assert rfc_text_tokens(amount) == ceil(Fraction(amount) / Fraction(7, 2))
    assert rfc_buffered(amount) == ceil(Fraction(amount) * Fraction(105, 100))


@given(left=st.integers(0, 10**6), right=st.integers(0, 10**6))
def test_the_margin_is_monotonic(left: int, right: int):
    assert (rfc_buffered(left) <= rfc_buffered(right)) == (left <= right)


def test_a_tool_is_its_bytes_and_a_fifth_more():
    # 4 + 10 + 2 = 16 bytes; × 1.2 → 20; / 3.5 → 6; + 8
    assert rfc_tool_tokens("read", "Read files", "{}") == 14


def test_a_tool_without_words_is_its_overhead():
    assert rfc_tool_tokens("", "", "") == 8


def test_a_tool_is_measured_in_utf8():
    # 6 bytes; × 1.2 → 8; / 3.5 → 3; + 8
    assert rfc_tool_tokens("漢", "字", "") == 11


def test_a_lone_surrogate_breaks_nothing():
    assert rfc_tool_tokens("\ud800", "", "") > 8


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("漢字漢字漢", 2)]
)
def test_characters_are_divided_by_four(text: str, tokens: int):
    assert chars4_tokens(text) == tokens
