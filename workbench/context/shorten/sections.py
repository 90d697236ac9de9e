"""A long text in sections that can come back one by one, and its outline: what there is of it, and where.

Sections follow the text's own shape: headings, declarations, blocks between blank lines. The outline depends on the
text alone, never on a question, so that it can stand in a prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workbench.context.shorten.check import enforced, extract_of
from workbench.context.shorten.code import declarations
from workbench.context.shorten.compact import Shortening, headings, whole_characters
from workbench.context.shorten.pieces import clipped, line_spans
from workbench.context.shorten.shape import ending_of, shape_of
from workbench.domain.files.attachment import Artifact

_LEAST, _USUAL, _MOST = 200, 1_000, 1_600
"""Characters: none ends before the least, at a blank line from the usual on, and none is longer than the most."""
_MOST_ENTRIES = 60
_TITLE = 72


@dataclass(frozen=True, slots=True)
class TextSection:
    """A stretch of a text, by characters and by lines from 1 on; `title` is the heading or declaration it is under."""

    start: int
    end: int
    first_line: int
    last_line: int
    title: str

    @property
    def anchor(self) -> str:
        """What stands behind # to name it."""
        return f"L{self.first_line}-{self.last_line}"


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, or a piece of a very long one."""

    start: int
    end: int
    number: int


def sections_of(name: str, text: str) -> tuple[TextSection, ...]:
    """The text in sections, each of a size that can be quoted; together they are all of it."""
    lines = list(_lines(text))
    titles = _titles(name, text)
    found: list[TextSection] = []
    title, chars, first = "", 0, 0
    under = ""
    for place, line in enumerate(lines):
        heading = titles.get(line.start)
        if chars and _ends(text, lines, place, chars, heading is not None):
            found.append(_section(lines, first, place, under))
            first, chars = place, 0
        title = title if heading is None else heading
        if first == place or not under:
            under = title
        chars += line.end - line.start
    if lines:
        found.append(_section(lines, first, len(lines), under))
    return tuple(found)


def outlined_text(artifact: Artifact, how: Shortening) -> str | None:
    """What a text consists of, with where it stands and how to have it; None where that would not be shorter."""
    text = artifact.text
    if not how.applies_to(artifact):
        return None
    have = f"to have it in full: {artifact.recover_with}"
    if not how.can_recover(artifact):
        have = f"without a tool to {artifact.recover_with}, ask for {artifact.told}"
    note = f"[an outline of {len(text):,} characters; sections that matter for a question are quoted before it; {have}]"
    body = "\n".join(_entries(artifact.told, text))
    return enforced(f"{body}\n{note}", extract_of(artifact, artifact.recover_with)).text


def _entries(name: str, text: str) -> Iterator[str]:
    """A line for each heading or declaration, or for each section where there is none."""
    listed = list(_listed(name, text))
    shown = listed if len(listed) <= _MOST_ENTRIES else _spread(listed)
    for (first, last, words), after in pairwise((*shown, (0, 0, ""))):
        yield f"lines {first}–{last}: {words}"
        gap = after[0] - last - 1
        if after[0] and gap > 0:
            yield f"… {gap:,} more lines"


def _listed(name: str, text: str) -> Iterator[tuple[int, int, str]]:
    titles = _titles(name, text)
    if not titles:
        for one in sections_of(name, text):
            words = text[one.start : one.end].strip().partition("\n")[0]
            yield one.first_line, one.last_line, clipped(words, _TITLE)
        return
    numbers = {start: number for number, (start, _) in enumerate(line_spans(text), 1)}
    firsts = sorted((numbers[start], words) for start, words in titles.items())
    if firsts[0][0] > 1:
        firsts.insert(0, (1, "…"))
    for (first, words), (after, _) in pairwise((*firsts, (len(numbers) + 1, ""))):
        yield first, after - 1, words


def _spread(entries: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """So many entries, taken evenly."""
    step = len(entries) / _MOST_ENTRIES
    return [entries[int(number * step)] for number in range(_MOST_ENTRIES)]


def _lines(text: str) -> Iterator[_Line]:
    for number, (start, end) in enumerate(line_spans(text) if text else (), 1):
        at = start
        while end - at > _MOST:
            # Cut before, never inside, a character that is drawn from several.
            piece = at + max(1, len(whole_characters(text[at : at + _MOST + 1], _MOST)))
            yield _Line(at, piece, number)
            at = piece
        yield _Line(at, end, number)


def _titles(name: str, text: str) -> dict[int, str]:
    """Where headings or declarations begin, and what they say."""
    if shape_of(name, text) == "code":
        declared = declarations(text, ending_of(name))
        return {start: clipped(" ".join(text[start:end].split()), _TITLE) for start, end in declared}
    found = {}
    for start in headings(text):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        found[start] = clipped(line.lstrip("#").strip(), _TITLE)
    return found


def _ends(text: str, lines: Sequence[_Line], place: int, chars: int, titled: bool) -> bool:
    """Whether a section ends before this line."""
    line, before = lines[place], lines[place - 1]
    if chars + line.end - line.start > _MOST:
        return True
    if titled:
        return chars >= _LEAST
    blank = not text[before.start : before.end].strip()
    return blank and chars >= _USUAL


def _section(lines: Sequence[_Line], first: int, after: int, title: str) -> TextSection:
    start, end = lines[first], lines[after - 1]
    return TextSection(start.start, end.end, start.number, end.number, title)
