"""Parts of a document by their anchors: `notes.md#Clock-skew`, pages, lines, cells of a sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workbench.domain.files.document import Document, Section

_PAGES = re.compile(r"p(\d{1,6})(?:-(\d{1,6}))?")
_LINES = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?")
_CELLS = re.compile(r"(.+)!\$?([A-Za-z]{1,3})\$?(\d{1,7})(?::\$?([A-Za-z]{1,3})\$?(\d{1,7}))?")
_GAP = re.compile(r"\s+")


def split_anchor(key: str) -> tuple[str, str]:
    """Split a key into path and anchor; the anchor is empty where it names the whole."""
    path, mark, anchor = key.rpartition("#")
    return (path, anchor) if mark and path and anchor and "/" not in anchor else (key, "")


def heading_anchor(title: str, taken: Iterable[str] = ()) -> str:
    """A heading's anchor: without spaces and slashes; numbered where the name is taken.

    A heading named like lines, pages or cells is numbered, too: `#L2` is always the second line.
    """
    plain = _GAP.sub("-", title.replace("#", " ").replace("/", " ").strip()) or "section"
    if any(form.fullmatch(plain) for form in (_PAGES, _LINES, _CELLS)):
        plain = f"{plain}~1"
    used = set(taken)
    if plain not in used:
        return plain
    number = 2
    while f"{plain}~{number}" in used:
        number += 1
    return f"{plain}~{number}"


def find_section(document: Document, anchor: str) -> Section | None:
    """The part that an anchor names: pages, lines, then a heading, symbol or sheet; None where there is none."""
    if document.pages and (found := _PAGES.fullmatch(anchor)):
        return _pages(document.pages, int(found[1]), int(found[2] or found[1]))
    if found := _LINES.fullmatch(anchor):
        return _lines(document.text, int(found[1]), int(found[2] or found[1]))
    found = _CELLS.fullmatch(anchor) if document.read_as.kind in ("sheets", "ods") else None
    return _rows(document, found) if found else _find_named(document.sections, anchor)


def part_text(document: Document, part: Section) -> str:
    """The text of a part; for cells of a sheet, only their columns."""
    text = document.text[part.start : part.end]
    found = _CELLS.fullmatch(part.anchor) if document.read_as.kind in ("sheets", "ods") else None
    return _columns(text, found) if found else text


def _pages(pages: Sequence[Section], first: int, last: int) -> Section | None:
    chosen = [page for page in pages if first <= page.first_page <= last]
    if not chosen or first > last:
        return None
    anchor = f"p{first}" if first == last else f"p{first}-{last}"
    title = f"page {first}" if first == last else f"pages {first}–{last}"
    return Section(anchor, title, 1, chosen[0].start, chosen[-1].end, first, chosen[-1].last_page)


def _lines(text: str, first: int, last: int) -> Section | None:
    if not 1 <= first <= last:
        return None
    start = _line_start(text, first)
    if start is None:
        return None
    end = _line_start(text, last + 1)
    anchor = f"L{first}" if first == last else f"L{first}-{last}"
    title = f"line {first}" if first == last else f"lines {first}–{last}"
    return Section(anchor, title, 1, start, len(text) if end is None else end)


def _line_start(text: str, number: int) -> int | None:
    place = 0
    for _ in range(number - 1):
        place = text.find("\n", place) + 1
        if not place:
            return None
    return place if place < len(text) or number == 1 else None


# A sheet is written as a table whose rows begin with their numbers, the first column after them being A:
#     | 1 | Region | Units |
#     |---|---|---|
#     | 2 | North | 3 |

_ROW = re.compile(r"^\| (\d+) \|.*\n?", re.MULTILINE)
_CELL_END = re.compile(r"(?<!\\)\|")


def _rows(document: Document, cells: re.Match[str]) -> Section | None:
    """The whole rows that contain the cells; `part_text` selects their columns."""
    sheet = _find_named(document.sections, cells[1])
    if sheet is None:
        return None
    first, last = sorted((int(cells[3]), int(cells[5] or cells[3])))
    rows = [
        row for row in _ROW.finditer(document.text, sheet.start, sheet.end) if first <= int(row[1]) <= last
    ]
    if not rows:
        return None
    name = f"{sheet.anchor}!{_range(cells)}"
    return Section(name, f"{sheet.title}, {_range(cells)}", sheet.level + 1, rows[0].start(), rows[-1].end())


def _range(cells: re.Match[str]) -> str:
    """A cell range in the usual notation, from upper left to lower right."""
    left, right = sorted((_column(cells[2]), _column(cells[4] or cells[2])))
    first, last = sorted((int(cells[3]), int(cells[5] or cells[3])))
    one, other = f"{_letters(left)}{first}", f"{_letters(right)}{last}"
    return one if one == other else f"{one}:{other}"


def _columns(text: str, cells: re.Match[str]) -> str:
    left, right = sorted((_column(cells[2]), _column(cells[4] or cells[2])))
    lines = [f"Cells {_range(cells)} of {cells[1]}:", ""]
    for row in _ROW.finditer(text):
        shown = [cell.strip() for cell in _CELL_END.split(row[0].strip())[1:-1]]
        chosen = shown[left : right + 1]
        lines.append("| " + " | ".join([shown[0], *chosen, *[""] * (right - left + 1 - len(chosen))]) + " |")
        if len(lines) == 3:
            lines.append("|" + "---|" * (right - left + 2))
    return "\n".join(lines) + "\n"


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _letters(number: int) -> str:
    written = ""
    while number:
        number, place = divmod(number - 1, 26)
        written = chr(ord("A") + place) + written
    return written


def _find_named(sections: Sequence[Section], anchor: str) -> Section | None:
    """A section by its exact anchor; else ignoring case and signs; else by its title."""
    wanted = _plain(anchor)
    for fits in (
        lambda one: one.anchor == anchor,
        lambda one: _plain(one.anchor) == wanted,
        lambda one: _plain(one.title) == wanted,
    ):
        found = next((one for one in sections if fits(one)), None)
        if found is not None:
            return found
    return None


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().casefold())
