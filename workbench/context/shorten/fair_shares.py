"""Shares tokens fairly among texts, and finds the length of a text that costs its share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_TRIES = 12
_GOOD_USE = 0.96

Price = Callable[[int], int | None]
"""What a text costs when it is cut to a number of characters; None where that would not make it shorter."""


def rounded_chars(chars: int) -> int:
    """A length rounded down by less than 1/64, so that it is stable while a question is typed."""
    step = 1 << max(0, chars.bit_length() - 7)
    return chars - chars % step


def chars_for(tokens: int, price: Price, text_chars: int, whole_tokens: int) -> int | None:
    """The greatest length found that costs at most so many tokens; None where none was found.

    Interpolates between a length that fits and one that does not, and bisects where the same end moved twice.
    """
    best: int | None = None
    low, high = (0, 0), (text_chars, max(whole_tokens, tokens + 1))
    side, again, tried = 0, False, set[int]()
    for _ in range(_TRIES):
        even = low[0] + (high[0] - low[0]) * (tokens - low[1]) // max(1, high[1] - low[1])
        chars = rounded_chars((low[0] + high[0]) // 2 if again else even)
        if chars <= low[0] or chars in tried:
            chars = rounded_chars((low[0] + high[0]) // 2)
            if chars <= low[0] or chars in tried:
                break
        tried.add(chars)
        cost = price(chars)
        if cost is not None and cost <= tokens:
            best, low, moved = chars, (chars, cost), -1
            if cost >= tokens * _GOOD_USE:
                break
        else:
            # So little would be cut that saying so takes more: then it costs as much as the whole.
            high, moved = (chars, whole_tokens if cost is None else cost), 1
        side, again = moved, moved == side and not again
    return best


def fair_shares(room: int, wishes: Mapping[str, int]) -> dict[str, int]:
    """Max-min fair shares: none gets more than it wants, and the remainder is split equally among the others."""
    shares: dict[str, int] = {}
    for number, (key, wish) in enumerate(sorted(wishes.items(), key=lambda one: (one[1], one[0]))):
        shares[key] = min(wish, max(0, room) // (len(wishes) - number))
        room -= shares[key]
    return shares
