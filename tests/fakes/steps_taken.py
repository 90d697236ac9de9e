"""How much work something is, counted and not timed: the lines it runs, which are the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python a piece of work goes through, those of everything it calls included."""
    seen = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal seen
        seen += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return seen
