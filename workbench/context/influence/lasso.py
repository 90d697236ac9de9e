"""A sparse linear fit of likelihood to masks, and how well two orders agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from workbench.context.influence.masks import Mask

PENALTY = 0.01
_ROUNDS = 1_000
_SETTLED = 1e-9


@dataclass(frozen=True, slots=True)
class Fit:
    """What each piece adds to the likelihood of a request that holds it; `base` is that of one with none."""

    base: float
    weights: tuple[float, ...]

    def predict(self, mask: Mask) -> float:
        """The likelihood of a request with these pieces."""
        return self.base + sum(weight for weight, kept in zip(self.weights, mask, strict=True) if kept)


def lasso(masks: Sequence[Mask], values: Sequence[float], penalty: float = PENALTY) -> Fit:
    """Coordinate descent on standardised columns; weights come back in the units of the values."""
    rows = len(masks)
    mean = sum(values) / rows
    shares = [sum(column) / rows for column in zip(*masks, strict=True)]
    scales = [sqrt(share * (1 - share)) for share in shares]
    columns = [
        [(kept - share) / scale for kept in column] if scale else [0.0] * rows
        for column, share, scale in zip(zip(*masks, strict=True), shares, scales, strict=True)
    ]
    found = [0.0] * len(columns)
    rest = [value - mean for value in values]
    for _ in range(_ROUNDS):
        moved = 0.0
        for place, column in enumerate(columns):
            if not scales[place]:
                continue
            pull = found[place] + sum(x * r for x, r in zip(column, rest, strict=True)) / rows
            new = _soft(pull, penalty)
            step = new - found[place]
            if step:
                rest = [r - step * x for r, x in zip(rest, column, strict=True)]
                found[place] = new
            moved = max(moved, abs(step))
        if moved < _SETTLED:
            break
    weights = tuple(weight / scale if scale else 0.0 for weight, scale in zip(found, scales, strict=True))
    base = mean - sum(weight * share for weight, share in zip(weights, shares, strict=True))
    return Fit(base, weights)


def _soft(value: float, penalty: float) -> float:
    if abs(value) <= penalty:
        return 0.0
    return value - penalty if value > 0 else value + penalty


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """The correlation of two orders, equal values sharing their ranks; None where one of them has no order."""
    ranks = [_ranks(values) for values in (left, right)]
    means = [sum(one) / len(one) if one else 0.0 for one in ranks]
    first, second = ([rank - mean for rank in one] for one, mean in zip(ranks, means, strict=True))
    spread = sqrt(sum(a * a for a in first) * sum(b * b for b in second))
    if not spread:
        return None
    return max(-1.0, min(1.0, sum(a * b for a, b in zip(first, second, strict=True)) / spread))


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for place in order[at:end]:
            ranks[place] = (at + end - 1) / 2
        at = end
    return ranks
