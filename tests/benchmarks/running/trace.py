"""Reads the trace that the program writes (`WORKBENCH_TRACE`, Chrome's format): what a key took, span by span."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

KEY = "key"


def thread_ms(path: Path, keys: int) -> dict[str, list[float]] | None:
    """Milliseconds of thread time by the span's name, for each of the last keys; None where there is no trace."""
    events = _spans(path)
    starts = [event["ts"] for event in events if event["name"] == KEY][-keys:]
    if not starts:
        return None
    by_name: dict[str, list[float]] = defaultdict(list)
    for start, end in zip(starts, [*starts[1:], float("inf")], strict=True):
        within = [event for event in events if start <= event["ts"] < end]
        for name, total in _sums(within).items():
            by_name[name].append(total)
    return dict(by_name)


def _spans(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return []
    # The format allows that the list is not closed: the program may have been ended while it wrote.
    for whole in (text, text.rstrip().rstrip(",") + "]"):
        try:
            read = json.loads(whole)
        except ValueError:
            continue
        found = read["traceEvents"] if isinstance(read, dict) else read
        return sorted((one for one in found if one.get("ph") == "X"), key=lambda one: float(one["ts"]))
    return []


def _sums(events: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """By name; where a trace has no thread times, the spans' lengths stand for them."""
    sums: dict[str, float] = defaultdict(float)
    for event in events:
        sums[str(event["name"])] += float(event.get("tdur", event["dur"])) / 1000
    return dict(sums)
