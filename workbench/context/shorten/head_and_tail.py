"""Shortens a text of unknown shape: its head, its tail, and an outline of what is omitted between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.context.shorten.compact import headings
from workbench.context.shorten.pieces import clipped, end_of_head, start_of_tail

_HEAD_SHARE, _OUTLINE_SHARE = 0.6, 0.125
_PASSES = 4
_Line = tuple[int, str]
_DECLARATION = re.compile(
    r"^[ \t]{0,8}(?:export |pub(?:\([a-z]+\))? |public |private |protected |static |async |abstract |final )*"
    r"(?:def|class|func|fn|function|interface|struct|enum|impl|trait|module|namespace|type|record)[ \t]+\w.*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class HeadAndTail:
    """The plan that cuts a text to its beginning and end."""

    text: str

    def cut(self, chars: int) -> str:
        """Head and tail with a note on the gap between; for very few characters only the head."""
        text, ends = self.text, chars
        if chars >= len(text):
            return text
        for _ in range(_PASSES):
            made = self._around_a_gap(ends, int(chars * _OUTLINE_SHARE))
            if len(made) <= chars:
                return made
            # What is said of the gap takes its room from the ends.
            ends -= len(made) - chars
            if ends <= 0:
                break
        return text[: end_of_head(text, max(0, chars))].rstrip()

    def _around_a_gap(self, ends: int, outline_chars: int) -> str:
        text = self.text
        head_chars = int(ends * _HEAD_SHARE)
        start = end_of_head(text, head_chars)
        end = start_of_tail(text, max(start, len(text) - (ends - head_chars)))
        outline = self._outline(start, end, outline_chars)
        if outline:
            # The outline takes its share from the head: the end of a log or of a chapter is short as it is.
            start = end_of_head(text, max(0, head_chars - len(outline)))
        gap = f"[… {end - start:,} of {len(text):,} characters are left out here"
        gap += f"; in them stand:\n{outline}\n…]" if outline else "]"
        return f"{text[:start].rstrip()}\n{gap}\n{text[end:].strip()}".strip("\n")

    def _outline(self, start: int, end: int, limit: int) -> str:
        """The headings, or else declarations, between two places; as many as fit, evenly spread."""
        found = _between(self._headings, start, end) or _between(self._declarations, start, end)
        return "\n".join(_evenly(found, limit))

    @cached_property
    def _headings(self) -> list[_Line]:
        text = self.text
        ends = ((place, text.find("\n", place)) for place in headings(text))
        return [
            (place, clipped(text[place : end if end >= 0 else len(text)].rstrip())) for place, end in ends
        ]

    @cached_property
    def _declarations(self) -> list[_Line]:
        found = _DECLARATION.finditer(self.text)
        return [(one.start(), clipped(one[0].rstrip())) for one in found]


def _between(lines: Sequence[_Line], start: int, end: int) -> list[str]:
    return [words for place, words in lines if start <= place < end]


def _evenly(lines: Sequence[str], limit: int) -> list[str]:
    """Every line, or every second, third …, so that the selection represents the whole range."""
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
