"""What others do: the newest messages, plain BM25, and BM25 whose matches lift their neighbours."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

# Lower-case words; a language without blanks by its characters, as search engines do.
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
K1, B = 1.2, 0.75
NEIGHBOUR = 0.5


def words(text: str) -> list[str]:
    return _WORDS.findall(text.lower())


class Bm25:
    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = [Counter(words(text)) for text in texts]
        self.lengths = [sum(counts.values()) for counts in self.counts]
        self.average = sum(self.lengths) / max(len(texts), 1)
        self.passages = Counter(word for counts in self.counts for word in counts)

    def scores(self, question: str) -> list[float]:
        scores = [0.0] * len(self.counts)
        for word in dict.fromkeys(words(question)):
            if there := self.passages[word]:
                rarity = math.log(1 + (len(self.counts) - there + 0.5) / (there + 0.5))
                for place, counts in enumerate(self.counts):
                    if count := counts[word]:
                        damped = K1 * (1 - B + B * self.lengths[place] / self.average)
                        scores[place] += rarity * count * (K1 + 1) / (count + damped)
        return scores


def with_neighbours(scores: Sequence[float]) -> list[float]:
    padded = [0.0, *scores, 0.0]
    return [
        own + NEIGHBOUR * (before + after)
        for before, own, after in zip(padded, padded[1:], padded[2:], strict=False)
    ]


def newest(count: int) -> list[float]:
    return [float(place + 1) for place in range(count)]


def taken(scores: Sequence[float], tokens: Sequence[int], budget: int) -> set[int]:
    """The best that fit, older ones first among equals: the same for every method."""
    places: set[int] = set()
    for place in sorted(range(len(scores)), key=lambda each: (-scores[each], each)):
        if scores[place] > 0 and tokens[place] <= budget:
            places.add(place)
            budget -= tokens[place]
    return places
