"""Office documents for tests: by the libraries that write them, and by hand where they must be wrong."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

import docx
import openpyxl

_TYPES = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NAMES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    f'xmlns:r="{_KINDS}"'
)


def archive(members: Mapping[str, str | bytes]) -> bytes:
    """A zip file of these members."""
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        for name, content in members.items():
            made.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 1)
    return written.getvalue()


def changed(content: bytes, members: Mapping[str, str | bytes | None]) -> bytes:
    """The archive with other members; None takes one away."""
    with zipfile.ZipFile(BytesIO(content)) as old:
        kept: dict[str, str | bytes] = {name: old.read(name) for name in old.namelist()}
    for name, other in members.items():
        kept.pop(name, None)
        if other is not None:
            kept[name] = other
    return archive(kept)


def word(fill: Callable[[Any], None]) -> bytes:
    """A Word document that a function has filled."""
    made = docx.Document()
    fill(made)
    written = BytesIO()
    made.save(written)
    return written.getvalue()


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """A workbook of sheets by their names, row by row."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    written = BytesIO()
    made.save(written)
    return written.getvalue()


class Deck:
    """A PowerPoint file, slide by slide."""

    def __init__(self) -> None:
        self._slides: list[tuple[str, str, bool]] = []

    def slide(self, title: str, *bodies: str, notes: str = "", hidden: bool = False) -> Deck:
        """Add a slide; a body that begins with < is the shape itself."""
        shapes = [shape(title, "title")] if title else []
        shapes += [one if one.startswith("<") else shape(one) for one in bodies]
        self._slides.append(("".join(shapes), notes, hidden))
        return self

    def written(self, order: Sequence[int] = ()) -> bytes:
        """The file; its slides are shown in an order of their own where one is given."""
        members: dict[str, str | bytes] = {"[Content_Types].xml": _TYPES}
        members["_rels/.rels"] = _relations({"rId1": ("officeDocument", "ppt/presentation.xml")})
        shown = order or range(1, len(self._slides) + 1)
        ids = "".join(f'<p:sldId id="{255 + one}" r:id="rId{one}"/>' for one in shown)
        members["ppt/presentation.xml"] = (
            f"<p:presentation {_NAMES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"
        )
        members["ppt/_rels/presentation.xml.rels"] = _relations(
            {f"rId{one}": ("slide", f"slides/slide{one}.xml") for one in range(1, len(self._slides) + 1)}
        )
        for number, (shapes, notes, hidden) in enumerate(self._slides, 1):
            show = ' show="0"' if hidden else ""
            members[f"ppt/slides/slide{number}.xml"] = _tree("sld", shapes, show)
            if notes:
                members[f"ppt/notesSlides/notesSlide{number}.xml"] = _tree("notes", shape(notes, "body"))
                members[f"ppt/slides/_rels/slide{number}.xml.rels"] = _relations(
                    {"rId1": ("notesSlide", f"../notesSlides/notesSlide{number}.xml")}
                )
        return archive(members)


def shape(text: str, place: str = "") -> str:
    """A box of text; a line that begins with > lies one level deeper."""
    mark = f'<p:ph type="{place}"/>' if place else ""
    lines = "".join(
        f'<a:p><a:pPr lvl="{len(line) - len(line.lstrip(">"))}"/><a:r><a:t>{escape(line.lstrip(">"))}</a:t></a:r></a:p>'
        for line in text.split("\n")
    )
    return f"<p:sp><p:nvSpPr><p:nvPr>{mark}</p:nvPr></p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


def slide_table(rows: Sequence[Sequence[str]]) -> str:
    """A table on a slide."""
    cells = "".join(
        "<a:tr>"
        + "".join(
            f"<a:tc><a:txBody><a:p><a:r><a:t>{escape(cell)}</a:t></a:r></a:p></a:txBody></a:tc>"
            for cell in row
        )
        + "</a:tr>"
        for row in rows
    )
    table = f"<a:graphic><a:graphicData><a:tbl>{cells}</a:tbl></a:graphicData></a:graphic>"
    return f"<p:graphicFrame>{table}</p:graphicFrame>"


def _tree(name: str, shapes: str, attributes: str = "") -> str:
    return f"<p:{name} {_NAMES}{attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{name}>"


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    lines = "".join(
        f'<Relationship Id="{name}" Type="{_KINDS}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_RELS}">{lines}</Relationships>'


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{one} "{f"&a{one - 1};" * 10}">' for one in range(1, 10))
    + "]>"
)
"""A few lines that are a gigabyte when their definitions are followed."""
