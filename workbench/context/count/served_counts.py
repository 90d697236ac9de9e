"""Counts that a model's own server gave: known by content digest, asked for where they are missing."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.context.count.memo import DigestCounts, digest_of
from workbench.ports.counting import Tokenizer

_HOT_CHARACTERS = 4_000_000
_MOST_MISSING = 20_000
_ENOUGH_TOKENS = 200
"""So much must be counted before it says how the server's encoding differs from ours."""


class ServedCounts:
    """What the server counted so far; a text that it has not seen is estimated, and noted as missing.

    Attributes:
        counts: tokens by SHA-256; may be filled from the store.
        revision: how often something was learned, so that what was derived from estimates can be worked out again.
    """

    def __init__(self, fallback: Tokenizer) -> None:
        self._fallback = fallback
        self.counts = DigestCounts()
        self.revision = 0
        self._new: dict[bytes, int] = {}
        self._hot: dict[str, int] = {}
        self._hot_characters = 0
        self._missing: dict[str, None] = {}
        self._served_tokens, self._estimated_tokens = 0, 0

    def known(self, text: str) -> int | None:
        """How many tokens the text is; None where the server was not asked yet, which is noted."""
        if not text:
            return 0
        tokens = self._hot.get(text)
        if tokens is None:
            tokens = self.counts.find(digest_of(text))
            if tokens is None:
                self._note(text)
            else:
                self._warm(text, tokens)
        return tokens

    def estimated(self, text: str) -> int:
        """About how many tokens the text is, in an encoding that is at hand, corrected by what the server counted."""
        return self._corrected(self._fallback.count(text))

    def shared_estimate(self, left: str, right: str) -> int:
        """About how many tokens two texts start with."""
        return self._corrected(self._fallback.common_prefix(left, right))

    def missing(self) -> tuple[str, ...]:
        """The texts that were asked about and are not known."""
        return tuple(self._missing)

    def learn(self, counts: Mapping[str, int]) -> None:
        """Know what the server counted."""
        for text, tokens in counts.items():
            digest = digest_of(text)
            self._new[digest] = tokens
            self.counts.know({digest: tokens})
            self._missing.pop(text, None)
            self._warm(text, tokens)
            self._served_tokens += tokens
            self._estimated_tokens += self._fallback.count(text)
        if counts:
            self._new[SERVED_SUM], self._new[ESTIMATED_SUM] = self._served_tokens, self._estimated_tokens
        self.revision += bool(counts)

    def recall(self, counts: Mapping[bytes, int]) -> None:
        """Know what was kept from earlier, and how far estimates were off then."""
        self.counts.know(counts)
        self._served_tokens = max(self._served_tokens, counts.get(SERVED_SUM, 0))
        self._estimated_tokens = max(self._estimated_tokens, counts.get(ESTIMATED_SUM, 0))
        self._missing = {text: None for text in self._missing if self.counts.find(digest_of(text)) is None}
        self.revision += bool(counts)

    def take_new(self) -> dict[bytes, int]:
        """What was learned since this was asked last, to be kept."""
        new, self._new = self._new, {}
        return new

    def apart(self, fallback: Tokenizer) -> ServedCounts:
        """Counts to look things up in beside the loop: they know what these know, and change nothing here."""
        other = ServedCounts(fallback)
        other.counts = self.counts.apart()
        other._served_tokens, other._estimated_tokens = self._served_tokens, self._estimated_tokens
        return other

    def _corrected(self, tokens: int) -> int:
        if self._estimated_tokens < _ENOUGH_TOKENS:
            return tokens
        return -(-tokens * self._served_tokens // self._estimated_tokens)

    def _note(self, text: str) -> None:
        """Nobody may ever ask the server; then the oldest wishes are given up first."""
        while len(self._missing) >= _MOST_MISSING:
            del self._missing[next(iter(self._missing))]
        self._missing[text] = None

    def _warm(self, text: str, tokens: int) -> None:
        if self._hot_characters > _HOT_CHARACTERS:
            self._hot, self._hot_characters = {}, 0
        self._hot[text] = tokens
        self._hot_characters += len(text)


# Sums over everything the server counted, kept among the counts under digests that no text has.
SUMS = SERVED_SUM, ESTIMATED_SUM = tuple(digest_of(f"\ud800{name}") for name in ("served", "estimated"))
