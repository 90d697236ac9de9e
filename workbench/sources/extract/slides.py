"""Reads PowerPoint files: the slides in order, each with its title, texts, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.domain.translation import counted, tr
from workbench.sources.extract.archives import OfficeFile, Reader, embedded_texts
from workbench.sources.extract.charts import chart_text
from workbench.sources.extract.left_out import left_out
from workbench.sources.extract.prose import Prose, one_line
from workbench.sources.extract.refusal import Unreadable, broken

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "sldNum", "hdr", "sldImg")
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def read_slides(content: bytes, read: Reader | None = None) -> Document:
    """Returns the slides as text, each under a line with its number and title; `read` reads embedded documents."""
    archive = OfficeFile(content, tr("PowerPoint file"))
    prose = Prose()
    starts: list[int] = []
    left_out = _LeftOut(read)
    for number, name in enumerate(_slide_names(archive), 1):
        starts.append(_slide(prose, archive, name, number, left_out))
    if not starts:
        raise Unreadable(tr("it is a PowerPoint file without slides"), tr("Attach another file."))
    text, sections = prose.finished()
    ends = [*starts[1:], len(text)]
    pages = tuple(
        Section(f"p{number}", section.title, 1, start, end, number, number)
        for number, (section, start, end) in enumerate(zip(sections, starts, ends, strict=True), 1)
    )
    numbered = tuple(
        replace(one, first_page=number, last_page=number) for number, one in enumerate(sections, 1)
    )
    read_as = ReadAs("slides", pages=len(pages), notes=left_out.notes(), unread=tuple(left_out.cut))
    return Document(text, read_as, numbered, pages)


class _LeftOut:
    """Counts what slides show that is not in the text."""

    def __init__(self, read: Reader | None) -> None:
        self.read = read
        self.pictures = self.charts = self.objects = 0
        self.hidden: list[int] = []
        self.cut: list[str] = []
        self.footers: set[str] = set()
        self.masters: dict[str, bool] = {}

    def notes(self) -> tuple[str, ...]:
        found = left_out({"picture": self.pictures, "chart": self.charts, "embedded object": self.objects})
        masters = sum(self.masters.values())
        if masters:
            found.append(tr("text on {counted} left out", counted=counted(masters, "master slide")))
        if self.hidden:
            named = ", ".join(str(one) for one in self.hidden[:8])
            more = tr(" and {n:,} more", n=len(self.hidden) - 8) if len(self.hidden) > 8 else ""
            found.append(tr("hidden slides are in the text: {named}{more}", named=named, more=more))
        return tuple(found)


def _slide_names(archive: OfficeFile) -> Iterator[str]:
    root = archive.related("")
    main = next(
        (target for kind, target in root.values() if kind == "officeDocument"), "ppt/presentation.xml"
    )
    show = archive.tree(main)
    if show is None:
        raise broken(tr("PowerPoint file"))
    related = archive.related(main)
    for one in show.iter(f"{_P}sldId"):
        target = related.get(one.get(f"{_R}id", ""), ("", ""))[1]
        if target and target.lower() in archive.names:
            yield target


def _slide(prose: Prose, archive: OfficeFile, name: str, number: int, left_out: _LeftOut) -> int:
    tree = archive.tree(name)
    if tree is None:
        return prose.section_line(f"--- slide {number} ---", f"slide {number}", 1)
    if tree.get("show") in ("0", "false"):
        left_out.hidden.append(number)
    shapes = list(_shapes(tree))
    title = next((one_line(_text(one)) for one in shapes if _place(one) in _TITLES), "")
    start = prose.section_line(
        f"--- slide {number}: {title} ---" if title else f"--- slide {number} ---",
        title or f"slide {number}",
        1,
    )
    related = list(archive.related(name).values())
    _check_masters(archive, related, left_out.masters)
    charts = [chart_text(one) for one in _parts(archive, related, "chart")]
    for shape in shapes:
        if _place(shape) not in _TITLES:
            _shape(prose, shape, left_out)
    for chart in charts:
        prose.block(chart)
    embedded = embedded_texts(archive, related, left_out.read, left_out.cut)
    for text in embedded:
        prose.block(text)
    left_out.charts -= sum(map(bool, charts))
    left_out.objects -= len(embedded)
    for said in _diagrams(archive, related):
        prose.block(said)
    for kind, said in (("Notes", _notes(archive, related)), ("Comments", _comments(archive, related))):
        if said:
            prose.block(f"{kind}: {said}")
    return start


def _shapes(tree: Any) -> Iterator[Any]:
    """Yields the shapes of a slide from back to front; groups are flattened."""
    kinds = {f"{_P}sp", f"{_P}graphicFrame", f"{_P}pic"}
    for one in tree.iter():
        if one.tag in kinds and next(one.iterancestors(f"{_MC}Fallback"), None) is None:
            yield one


def _place(shape: Any) -> str:
    found = shape.find(f".//{_P}nvPr/{_P}ph")
    return "" if found is None else str(found.get("type", "body"))


def _shape(prose: Prose, shape: Any, left_out: _LeftOut) -> None:
    place = _place(shape)
    if place in _FURNITURE:
        return
    if place == "ftr":
        said = one_line(_text(shape))
        if said not in left_out.footers:
            left_out.footers.add(said)
            prose.block(f"Footer: {said}" if said else "")
        return
    if shape.tag == f"{_P}pic":
        left_out.pictures += 1
        named = shape.find(f".//{_P}cNvPr")
        words = "" if named is None else one_line(named.get("descr", ""))
        prose.block(f"[picture: {words}]" if words else "")
        return
    table = shape.find(f".//{_A}tbl")
    if table is not None:
        prose.table(
            [[one_line(_text(cell)) for cell in row.findall(f"{_A}tc")] for row in table.findall(f"{_A}tr")]
        )
    elif shape.tag == f"{_P}graphicFrame":
        left_out.charts += shape.find(f".//{_C}chart") is not None
        left_out.objects += shape.find(f".//{_P}oleObj") is not None
    else:
        prose.block(_text(shape))


def _text(element: Any) -> str:
    """Returns paragraphs as lines; those of a lower level are indented list items."""
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


def _notes(archive: OfficeFile, related: Sequence[tuple[str, str]]) -> str:
    found = [
        _text(one)
        for tree in _parts(archive, related, "notesSlide")
        for one in _shapes(tree)
        if _place(one) not in _FURNITURE
    ]
    return "\n".join(filter(None, found))


def _check_masters(archive: OfficeFile, related: Sequence[tuple[str, str]], seen: dict[str, bool]) -> None:
    """Records whether a slide's layout and master have text of their own besides their placeholders."""
    for kind, target in related:
        if kind in ("slideLayout", "slideMaster") and target not in seen:
            tree = archive.tree(target)
            shapes = [] if tree is None else [one for one in _shapes(tree) if not _place(one)]
            seen[target] = any(_text(one) for one in shapes)
            if kind == "slideLayout":
                above = list(archive.related(target).values())
                _check_masters(archive, [one for one in above if one[0] == "slideMaster"], seen)


def _comments(archive: OfficeFile, related: Sequence[tuple[str, str]]) -> str:
    """Returns the comments on a slide, in both formats in which they are stored."""
    found = []
    for tree in _parts(archive, related, "comments"):
        found += [one_line(one.text or "") for one in tree.iter(f"{_P}text")]
        found += [one_line("".join(_runs(one))) for one in tree.iter(f"{_A}p")]
    return "\n".join(filter(None, found))


def _diagrams(archive: OfficeFile, related: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yields the text of diagrams, which are stored as parts of their own."""
    for tree in _parts(archive, related, "diagramData"):
        yield _text(tree)


def _parts(archive: OfficeFile, related: Sequence[tuple[str, str]], wanted: str) -> Iterator[Any]:
    for kind, target in related:
        tree = archive.tree(target) if kind == wanted else None
        if tree is not None:
            yield tree
