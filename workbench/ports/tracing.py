"""The port for traces, which record how long each step took."""

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
    """Records steps as they happen."""

    def span(self, name: str, about: str = "") -> AbstractContextManager[None]:
        """Records a step that lasts as long as the block; `about` must not contain anyone's content."""
        ...
