"""The seam to a trace: how long each step took, for whoever looks for what is slow."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

# The steps of one keystroke, by the names they have in a trace.
KEY, BUILD, VIEW_VALUES, REDUCE, PUBLISH, REPAINT = (
    "key",
    "build",
    "view values",
    "reduce",
    "publish",
    "repaint",
)


class Trace(Protocol):
    """Takes note of steps as they happen."""

    def span(self, name: str, about: str = "") -> AbstractContextManager[None]:
        """A step that lasts as long as the block; what it is about is no content of anybody's."""
        ...
