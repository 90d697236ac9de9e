"""The lines in which two texts differ, found quickly however long they are."""

from __future__ import annotations

from typing import NamedTuple

from workbench.ui.widgets.diff_text import DiffLine, unified_lines

CONTEXT_LINES = 3
MOST_COMPARED = 1_500
"""More lines than this on either side are not matched with each other: that would take seconds."""
MOST_SHOWN = 2_000


class Differences(NamedTuple):
    """The lines of a diff, and how many were added and removed; `cut` where more are left out than shown."""

    lines: tuple[DiffLine, ...]
    added: int
    removed: int
    cut: bool = False

    @property
    def first(self) -> int | None:
        """Which line differs first."""
        return next((number for number, line in enumerate(self.lines) if line.sign in "+-"), None)


def differences(before: str, after: str) -> Differences:
    """What changed: matched line by line where that is quick, otherwise everything out and everything in."""
    old, new = before.splitlines(), after.splitlines()
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    start = max(0, head - CONTEXT_LINES)
    if max(len(old_middle), len(new_middle)) <= MOST_COMPARED:
        end = max(0, tail - CONTEXT_LINES)
        lines = unified_lines(
            _joined(old, start, len(old) - end), _joined(new, start, len(new) - end), CONTEXT_LINES
        )
        moved = [_moved(line, start) for line in lines]
    else:
        around = [DiffLine(n + 1, n + 1, " ", old[n]) for n in range(start, head)]
        gone = [DiffLine(head + n + 1, None, "-", text) for n, text in enumerate(old_middle[:MOST_SHOWN])]
        come = [DiffLine(None, head + n + 1, "+", text) for n, text in enumerate(new_middle[:MOST_SHOWN])]
        moved = [*around, *gone, *come]
    signs = [line.sign for line in moved]
    compared = max(len(old_middle), len(new_middle)) <= MOST_COMPARED
    added = signs.count("+") if compared else len(new_middle)
    removed = signs.count("-") if compared else len(old_middle)
    return Differences(tuple(moved[:MOST_SHOWN]), added, removed, added + removed > MOST_SHOWN)


def _common(one: list[str], other: list[str]) -> int:
    most = min(len(one), len(other))
    return next((number for number in range(most) if one[number] != other[number]), most)


def _joined(lines: list[str], start: int, end: int) -> str:
    return "".join(f"{line}\n" for line in lines[start:end])


def _moved(line: DiffLine, by: int) -> DiffLine:
    return line._replace(
        old=None if line.old is None else line.old + by, new=None if line.new is None else line.new + by
    )
