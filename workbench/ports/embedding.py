"""Turning texts into vectors, near one another where texts mean the like: a server does it, where one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """A model that gives vectors.

    Attributes:
        model: its full name, under which vectors are kept. host: of its server; local: whether that is this computer.
    """

    model: str
    host: str
    local: bool

    async def vectors(self, texts: Sequence[str], wait_s: float) -> Sequence[Sequence[float]]:
        """The vector of each text; `ModelFailed` where there are none, of kind `request` where a text is at fault."""

    async def close(self) -> None:
        """Closes its connections."""
