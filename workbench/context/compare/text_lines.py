"""Two texts line by line: what was taken out, what came in, and some lines around each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from workbench.domain.shown.file_changes import ChangedLine

AROUND = 3
MOST_MATCHED = 3_000
"""So many lines are held against each other; of more, all that differ at both ends are shown as replaced."""


def changed_lines(before: str, after: str, around: int = AROUND) -> tuple[ChangedLine, ...]:
    """What changed from one text to another; nothing where they are the same."""
    old, new = before.splitlines(), after.splitlines()
    first, last = _same_at_ends(old, new)
    lines: list[ChangedLine] = []
    for group in _groups(old, new, first, last, around):
        if lines:
            lines.append(ChangedLine(None, None, "⋯", ""))
        lines.extend(group)
    return tuple(lines)


def _same_at_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    most, first, last = min(len(old), len(new)), 0, 0
    while first < most and old[first] == new[first]:
        first += 1
    while last < most - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, last


def _groups(
    old: Sequence[str], new: Sequence[str], first: int, last: int, around: int
) -> Iterator[list[ChangedLine]]:
    """The differing stretches; only what differs is held against each other, since that takes its square."""
    lead, tail = min(first, around), min(last, around)
    start = first - lead
    olds, news = old[start : len(old) - last + tail], new[start : len(new) - last + tail]
    if len(olds) == lead + tail == len(news):
        return
    if max(len(olds), len(news)) > MOST_MATCHED:
        middle = ("replace", lead, len(olds) - tail, lead, len(news) - tail)
        ends = (len(olds) - tail, len(olds), len(news) - tail, len(news))
        found = [[("equal", 0, lead, 0, lead), middle, ("equal", *ends)]]
    else:
        found = list(SequenceMatcher(None, olds, news, autojunk=False).get_grouped_opcodes(around))
    for group in found:
        yield [line for code in group for line in _lines(olds, news, code, start)]


def _lines(
    olds: Sequence[str], news: Sequence[str], code: tuple[str, int, int, int, int], start: int
) -> Iterator[ChangedLine]:
    tag, old_from, old_to, new_from, new_to = code
    if tag == "equal":
        for was, now in zip(range(old_from, old_to), range(new_from, new_to), strict=True):
            yield ChangedLine(start + was + 1, start + now + 1, " ", olds[was])
        return
    for was in range(old_from, old_to):
        yield ChangedLine(start + was + 1, None, "-", olds[was])
    for now in range(new_from, new_to):
        yield ChangedLine(None, start + now + 1, "+", news[now])
