"""The parts of a document in the order they are listed: headings with their pages below them, else blocks of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.domain.files.document import Document, Section

BLOCK_LINES = 100
MOST_BLOCKS = 2_000


def listed_parts(document: Document) -> tuple[Section, ...]:
    """Everything that can be chosen, each part before those within it."""
    if document.sections or document.pages:
        return tuple(_with_pages(document.sections, document.pages))
    return tuple(_blocks(document.text))


def _with_pages(sections: Sequence[Section], pages: Sequence[Section]) -> Iterator[Section]:
    """A page stands under the deepest heading that is open where the page begins."""
    left = list(pages)
    open_level = 0
    for section in sections:
        while left and left[0].start < section.start:
            yield _below(left.pop(0), open_level)
        yield section
        open_level = section.level
    for page in left:
        yield _below(page, open_level)


def _below(page: Section, level: int) -> Section:
    return replace(page, level=level + 1)


def _blocks(text: str) -> Iterator[Section]:
    """Stretches of lines, longer ones where there are very many; none where one would be all of it."""
    lines = text.count("\n") + (not text.endswith("\n"))
    size = max(BLOCK_LINES, -(-lines // MOST_BLOCKS))
    if lines <= size:
        return
    place = 0
    for first in range(1, lines + 1, size):
        last = min(first + size - 1, lines)
        end = place
        for _ in range(last - first + 1):
            end = text.find("\n", end) + 1 or len(text)
        yield Section(f"L{first}-{last}", f"lines {first:,}–{last:,}", 1, place, end)
        place = end
