"""PowerPoint files: the slides in the order in which they are shown, each with its title, texts, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.prose import Prose, one_line
from workbench.sources.extract.refusal import Unreadable, broken, counted

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "sldNum", "hdr", "sldImg")


def read_slides(content: bytes) -> Document:
    """The slides as text, each under a line with its number and title."""
    archive = OfficeFile(content, "PowerPoint file")
    prose = Prose()
    starts: list[int] = []
    left_out = _LeftOut()
    for number, name in enumerate(_slide_names(archive), 1):
        starts.append(_slide(prose, archive, name, number, left_out))
    if not starts:
        raise Unreadable("it is a PowerPoint file without slides", "Attach another file.")
    text, sections = prose.finished()
    ends = [*starts[1:], len(text)]
    pages = tuple(
        Section(f"p{number}", section.title, 1, start, end, number, number)
        for number, (section, start, end) in enumerate(zip(sections, starts, ends, strict=True), 1)
    )
    numbered = tuple(
        replace(one, first_page=number, last_page=number) for number, one in enumerate(sections, 1)
    )
    read_as = ReadAs("slides", pages=len(pages), notes=left_out.notes())
    return Document(text, read_as, numbered, pages)


class _LeftOut:
    """What slides show that is no text."""

    def __init__(self) -> None:
        self.pictures = self.charts = 0
        self.hidden: list[int] = []

    def notes(self) -> tuple[str, ...]:
        found = []
        if self.pictures:
            found.append(f"{counted(self.pictures, 'picture')} left out")
        if self.charts:
            found.append(f"{counted(self.charts, 'chart or diagram', 'charts or diagrams')} left out")
        if self.hidden:
            named = ", ".join(str(one) for one in self.hidden[:8])
            found.append(f"hidden slides are in the text: {named}")
        return tuple(found)


def _slide_names(archive: OfficeFile) -> Iterator[str]:
    root = archive.related("")
    main = next(
        (target for kind, target in root.values() if kind == "officeDocument"), "ppt/presentation.xml"
    )
    show = archive.tree(main)
    if show is None:
        raise broken("PowerPoint file")
    related = archive.related(main)
    for one in show.iter(f"{_P}sldId"):
        target = related.get(one.get(f"{_R}id", ""), ("", ""))[1]
        if target and target.lower() in archive.names:
            yield target


def _slide(prose: Prose, archive: OfficeFile, name: str, number: int, left_out: _LeftOut) -> int:
    tree = archive.tree(name)
    if tree is None:
        return prose.mark(f"--- slide {number} ---", f"slide {number}", 1)
    if tree.get("show") in ("0", "false"):
        left_out.hidden.append(number)
    shapes = list(_shapes(tree))
    title = next((one_line(_text(one)) for one in shapes if _place(one) in _TITLES), "")
    start = prose.mark(
        f"--- slide {number}: {title} ---" if title else f"--- slide {number} ---",
        title or f"slide {number}",
        1,
    )
    for shape in shapes:
        if _place(shape) not in _TITLES:
            _shape(prose, shape, left_out)
    notes = _notes(archive, name)
    if notes:
        prose.block(f"Notes: {notes}")
    return start


def _shapes(tree: Any) -> Iterator[Any]:
    """Shapes from back to front, which is how they were put there; those of a group one by one."""
    kinds = {f"{_P}sp", f"{_P}graphicFrame", f"{_P}pic"}
    for one in tree.iter():
        if one.tag in kinds:
            yield one


def _place(shape: Any) -> str:
    found = shape.find(f".//{_P}nvPr/{_P}ph")
    return "" if found is None else str(found.get("type", "body"))


def _shape(prose: Prose, shape: Any, left_out: _LeftOut) -> None:
    if _place(shape) in _FURNITURE:
        return
    if shape.tag == f"{_P}pic":
        left_out.pictures += 1
        return
    table = shape.find(f".//{_A}tbl")
    if table is not None:
        prose.table(
            [[one_line(_text(cell)) for cell in row.findall(f"{_A}tc")] for row in table.findall(f"{_A}tr")]
        )
    elif shape.tag == f"{_P}graphicFrame":
        left_out.charts += 1
    else:
        prose.block(_text(shape))


def _text(element: Any) -> str:
    """Paragraphs as lines; those of a lower level are points below the one before."""
    lines = []
    for paragraph in element.iter(f"{_A}p"):
        line = "".join(_runs(paragraph)).strip()
        properties = paragraph.find(f"{_A}pPr")
        level = 0 if properties is None else _number(properties.get("lvl"))
        if line:
            lines.append(f"{'  ' * (level - 1)}- {line}" if level else line)
    return "\n".join(lines)


def _runs(paragraph: Any) -> Iterator[str]:
    for one in paragraph.iter():
        if one.tag == f"{_A}t":
            yield one.text or ""
        elif one.tag == f"{_A}br":
            yield "\n"


def _number(written: str | None) -> int:
    return min(8, int(written)) if written and written.isdecimal() else 0


def _notes(archive: OfficeFile, name: str) -> str:
    for kind, target in archive.related(name).values():
        if kind == "notesSlide":
            tree = archive.tree(target)
            if tree is not None:
                return "\n".join(filter(None, (_text(one) for one in _shapes(tree) if _place(one) == "body")))
    return ""
