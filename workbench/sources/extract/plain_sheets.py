"""Cells of an Excel workbook without anything around them: for one that the library stumbles over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.prose import one_line
from workbench.sources.extract.refusal import broken

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_TRUTH = {"0": "FALSE", "1": "TRUE"}
_MOST_COLUMNS = 16_384

Cells = Iterator[tuple[int, list[str]]]


def plain_sheets(archive: OfficeFile) -> Iterator[tuple[str, Cells, bool]]:
    """The sheets by name, each with its rows as they are written, and whether it is hidden."""
    main = archive.main("xl/workbook.xml")
    book = archive.tree(main)
    if book is None:
        raise broken("Excel workbook")
    related = archive.related(main)
    strings = _strings(archive, related)
    for one in book.iter(f"{_S}sheet"):
        tree = archive.tree(related.get(one.get(f"{_R}id", ""), ("", ""))[1])
        if tree is not None:
            hidden = one.get("state", "visible") != "visible"
            yield one_line(one.get("name", "")) or "Sheet", _rows(tree, strings), hidden


def _strings(archive: OfficeFile, related: Any) -> list[str]:
    name = next(
        (target for kind, target in related.values() if kind == "sharedStrings"), "xl/sharedStrings.xml"
    )
    tree = archive.tree(name)
    return [] if tree is None else [_text(one) for one in tree.iter(f"{_S}si")]


def _text(element: Any) -> str:
    phonetic = f"{_S}rPh"
    return "".join(
        one.text or "" for one in element.iter(f"{_S}t") if next(one.iterancestors(phonetic), None) is None
    )


def _rows(tree: Any, strings: list[str]) -> Cells:
    number = 0
    for row in tree.iter(f"{_S}row"):
        written = row.get("r", "")
        number = int(written) if written.isdecimal() else number + 1
        values: list[str] = []
        for cell in row.iter(f"{_S}c"):
            column = min(_column(cell.get("r", ""), len(values)), _MOST_COLUMNS)
            values += [""] * (column - len(values))
            values.append(_value(cell, strings))
        if any(values):
            yield number, values


def _column(place: str, following: int) -> int:
    found = _PLACE.fullmatch(place)
    if found is None:
        return following
    number = 0
    for letter in found[1]:
        number = number * 26 + ord(letter) - 64
    return max(following, number - 1)


def _value(cell: Any, strings: list[str]) -> str:
    kind, written = cell.get("t", "n"), cell.findtext(f"{_S}v") or ""
    if kind == "s":
        return strings[int(written)] if written.isdecimal() and int(written) < len(strings) else ""
    if kind == "inlineStr":
        return _text(cell)
    return _TRUTH.get(written, written) if kind == "b" else written
