"""Vectors of a segment's sections, packed behind it: their signs find candidates, a byte a dimension ranks them.

Comparing signs takes a tenth of a microsecond a section in plain Python, and loses hardly any of the nearest.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Generator, Sequence
from functools import cached_property
from heapq import nlargest, nsmallest
from math import isfinite, sqrt
from operator import mul

from workbench.context.folders.packed import VECTORS, Segment
from workbench.context.folders.rank import Hit, spread_over_files

_CANDIDATES, _NEAREST = 200, 60
_RANK = 60
"""The usual constant of reciprocal rank fusion: how little the first few ranks differ."""
MOST_DIMENSIONS = 8_192


class Vectors:
    """The vectors of a segment, one for each of its sections; one of zeros is near nothing.

    Attributes:
        model: the name of the model that made them. dimensions: of each.
    """

    def __init__(self, packed: bytes, sections: int) -> None:
        head, _, rest = packed.removeprefix(VECTORS).partition(b"\n")
        try:
            self.model, self.dimensions = json.loads(head)
            if len(rest) != sections * self.dimensions:
                raise ValueError(self.dimensions)
        except (ValueError, TypeError):
            self.model, self.dimensions, rest = "", 0, b""
        self._values = array("b", rest)

    @cached_property
    def _signs(self) -> list[int]:
        values, size = self._values.tobytes(), self.dimensions
        return [_signs_of(values[at : at + size]) for at in range(0, len(values), size)]

    def nearest(self, signs: int, vector: Sequence[int]) -> list[tuple[float, int]]:
        """The nearest sections to a packed vector, each with its cosine."""
        size, found = self.dimensions, []
        apart = [(signs ^ one).bit_count() for one in self._signs]
        for place in nsmallest(_CANDIDATES, range(len(apart)), key=apart.__getitem__):
            values = self._values[place * size : (place + 1) * size]
            length = sqrt(sum(map(mul, values, values)) * sum(map(mul, vector, vector)))
            if length:
                found.append((sum(map(mul, values, vector)) / length, place))
        return found


def pack_vectors(model: str, vectors: Sequence[Sequence[float]]) -> bytes:
    """Vectors of equal length as bytes."""
    dimensions = max(map(len, vectors), default=0)
    head = json.dumps([model, dimensions]).encode()
    return b"".join((VECTORS, head, b"\n", *(_packed(one).tobytes() for one in vectors)))


def are_vectors(found: Sequence[Sequence[float]], texts: int) -> bool:
    """Whether a server's vectors can be used: one for each text, of the same length, of numbers that are finite."""
    sizes = {len(one) for one in found}
    return len(found) == texts and len(sizes) == 1 and 0 < sizes.pop() <= MOST_DIMENSIONS and all(
        map(isfinite, (value for one in found for value in one))
    )  # fmt: skip


def nearest_sections(
    indexed: Sequence[tuple[Segment, Vectors]], model: str, vector: Sequence[float]
) -> Generator[None, None, tuple[Hit, ...]]:
    """The sections nearest to a question's vector, of those whose vectors are of the same model and length."""
    packed = _packed(vector)
    signs, found = _signs_of(packed.tobytes()), list[tuple[float, int, int]]()
    for at, (segment, vectors) in enumerate(indexed):
        if (vectors.model, vectors.dimensions) == (model, len(vector)):
            near = vectors.nearest(signs, packed)
            living = (one for one in near if segment.file_of[one[1]] not in segment.dead)
            found = nlargest(_NEAREST, [*found, *((cosine, -at, place) for cosine, place in living)])
        yield
    return spread_over_files([Hit(indexed[-at][0], place, cosine) for cosine, at, place in found])


def fused(by_words: Sequence[Hit], by_meaning: Sequence[Hit]) -> tuple[Hit, ...]:
    """Two rankings as one, by the sum of reciprocal ranks; scores fall from the best by words, whose size tells."""
    worth: dict[tuple[Segment, int], float] = {}
    for ranked in (by_words, by_meaning):
        for rank, hit in enumerate(ranked, 1):
            key = hit.segment, hit.place
            worth[key] = worth.get(key, 0.0) + 1 / (_RANK + rank)
    order = sorted(worth, key=lambda key: -worth[key])
    best = max((hit.score for hit in by_words), default=0.0) / max(worth.values(), default=1.0)
    return tuple(Hit(segment, place, best * worth[segment, place]) for segment, place in order)


def _packed(vector: Sequence[float]) -> array[int]:
    most = max(map(abs, vector), default=0.0) or 1.0
    return array("b", [round(127 * value / most) for value in vector])


def _signs_of(values: bytes) -> int:
    """A bit for each signed byte: whether it is negative."""
    return int(values.translate(_NEGATIVE), 2)


_NEGATIVE = b"0" * 128 + b"1" * 128
