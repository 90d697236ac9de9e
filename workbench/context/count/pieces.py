"""Long text counted in pieces: a tokenizer that works beside the loop must not hold it up with one long call."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.context.count.cuts import first_safe_cut
from workbench.ports.counting import Tokenizer

_PIECE_CHARS = 64_000


class InPieces:
    """The same tokenizer, asked for a long text piece by piece; the sum is exact, because the cuts are safe ones."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    @property
    def name(self) -> str:
        """The encoding's name."""
        return self._tokenizer.name

    def count(self, text: str) -> int:
        """How many tokens the text is."""
        return sum(self._tokenizer.count(piece) for piece in pieces(text, _PIECE_CHARS))

    def common_prefix(self, left: str, right: str) -> int:
        """How many tokens both texts start with."""
        return self._tokenizer.common_prefix(left, right)


def pieces(text: str, least_chars: int) -> Iterator[str]:
    """The text cut where a cut does not change its count, into pieces of at least so many characters."""
    if len(text) <= least_chars:
        yield text
        return
    start = 0
    while start < len(text):
        end = first_safe_cut(text, start + least_chars - 1)
        yield text[start:end]
        start = end
