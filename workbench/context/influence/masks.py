"""Which pieces are left out of which request: one by one, all subsets, or random masks from a seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, product

from workbench.domain.influence import LEAST_HELD_OUT

Mask = tuple[bool, ...]
"""For each piece, in wire order, whether it is kept."""

ALL_SUBSETS = 6
"""Up to so many pieces, masks are all subsets: no more than the 64 that random ones would be."""
_FEW = 4
"""Up to so many pieces, all subsets are no more than the masks to be held out."""


@dataclass(frozen=True, slots=True)
class MaskPlan:
    """The masks to score; `held_out` are for testing the fit, which has not seen them.

    Where there are too few subsets to hold any out, each is predicted by a fit to all others (`crossed`).
    """

    fit: tuple[Mask, ...]
    held_out: tuple[Mask, ...] = ()
    crossed: bool = False
    complete: bool = False

    @property
    def order(self) -> tuple[Mask, ...]:
        """All requests in the order they are run: the whole one first and last."""
        whole = (True,) * len(self.fit[0])
        once = [mask for mask in self.fit if mask != whole]
        return (whole, *by_shared_beginning(once), *by_shared_beginning(self.held_out), whole)


def leave_one_out(count: int, seed: str) -> MaskPlan:
    """Every piece left out alone; held out are random subsets, or, of few pieces, all that are left."""
    whole = (True,) * count
    fit = (whole, *(tuple(place != gone for place in range(count)) for gone in range(count)))
    if count <= _FEW:
        rest = tuple(mask for mask in _subsets(count) if mask not in fit)
        return MaskPlan(fit, rest, complete=True)
    return MaskPlan(fit, tuple(islice(_unseen(count, seed, fit), LEAST_HELD_OUT)))


def random_masks(count: int, masks: int, seed: str) -> MaskPlan:
    """So many masks for the fit and more held out; all subsets where those are few."""
    if count <= ALL_SUBSETS:
        return MaskPlan(tuple(_subsets(count)), crossed=True, complete=True)
    whole = (True,) * count
    drawn = tuple(islice(_unseen(count, seed, (whole,)), masks + LEAST_HELD_OUT))
    return MaskPlan((whole, *drawn[:masks]), drawn[masks:])


def by_shared_beginning(masks: Iterable[Mask]) -> tuple[Mask, ...]:
    """The masks so that each request shares with the one before it as much of its beginning as any order allows.

    Requests are paths in a tree that branches at each piece: neighbours of a sorted list visit it depth first. What
    leaves out the last pieces only comes first, since the whole request was just read.
    """
    return tuple(sorted(masks, reverse=True))


def _subsets(count: int) -> Iterator[Mask]:
    return iter(product((True, False), repeat=count))


def _unseen(count: int, seed: str, seen: Sequence[Mask]) -> Iterator[Mask]:
    """Different masks, each piece kept in half of them, the same ones for the same seed."""
    known = set(seen)
    number = 0
    while len(known) < 2**count:
        mask = tuple(islice(_bits(f"{seed}:{number}"), count))
        number += 1
        if mask not in known:
            known.add(mask)
            yield mask


def _bits(seed: str) -> Iterator[bool]:
    block = 0
    while True:
        for byte in sha256(f"{seed}:{block}".encode()).digest():
            yield from (bool(byte >> shift & 1) for shift in range(8))
        block += 1
