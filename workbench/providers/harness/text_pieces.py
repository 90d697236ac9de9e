"""Text that arrives in pieces: a character that JSON wrote in two halves may have been cut between them."""

from __future__ import annotations

import re

from workbench.domain.text import repair_text

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_CUT = re.compile("[\ud800-\udbff]\\Z")


class TextPieces:
    """Gives each piece on as soon as it can be encoded; only half a character is held back."""

    def __init__(self) -> None:
        self._half = ""

    def grow(self, piece: str) -> str:
        """What can be shown now."""
        if piece.isascii() and not self._half:
            return piece
        piece = _PAIR.sub(_joined, self._half + piece)
        self._half = "".join(_CUT.findall(piece))
        return repair_text(piece[: len(piece) - len(self._half)])

    def rest(self) -> str:
        """What was held back, when no more will come."""
        half, self._half = self._half, ""
        return repair_text(half)


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")
