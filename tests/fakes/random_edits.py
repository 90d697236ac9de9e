"""Texts as somebody goes on with them: letters, lines, cuts and pastes anywhere, drawn by a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

LETTERS = ("x", "e", " ", "\n", "é", "中", "😀", ".", "\n\n")


class RandomEdits:
    """Draws one edit after the other, always the same ones for a seed."""

    def __init__(self, seed: int, pieces: Sequence[str] = LETTERS) -> None:
        self.draw = random.Random(seed)
        self._pieces = tuple(pieces)

    def edit(self, text: str) -> str:
        """The text after one more edit: something is put in or taken out, mostly near the end, as people write."""
        at = len(text) if self.draw.random() < 0.3 else self.draw.randrange(len(text) + 1)
        if self.draw.random() < 0.4:
            return text[:at] + text[at + self.draw.choice((1, 5, 60)) :]
        return text[:at] + self.draw.choice(self._pieces) + text[at:]
