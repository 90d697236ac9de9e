"""Counts that a model's own server gave: known by content digest, asked for where they are missing."""

from __future__ import annotations

import hashlib
from collections import ChainMap
from collections.abc import Mapping, MutableMapping

from workbench.ports.counting import Tokenizer

_HOT_CHARACTERS = 16_000_000
_MOST_MISSING = 20_000


class ServedCounts:
    """What the server counted so far; a text that it has not seen is estimated, and noted as missing.

    Attributes:
        counts: tokens by SHA-256; may be filled from the store.
        revision: how often something was learned, so that what was derived from estimates can be worked out again.
    """

    def __init__(self, fallback: Tokenizer) -> None:
        self._fallback = fallback
        self.counts: MutableMapping[bytes, int] = {}
        self.revision = 0
        self._new: dict[bytes, int] = {}
        self._hot: dict[str, int] = {}
        self._hot_characters = 0
        self._missing: dict[str, None] = {}

    def known(self, text: str) -> int | None:
        """How many tokens the text is; None where the server was not asked yet, which is noted."""
        if not text:
            return 0
        tokens = self._hot.get(text)
        if tokens is None:
            tokens = self.counts.get(_digest(text))
            if tokens is None:
                self._note(text)
            else:
                self._warm(text, tokens)
        return tokens

    def estimated(self, text: str) -> int:
        """About how many tokens the text is, in an encoding that is at hand."""
        return self._fallback.count(text)

    def shared_estimate(self, left: str, right: str) -> int:
        """About how many tokens two texts start with."""
        return self._fallback.common_prefix(left, right)

    def missing(self) -> tuple[str, ...]:
        """The texts that were asked about and are not known."""
        return tuple(self._missing)

    def learn(self, counts: Mapping[str, int]) -> None:
        """Know what the server counted."""
        for text, tokens in counts.items():
            digest = _digest(text)
            self.counts[digest] = self._new[digest] = tokens
            self._missing.pop(text, None)
            self._warm(text, tokens)
        self.revision += bool(counts)

    def recall(self, counts: Mapping[bytes, int]) -> None:
        """Know what was kept from earlier."""
        self.counts.update(counts)
        self._missing = {text: None for text in self._missing if _digest(text) not in self.counts}
        self.revision += bool(counts)

    def take_new(self) -> dict[bytes, int]:
        """What was learned since this was asked last, to be kept."""
        new, self._new = self._new, {}
        return new

    def apart(self, fallback: Tokenizer) -> ServedCounts:
        """Counts to look things up in beside the loop: they know what these know, and change nothing here."""
        other = ServedCounts(fallback)
        learned: MutableMapping[bytes, int] = {}
        other.counts = ChainMap(learned, self.counts)
        return other

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


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
