"""Completions for the parts of one file: what is typed behind #."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.context.explain.offers import Held, each_once, ranked
from workbench.context.text.mentions import can_be_named, mention_text
from workbench.domain.files.document import Document, Section
from workbench.domain.files.document_parts import find_section
from workbench.domain.shown.completion_view import Offer

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


MOST_PARTS = 400
_RANGE = re.compile(r"(?:p\d+|L\d+)(?:-L?\d+)?")


def part_offers(told: str, document: Document, typed: str) -> tuple[Offer, ...]:
    """The parts that fit what was typed behind #, best first, the whole file last; a range is one row."""
    exact = find_section(document, typed) if _RANGE.fullmatch(typed) else None
    if exact is not None and "-" in typed:
        return tuple(_parts(told, document, (exact,)))
    sections = listed_parts(document)
    if exact is not None:
        sections = (exact, *(one for one in sections if one.anchor != exact.anchor))
    offers = list(_parts(told, document, sections[:MOST_PARTS]))
    if typed.strip():
        first = [offer for offer in offers if exact is not None and offer.named.endswith(f"#{exact.anchor}")]
        offers = list(each_once((*first, *ranked(typed, offers))))
    whole = Offer(
        "whole", told, mention_text(told), told, pages=(1, document.read_as.pages) if document.pages else (0, 0),
        lines=(1, _lines(document.text)),
    )  # fmt: skip
    return (*offers, whole) if offers or not typed.strip() else ()


def _parts(told: str, document: Document, sections: Sequence[Section]) -> Iterator[Offer]:
    line, place = 1, 0
    for one in sorted(sections, key=lambda section: section.start) if len(sections) > 1 else sections:
        line, place = line + document.text.count("\n", place, one.start), one.start
        named = f"{told}#{one.anchor}"
        if can_be_named(named):
            last = line + document.text.count("\n", one.start, max(one.start, one.end - 1))
            yield Offer(
                "part",
                one.title,
                mention_text(named),
                named,
                pages=(one.first_page, one.last_page),
                lines=(line, last),
            )


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def covered(
    offer_span: tuple[int, int], held: Sequence[Held], document: Document
) -> tuple[bool, tuple[Held, ...]]:
    """Whether a stretch of a file is attached already, and else which attached parts lie within it."""
    start, end = offer_span
    within: list[Held] = []
    for one in held:
        found = find_section(document, one.anchor) if one.anchor else None
        if not one.anchor or (found is not None and found.start <= start and end <= found.end):
            return True, ()
        if found is not None and start <= found.start and found.end <= end:
            within.append(one)
    return False, tuple(within)
