"""Unified diffs that stay short however large the files are, and finding passages in texts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from itertools import islice

from workbench.tools.workspace.states import uses_crlf

_MOST_LINES = 200
_LONGEST_LINE_CHARS = 300
# Comparing takes time with the square of this; what lies between the first and the last difference may be longer.
_MOST_COMPARED = 800
_CONTEXT = 3


def short_diff(path: str, before: str, after: str) -> str:
    """Returns a unified diff of two texts, capped; an empty text stands for a missing file."""
    old, new = _lines(before), _lines(after)
    head = _common_length(old, new)
    tail = _common_length(old[head:][::-1], new[head:][::-1])
    start = max(0, head - _CONTEXT)
    old, new = old[start : _end(old, tail)], new[start : _end(new, tail)]
    lines = (
        _diff_lines(path, old, new)
        if max(len(old), len(new)) <= _MOST_COMPARED
        else _replacement_lines(path, old, new)
    )
    return _cap(_renumber(lines, start))


def _lines(text: str) -> list[str]:
    """Splits at line feeds only: other separators are content, and a difference in them must show."""
    lines = text.split("\n")
    if lines[-1]:
        return [*lines, "\\ No newline at end of file"]
    return lines[:-1]


def _common_length(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next(
        (place for place, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other))
    )


def _end(lines: Sequence[str], tail: int) -> int:
    return min(len(lines), len(lines) - tail + _CONTEXT)


def _diff_lines(path: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    return unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="", n=_CONTEXT)


def _replacement_lines(path: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    yield from (f"--- a/{path}", f"+++ b/{path}", f"@@ -1,{len(old)} +1,{len(new)} @@")
    yield from (f"-{line}" for line in islice(old, _MOST_LINES // 2))
    if len(old) > _MOST_LINES // 2:
        yield f"-… {len(old) - _MOST_LINES // 2:,} more lines"
    yield from (f"+{line}" for line in new)


def _renumber(lines: Iterator[str], start: int) -> Iterator[str]:
    """Corrects line numbers to those of the whole file, of which only a part was compared."""
    for line in lines:
        yield _shift_heading(line, start) if line.startswith("@@ -") and start else line


def _shift_heading(heading: str, start: int) -> str:
    _, old, new, _ = heading.split(" ")
    return f"@@ {_hunk_range(old, start)} {_hunk_range(new, start)} @@"


def _hunk_range(span: str, start: int) -> str:
    first, comma, count = span[1:].partition(",")
    return f"{span[0]}{int(first) + start}{comma}{count}"


def _cap(lines: Iterator[str]) -> str:
    shown = [_shorten_line(line) for line in islice(lines, _MOST_LINES)]
    more = sum(1 for _ in lines)
    return "\n".join([*shown, f"… {more:,} more lines of the diff"] if more else shown)


def _shorten_line(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE_CHARS else f"{line[:_LONGEST_LINE_CHARS]}…"


# Finding an exact passage in a text, whatever its line ends are, and saying where a wrong one nearly was.


Span = tuple[int, int]
_COMPARED_LINES = 3000
_COMPARED_CHARS = 200
_NEAR = 0.6
_SHOWN_AROUND = 2
_SHOWN_PLACES = 10


def find_passage(text: str, passage: str) -> tuple[Span, ...]:
    r"""Returns where a passage (with `\n` line ends) occurs in a text with any line ends, without overlaps."""
    plain = text.replace("\r\n", "\n")
    found, start = [], plain.find(passage)
    while start >= 0:
        found.append((start, start + len(passage)))
        start = plain.find(passage, start + len(passage))
    if len(plain) == len(text):
        return tuple(found)
    ends = _crlf_ends(text)
    return tuple((low + bisect_left(ends, low), high + bisect_left(ends, high)) for low, high in found)


def replace_places(text: str, places: Sequence[Span], new: str) -> str:
    """Returns the text with these places replaced, with the line ends used around them."""
    written = new.replace("\n", "\r\n") if uses_crlf(text) else new
    pieces, end = [], 0
    for low, high in places:
        pieces += [text[end:low], written]
        end = high
    return "".join([*pieces, text[end:]])


def why_not_unique(text: str, places: Sequence[Span]) -> str:
    """Says how often a passage occurs, and in which lines."""
    lines = [str(text.count("\n", 0, low) + 1) for low, _ in places[:_SHOWN_PLACES]]
    more = ", …" if len(places) > _SHOWN_PLACES else ""
    return (
        f"{len(places)} times (lines {', '.join(lines)}{more}). Give more lines around it so that it "
        "occurs once, or set all to true."
    )


def why_not_found(text: str, passage: str) -> str:
    """Shows the lines that are most similar to the passage's first line."""
    wanted = next((line.strip() for line in passage.split("\n") if line.strip()), "")
    lines = text.replace("\r\n", "\n").split("\n")
    best = _nearest(lines[:_COMPARED_LINES], wanted[:_COMPARED_CHARS]) if wanted else None
    if best is None:
        return "0 matches, and nothing like it is near; read the file first."
    start, end = max(0, best - _SHOWN_AROUND), best + _SHOWN_AROUND + 1
    near = [f"{number}: {line[:_COMPARED_CHARS]}" for number, line in enumerate(lines[start:end], start + 1)]
    return "0 matches. The nearest lines are:\n" + "\n".join(near)


def _nearest(lines: Sequence[str], wanted: str) -> int | None:
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    best, nearest = _NEAR, None
    for number, line in enumerate(lines):
        matcher.set_seq1(line.strip()[:_COMPARED_CHARS])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
            best, nearest = matcher.ratio(), number
    return nearest


def _crlf_ends(text: str) -> list[int]:
    r"""Returns where, in the text with `\n` line ends, a line feed stands for two characters."""
    ends: list[int] = []
    start = text.find("\r\n")
    while start >= 0:
        ends.append(start - len(ends))
        start = text.find("\r\n", start + 2)
    return ends
