"""A text of no known shape: its head, its tail, and the structure of what is missing between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.context.shorten.compact import headings
from workbench.context.shorten.pieces import clipped, end_of_head, start_of_tail

_HEAD_SHARE, _OUTLINE_SHARE = 0.6, 0.125
_DECLARATION = re.compile(
    r"^[ \t]{0,8}(?:export |pub(?:\([a-z]+\))? |public |private |protected |static |async |abstract |final )*"
    r"(?:def|class|func|fn|function|interface|struct|enum|impl|trait|module|namespace|type|record)[ \t]+\w.*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class HeadAndTail:
    """The plan of such a text."""

    text: str

    def cut(self, chars: int) -> str:
        """So many characters of its two ends; what is said of the gap comes on top."""
        text = self.text
        head_chars = int(chars * _HEAD_SHARE)
        start = end_of_head(text, head_chars)
        end = start_of_tail(text, max(start, len(text) - (chars - head_chars)))
        outline = _outline(text, start, end, int(chars * _OUTLINE_SHARE))
        if outline:
            # The outline takes its share from the head: the end of a log or of a chapter is short as it is.
            start = end_of_head(text, max(0, head_chars - len(outline)))
        gap = f"[… {end - start:,} of {len(text):,} characters are left out here"
        gap += f"; in them stand:\n{outline}\n…]" if outline else "]"
        return f"{text[:start].rstrip()}\n{gap}\n{text[end:].strip()}"


def _outline(text: str, start: int, end: int, limit: int) -> str:
    """The headings, or else the declarations, between two places; as many as there is room for, evenly taken."""
    lines = list(_headings_between(text, start, end)) or list(_declarations_between(text, start, end))
    return "\n".join(_evenly(lines, limit))


def _headings_between(text: str, start: int, end: int) -> Iterator[str]:
    for place in headings(text):
        if start <= place < end:
            newline = text.find("\n", place)
            yield clipped(text[place : newline if newline >= 0 else len(text)].rstrip())


def _declarations_between(text: str, start: int, end: int) -> Iterator[str]:
    for found in _DECLARATION.finditer(text, start, end):
        yield clipped(found[0].rstrip())


def _evenly(lines: Sequence[str], limit: int) -> list[str]:
    """Every line, or every second, third …: what is taken stands for the whole stretch, not for its beginning."""
    total = sum(len(line) + 1 for line in lines)
    step = 1 if total <= limit else -(-total // max(1, limit))
    taken: list[str] = []
    used = 0
    for line in lines[::step]:
        used += len(line) + 1
        if used > limit:
            break
        taken.append(line)
    return taken
