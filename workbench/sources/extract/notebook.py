"""Reads notebooks: cells in order under numbered lines, with shortened outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from workbench.domain.files.document import Document, ReadAs
from workbench.domain.translation import counted, tr
from workbench.sources.extract.outline import markdown_headings
from workbench.sources.extract.prose import Prose, one_line
from workbench.sources.extract.refusal import broken

_MOST_OUTPUT_CHARACTERS = 2_000
_MOST_OUTPUT_LINES = 30
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def read_notebook(text: str) -> Document:
    """Returns each cell under a line with its number and kind."""
    try:
        book = json.loads(text)
    except (ValueError, RecursionError):
        raise broken(tr("notebook")) from None
    cells = list(_cells(book))
    prose = Prose()
    writer = _Writer(prose, _language(book))
    for number, cell in enumerate(cells, 1):
        writer.cell(number, cell)
    whole, named = prose.finished()
    sections = tuple(replace(one, title=title) for one, title in zip(named, writer.titles, strict=True))
    notes = [counted(len(cells), "cell")]
    cut = (tr("{counted} shortened", counted=counted(writer.clipped, "output")),) if writer.clipped else ()
    if writer.pages:
        notes.append(tr("{counted} in HTML left out", counted=counted(writer.pages, "output")))
    if writer.pictures:
        notes.append(tr("{counted} in outputs left out", counted=counted(writer.pictures, "picture")))
    return Document(whole, ReadAs("notebook", notes=tuple(notes), unread=cut), sections)


def _cells(book: Any) -> Iterator[Mapping[str, Any]]:
    if not isinstance(book, dict):
        raise broken(tr("notebook"))
    pages = book.get("worksheets")
    groups = [book] if not isinstance(pages, list) else [one for one in pages if isinstance(one, dict)]
    for group in groups:
        found = group.get("cells")
        if not isinstance(found, list):
            raise broken(tr("notebook"))
        yield from (one for one in found if isinstance(one, dict))


def _language(book: Mapping[str, Any]) -> str:
    metadata = book.get("metadata")
    for path in (("kernelspec", "language"), ("language_info", "name")):
        found: Any = metadata
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, str) and found.isalnum():
            return found
    return ""


def _joined_lines(written: object) -> str:
    """Joins text, which a notebook stores as a string or as a list of lines."""
    if isinstance(written, list):
        return "".join(one for one in written if isinstance(one, str))
    return written if isinstance(written, str) else ""


class _Writer:
    """Writes cells, and counts what it leaves out."""

    def __init__(self, prose: Prose, language: str) -> None:
        self._prose, self._language = prose, language
        self.clipped = self.pictures = self.pages = 0
        self.titles: list[str] = []
        self._below = 0  # the level of the heading that cells stand under

    def cell(self, number: int, cell: Mapping[str, Any]) -> None:
        """Writes one cell; its section is named after its first heading, if it has one."""
        kind = str(cell.get("cell_type", "code"))
        source = _joined_lines(cell.get("source", cell.get("input", "")))
        if kind == "heading":
            level = cell.get("level", 1)
            source = f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {source}"
            kind = "markdown"
        headings = markdown_headings(source) if kind == "markdown" else []
        if headings and headings[0][0]:
            name, self._below, _ = headings[0]
            self.titles.append(name)
            self._prose.section_line(f"--- cell {number}: {kind} ---", name, self._below)
        else:
            # Named by its number, which can be typed; shown with how it begins.
            first = one_line(next((line for line in source.splitlines() if line.strip()), ""))[:60]
            self.titles.append(f"cell {number}: {first}" if first else f"cell {number}")
            self._prose.section_line(f"--- cell {number}: {kind} ---", f"cell {number}", self._below + 1)
        if kind == "code":
            if source.strip():
                self._prose.block(f"```{self._language}\n{source}\n```")
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else []:
                if isinstance(output, dict):
                    self._output(output)
        else:
            self._prose.block(source)

    def _output(self, output: Mapping[str, Any]) -> None:
        kind = output.get("output_type")
        if kind == "stream":
            self._text("Output", _joined_lines(output.get("text", "")))
        elif kind in ("error", "pyerr"):
            said = f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"
            self._prose.block(f"Error: {one_line(_ESCAPES.sub('', said))}")
        else:
            data = output.get("data")
            self._rich(data if isinstance(data, dict) else output)

    def _rich(self, data: Mapping[str, Any]) -> None:
        pictures = [name for name in data if str(name).startswith("image/") or name in ("png", "jpeg", "svg")]
        text = _joined_lines(data.get("text/plain", data.get("text", "")))
        if pictures:
            self.pictures += 1
            self._prose.block(f"Output: a picture ({pictures[0]}) left out")
        elif text.strip():
            self._text("Output", text)
        elif data.get("text/html") or data.get("html"):
            self.pages += 1
            self._prose.block("Output: HTML left out")

    def _text(self, name: str, text: str) -> None:
        text = _ESCAPES.sub("", text).rstrip()
        if not text.strip():
            return
        lines = text.split("\n")
        shown = "\n".join(lines[:_MOST_OUTPUT_LINES])[:_MOST_OUTPUT_CHARACTERS]
        left = len(text) - len(shown)
        self.clipped += left > 0
        more = tr("\n… {counted} left out", counted=counted(left, "more character")) if left > 0 else ""
        self._prose.block(f"{name}:\n```\n{shown}\n```{more}")
