"""An attached text cut to the room there is: its head, its tail, and the structure of what is missing between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.context.build.compact import Shortening, headings, joins, whole_characters
from workbench.domain.attachment import Artifact

_HEAD_SHARE, _OUTLINE_SHARE = 0.6, 0.125
# Tidying a cut may cost a twentieth of its part, no more: the room is there to be used.
_TIDY_SHARE = 20
_OUTLINE_LINE_CHARS = 120
_DECLARATION = re.compile(
    r"^[ \t]{0,8}(?:export |pub(?:\([a-z]+\))? |public |private |protected |static |async |abstract |final )*"
    r"(?:def|class|func|fn|function|interface|struct|enum|impl|trait|module|namespace|type|record)[ \t]+\w.*$",
    re.MULTILINE,
)


def least_chars(artifact: Artifact, how: Shortening) -> int:
    """How much of a text stays at least: two sections' worth. What has no room for that is dropped."""
    return min(2 * how.sizes.section_chars, len(artifact.text) // 4)


def recovery(artifact: Artifact, how: Shortening) -> str:
    """How a model can have the rest of a text that was cut: by a tool that it has, else by asking."""
    return artifact.recover_with if how.can_recover(artifact) else f"ask for {artifact.told}"


def rounded_chars(chars: int) -> int:
    """A length that stays the same while a question is typed: rounded down by less than one part in 64."""
    step = 1 << max(0, chars.bit_length() - 7)
    return chars - chars % step


def fitted_text(artifact: Artifact, chars: int, how: Shortening) -> str | None:
    """About so many characters of a text; None where it goes out whole or not at all."""
    text = artifact.text
    if not how.applies_to(artifact) or chars >= len(text):
        return None
    head_chars = int(chars * _HEAD_SHARE)
    start, end = _end_of_head(text, head_chars), _start_of_tail(text, len(text) - (chars - head_chars))
    outline = _outline(text, start, end, int(chars * _OUTLINE_SHARE))
    if outline:
        # The outline takes its share from the head: the end of a log or of a chapter is short as it is.
        start = _end_of_head(text, max(0, head_chars - len(outline)))
    gap = f"[… {end - start:,} of {len(text):,} characters are left out here"
    gap += f"; in them stand:\n{outline}\n…]" if outline else "]"
    note = f"[compacted from {len(text):,} characters; to have it in full: {recovery(artifact, how)}]"
    short = f"{text[:start].rstrip()}\n{gap}\n{text[end:].strip()}\n{note}"
    return short if len(short) < len(text) else None


def _end_of_head(text: str, limit: int) -> int:
    """Where the head ends: with a line, else a word, and never inside a character."""
    least = limit - limit // _TIDY_SHARE
    for mark in ("\n", " "):
        place = text.rfind(mark, least, limit)
        if place >= 0:
            return place + 1
    return len(whole_characters(text, limit))


def _start_of_tail(text: str, limit: int) -> int:
    most = limit + (len(text) - limit) // _TIDY_SHARE
    for mark in ("\n", " "):
        place = text.find(mark, limit, most)
        if place >= 0:
            return place + 1
    while limit < len(text) and joins(text[limit - 1], text[limit]):
        limit += 1
    return limit


def _outline(text: str, start: int, end: int, limit: int) -> str:
    """The headings, or else the declarations, between two places; as many as there is room for, evenly taken."""
    lines = list(_headings_between(text, start, end)) or list(_declarations_between(text, start, end))
    return "\n".join(_evenly(lines, limit))


def _headings_between(text: str, start: int, end: int) -> Iterator[str]:
    for place in headings(text):
        if start <= place < end:
            yield _line(text, place)


def _declarations_between(text: str, start: int, end: int) -> Iterator[str]:
    for found in _DECLARATION.finditer(text, start, end):
        yield _clipped(found[0].rstrip())


def _line(text: str, place: int) -> str:
    newline = text.find("\n", place)
    return _clipped(text[place : newline if newline >= 0 else len(text)].rstrip())


def _clipped(line: str) -> str:
    if len(line) <= _OUTLINE_LINE_CHARS:
        return line
    return whole_characters(line, _OUTLINE_LINE_CHARS) + " …"


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
