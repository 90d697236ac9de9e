"""Plans which pieces are left out of which requests (one by one, all subsets, or random masks), and fits the scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, product
from math import sqrt

from workbench.domain.influence import LEAST_HELD_OUT

Mask = tuple[bool, ...]
"""For each piece, in wire order, whether it is kept."""

ALL_SUBSETS = 6
"""Up to this many pieces, masks are all subsets: no more than the 64 that random ones would be."""
_FEW = 4
"""Up to this many pieces, all subsets are no more than the masks to be held out."""


@dataclass(frozen=True, slots=True)
class MaskPlan:
    """The masks to score; `held_out` ones test the fit, which has not seen them.

    Where there are too few subsets to hold any out, the fit is cross-validated (`crossed`).
    """

    fit: tuple[Mask, ...]
    held_out: tuple[Mask, ...] = ()
    crossed: bool = False
    complete: bool = False

    @property
    def ranking(self) -> tuple[Mask, ...]:
        """The requests that rank the pieces, in the order they are run.

        The whole one is scored again after the first that lacks something: computed as all others are, while nearly
        all of it is still cached.
        """
        whole = (True,) * len(self.fit[0])
        once = by_shared_beginning(mask for mask in self.fit if mask != whole)
        return (whole, *once[:1], whole, *once[1:])

    @property
    def order(self) -> tuple[Mask, ...]:
        """All requests in the order they are run; those that say how far to trust the ranking come last."""
        return (*self.ranking, *by_shared_beginning(self.held_out))


def leave_one_out(count: int, seed: str) -> MaskPlan:
    """A plan that leaves out each piece alone; random subsets are held out, or for few pieces all others."""
    whole = (True,) * count
    fit = (whole, *(tuple(place != gone for place in range(count)) for gone in range(count)))
    if count <= _FEW:
        rest = tuple(mask for mask in _subsets(count) if mask not in fit)
        return MaskPlan(fit, rest, complete=True)
    return MaskPlan(fit, tuple(islice(_unseen_in_fours(count, seed, fit), LEAST_HELD_OUT)))


def random_masks(count: int, masks: int, seed: str) -> MaskPlan:
    """A plan with so many random masks for the fit and more held out; all subsets where those are few."""
    if count <= ALL_SUBSETS:
        return MaskPlan(tuple(_subsets(count)), crossed=True, complete=True)
    whole = (True,) * count
    fit = (whole, *islice(_unseen(count, seed, (whole,)), masks))
    return MaskPlan(fit, tuple(islice(_unseen_in_fours(count, f"{seed}:held out", fit), LEAST_HELD_OUT)))


def by_shared_beginning(masks: Iterable[Mask]) -> tuple[Mask, ...]:
    """The masks ordered so that consecutive requests share the longest prefixes.

    Requests are paths in a tree that branches at each piece, and a sorted list visits it depth first. Masks that leave
    out only the last pieces come first, since the whole request was just read.
    """
    return tuple(sorted(masks, reverse=True))


def _subsets(count: int) -> Iterator[Mask]:
    return iter(product((True, False), repeat=count))


def _unseen(count: int, seed: str, seen: Sequence[Mask]) -> Iterator[Mask]:
    """Distinct masks that keep each piece with probability one half, reproducible by seed."""
    known = set(seen)
    number = 0
    while len(known) < 2**count:
        mask = tuple(islice(_bits(f"{seed}:{number}"), count))
        number += 1
        if mask not in known:
            known.add(mask)
            yield mask


def _unseen_in_fours(count: int, seed: str, seen: Sequence[Mask]) -> Iterator[Mask]:
    """Random masks in groups that differ in their last two pieces only, so that a cache holds most of each group."""
    known = set(seen)
    for beginning in _unseen(count - 2, seed, ()):
        yield from (mask for ending in _subsets(2) if (mask := beginning + ending) not in known)


def _bits(seed: str) -> Iterator[bool]:
    block = 0
    while True:
        for byte in sha256(f"{seed}:{block}".encode()).digest():
            yield from (bool(byte >> shift & 1) for shift in range(8))
        block += 1


# A sparse linear fit of likelihood to masks, and how well two orders agree.


PENALTY = 0.01
_ROUNDS = 1_000
_SETTLED = 1e-9


@dataclass(frozen=True, slots=True)
class Fit:
    """The contribution of each piece to a request's log-likelihood; `base` is that of a request with none."""

    base: float
    weights: tuple[float, ...]

    def predict(self, mask: Mask) -> float:
        """The predicted log-likelihood of a request with these pieces."""
        return self.base + sum(weight for weight, kept in zip(self.weights, mask, strict=True) if kept)


def lasso(masks: Sequence[Mask], values: Sequence[float], penalty: float = PENALTY) -> Fit:
    """Lasso by coordinate descent on standardised columns; weights are in the units of the values."""
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
    """Spearman's rank correlation, ties sharing ranks; None where one side is constant."""
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
