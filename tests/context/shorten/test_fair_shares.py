"""The longest cut that a number of tokens pays for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.context.shorten.fair_shares import chars_for, fair_shares, rounded_chars


@given(st.integers(0, 10**8))
def test_a_length_is_rounded_by_less_than_one_part_in_64(chars: int):
    rounded = rounded_chars(chars)
    assert rounded <= chars < rounded + max(1, rounded / 63)
    assert rounded_chars(rounded) == rounded


@given(st.integers(100, 50_000), st.integers(0, 60), st.floats(0.1, 2.0), st.floats(0.8, 1.3))
def test_an_uneven_cost_is_met_from_below(tokens: int, fixed: int, dense: float, bend: float):
    """The end of a text may be far dearer than its beginning, and something is added to every length."""
    text = 200_000

    def price(chars: int) -> int:
        return fixed + int(dense * chars * (chars / text) ** (bend - 1))

    whole = price(text)
    chars = chars_for(tokens, price, text, whole)
    if whole <= tokens:
        return
    if chars is None:
        assert tokens < fixed + 2 or price(64) > tokens
    else:
        assert price(chars) <= tokens
        if tokens > 10 * (fixed + 1) and chars > 500:
            assert price(chars) >= 0.9 * tokens


def test_nothing_is_found_where_no_cut_is_shorter():
    assert chars_for(10, lambda chars: None, 1_000, 1_000) is None


@given(st.integers(0, 500), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 300), min_size=1))
def test_shares_are_fair(room: int, wishes: dict[str, int]):
    shares = fair_shares(room, wishes)
    assert all(0 <= shares[key] <= wish for key, wish in wishes.items())
    assert sum(shares.values()) <= room
    unserved = [shares[key] for key, wish in wishes.items() if shares[key] < wish]
    assert not unserved or sum(shares.values()) == room
    assert not unserved or max(shares.values()) <= min(unserved) + 1
