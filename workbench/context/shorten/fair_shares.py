"""The room there is: shared fairly, and how long a text may be that must not cost more than its share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_TRIES = 12
_GOOD_USE = 0.96

Price = Callable[[int], int | None]
"""What a text costs when it is cut to so many characters; None where that would not make it shorter."""


def rounded_chars(chars: int) -> int:
    """A length that stays the same while a question is typed: rounded down by less than one part in 64."""
    step = 1 << max(0, chars.bit_length() - 7)
    return chars - chars % step


def chars_for(tokens: int, price: Price, text_chars: int, whole_tokens: int) -> int | None:
    """The length that uses a number of tokens best, and never costs more; None where none was found.

    Between a length that fits and one that does not, the next to try is where the cost would be met if it grew evenly
    from the one to the other; where the same end moved twice, it is the middle.
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
    """Nobody gets more than wished for, and what that leaves goes to the others, all alike."""
    shares: dict[str, int] = {}
    for number, (key, wish) in enumerate(sorted(wishes.items(), key=lambda one: (one[1], one[0]))):
        shares[key] = min(wish, max(0, room) // (len(wishes) - number))
        room -= shares[key]
    return shares
