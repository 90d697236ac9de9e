"""What would change, as a unified diff that stays short however large the files are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import islice

_MOST_LINES = 200
_LONGEST_LINE_CHARS = 300
# Comparing takes time with the square of this; what lies between the first and the last difference may be longer.
_MOST_COMPARED = 800
_CONTEXT = 3


def short_diff(path: str, before: str, after: str) -> str:
    """The differences of two texts, capped; an empty text stands for a file that is not there."""
    old, new = _lines(before), _lines(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    start = max(0, head - _CONTEXT)
    old, new = old[start : _end(old, tail)], new[start : _end(new, tail)]
    lines = (
        _compared(path, old, new) if max(len(old), len(new)) <= _MOST_COMPARED else _replaced(path, old, new)
    )
    return _capped(_renumbered(lines, start))


def _lines(text: str) -> list[str]:
    """Split at line feeds only: any other separator is content, and a difference in it must show."""
    lines = text.split("\n")
    if lines[-1]:
        return [*lines, "\\ No newline at end of file"]
    return lines[:-1]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next(
        (place for place, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other))
    )


def _end(lines: Sequence[str], tail: int) -> int:
    return min(len(lines), len(lines) - tail + _CONTEXT)


def _compared(path: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    return unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="", n=_CONTEXT)


def _replaced(path: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    yield from (f"--- a/{path}", f"+++ b/{path}", f"@@ -1,{len(old)} +1,{len(new)} @@")
    yield from (f"-{line}" for line in islice(old, _MOST_LINES // 2))
    if len(old) > _MOST_LINES // 2:
        yield f"-… {len(old) - _MOST_LINES // 2:,} more lines"
    yield from (f"+{line}" for line in new)


def _renumbered(lines: Iterator[str], start: int) -> Iterator[str]:
    """Line numbers as in the whole file, of which only a part was compared."""
    for line in lines:
        yield _shifted(line, start) if line.startswith("@@ -") and start else line


def _shifted(heading: str, start: int) -> str:
    _, old, new, _ = heading.split(" ")
    return f"@@ {_moved(old, start)} {_moved(new, start)} @@"


def _moved(span: str, start: int) -> str:
    first, comma, count = span[1:].partition(",")
    return f"{span[0]}{int(first) + start}{comma}{count}"


def _capped(lines: Iterator[str]) -> str:
    shown = [_cut(line) for line in islice(lines, _MOST_LINES)]
    more = sum(1 for _ in lines)
    return "\n".join([*shown, f"… {more:,} more lines of the diff"] if more else shown)


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE_CHARS else f"{line[:_LONGEST_LINE_CHARS]}…"
