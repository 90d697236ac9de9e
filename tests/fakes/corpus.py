"""Files of every kind that is read, and what becomes of each: its text, or why it is refused."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

from PIL import Image

from tests.fakes import made_office, made_pdf
from tests.fakes.made_office import Deck, changed, slide_table, word, workbook
from tests.fakes.made_pdf import Bookmark, Style
from tests.fakes.made_pdf import made_pdf as pdf
from tests.fakes.spoken import SPOKEN, UNICODE, WRITTEN_IN
from workbench.domain.files.document import Reading


@dataclass(frozen=True)
class Case:
    """A file and what becomes of it.

    Attributes:
        says: what stands in its text; all of it where `whole`.
        anchors: of its sections, in order; not looked at where None.
        refused: a part of the reason, where it is.
    """

    name: str
    content: bytes = field(repr=False)
    kind: str = "text"
    says: tuple[str, ...] = ()
    whole: bool = False
    anchors: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    refused: str = ""
    label: str = ""

    def __str__(self) -> str:
        return self.label or self.name


def corpus() -> list[Case]:
    """All of them."""
    return [
        *encodings(), *plain(), *renamed(), *pdfs(), *words(), *decks(), *books(), *pages(), *notebooks(), *mails(),
        *chosen(), *pictures(), *strangers(),
    ]  # fmt: skip


def encodings() -> Iterator[Case]:
    """Sixteen languages in the encodings that they are written in."""
    for language, names in WRITTEN_IN.items():
        for name in names:
            content = SPOKEN[language].encode(name)
            yield Case(
                f"{language}.txt",
                content,
                says=(SPOKEN[language],),
                whole=True,
                label=f"{language} in {name}",
            )
    for place, (language, text) in enumerate(SPOKEN.items()):
        for name in (UNICODE[place % len(UNICODE)], UNICODE[(place + 3) % len(UNICODE)]):
            yield Case(
                f"{language}.md", text.encode(name), "markdown", (text,), True, label=f"{language} in {name}"
            )
    yield Case(
        "latin1.txt",
        "Grüße aus Köln\r\nund Ärger\r\n".encode("latin-1"),
        says=("Grüße aus Köln\r\nund Ärger\r\n",),
        whole=True,
    )
    yield Case("cafe.txt", "café\n".encode("latin-1"), says=("café\n",), whole=True)
    yield Case("empty.txt", b"", says=("",), whole=True)
    yield Case("degrees.csv", "a;b\n1;5°\n2;7°\n".encode("latin-1"), "table", ("5°",))
    yield Case("quotes.txt", "“so” – he said…\n".encode("cp1252"), says=("“so” – he said…\n",), whole=True)


PYTHON = '''"""A module."""
import os

@decorator
def first(a):
    return a


class Parser:
    """A class."""

    @property
    def read(self):
        def inner(): ...
        return inner

    class Inner:
        def deep(self): ...

if os:
    async def last(): ...
'''


def plain() -> Iterator[Case]:
    """Prose, code and tables, with their outlines."""
    yield Case(
        "notes.md", b"# One\ntext\n## Two\n```\n# no heading\n```\nThree\n=====\nFour\n----\n\n# One\n", "markdown",
        anchors=("One", "Two", "Three", "Four", "One~2"),
    )  # fmt: skip
    yield Case("front.md", b"---\ntitle: x\n---\n# A *b* `c`\n", "markdown", anchors=("A-b-c",))
    yield Case(
        "crlf.md",
        b"# One\r\ntext\r\n## Two\r\n",
        "markdown",
        ("# One\r\ntext\r\n## Two\r\n",),
        True,
        ("One", "Two"),
    )
    yield Case(
        "book.rst",
        b"Title\n=====\n\nPart\n----\n\ntext\n\nOther\n=====\n",
        anchors=("Title", "Part", "Other"),
    )
    yield Case(
        "parser.py", PYTHON.encode(), "code", (PYTHON,), True,
        ("first", "Parser", "Parser.read", "Parser.Inner", "Parser.Inner.deep", "last"),
    )  # fmt: skip
    yield Case(
        "broken.py",
        b"class A:\n    def b(self):\n        pass\n\ndef c(:\n    x = 1\n",
        "code",
        anchors=("A", "A.b", "c"),
    )
    yield Case("run", b"#!/usr/bin/env python3\ndef main():\n    pass\n", "code", anchors=("main",))
    yield Case(
        "app.ts",
        b"export class Shop {\n  private open(a: string): void {\n    if (a) { b(); }\n  }\n}\n"
        b"export function buy(x) {\n}\nconst sell = (y) => {\n  return '}';\n};\ninterface Till { a: string }\n",
        "code", anchors=("Shop", "Shop.open", "buy", "sell", "Till"),
    )  # fmt: skip
    yield Case(
        "main.go",
        b"package a\ntype T struct {\n\tA int\n}\nfunc (t *T) Do() {\n}\nfunc main() {\n}\n",
        "code",
        anchors=("T", "T.Do", "main"),
    )
    yield Case(
        "lib.rs", b"pub struct A;\nimpl A {\n    pub fn new<'a>() -> Self {\n        A\n    }\n}\nfn main() { let c = '{'; }\nmod m {\n}\n",
        "code", anchors=("A", "A~2", "A.new", "main", "m"),
    )  # fmt: skip
    yield Case(
        "A.java", b"package a;\npublic class A {\n  // class No {\n  public static void main(String[] args) {\n    run();\n  }\n  int two() {\n  }\n}\n",
        "code", anchors=("A", "A.main", "A.two"),
    )  # fmt: skip
    yield Case(
        "B.kt", b"class B {\n  fun one(): Int {\n    return 1\n  }\n}\n", "code", anchors=("B", "B.one")
    )
    yield Case(
        "C.cs",
        b"namespace N {\n  public class C {\n    public int D(int x) {\n      return x;\n    }\n  }\n}\n",
        "code",
        anchors=("N", "N.C", "N.C.D"),
    )
    yield Case(
        "a.c",
        b"#include <a.h>\nstruct s {\n  int a;\n};\nint add(int a,\n        int b)\n{\n  return a;\n}\nint no(void);\n",
        "code",
        anchors=("s", "add"),
    )
    yield Case(
        "a.rb", b"class A\n  def b\n    1\n  end\nend\nmodule M\nend\n", "code", anchors=("A", "A.b", "M")
    )
    yield Case(
        "a.sh", b"one() {\n  echo ${A}\n}\nfunction two {\n  echo\n}\n", "code", anchors=("one", "two")
    )
    yield Case(
        "a.sql",
        b"CREATE TABLE users (\n  id int\n);\ncreate or replace view v as\nselect 1;\n",
        "code",
        anchors=("users", "v"),
    )
    yield Case("a.toml", b"[one]\na = 1\n[two.three]\nb = 2\n", "code", anchors=("one", "two.three"))
    yield Case("a.tex", b"\\section{One}\ntext\n\\subsection{Two}\n", "code", anchors=("One", "Two"))
    yield Case("a.lua", b"function a.b()\n  x()\nend\n", "code", anchors=("a.b",))
    yield Case("a.json", b'{"a": 1}', "code", ('{"a": 1}',), True)
    yield Case("Makefile", b"all:\n\techo\n", "code")
    yield Case("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><title>x</title></svg>', "code")
    yield Case(
        "a.patch",
        b"From 0123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nDate: x\nMessage-ID: <1>\n\ndiff\n",
        "code",
    )
    yield Case(
        "people.csv",
        b"name,age\nAda,36\n",
        "table",
        ("Ada,36",),
        notes=("1 row below the first, 2 columns, separated by commas",),
    )
    yield Case(
        "people.tsv",
        b"name\tage\nAda\t36\nBob\t40\n",
        "table",
        notes=("2 rows below the first, 2 columns, separated by tabs",),
    )
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([["n", "square"], *[[n, n * n] for n in range(1, 1201)]])
    yield Case("long.csv", table.getvalue().encode(), "table", anchors=("L2-501", "L502-1001", "L1002-1201"))
    yield Case("log", b"10:00 started\n10:01 ended\n", says=("10:00 started\n10:01 ended\n",), whole=True)
    yield Case(
        "ctrl.txt",
        b"bell \x07 and form feed \x0c here\n",
        says=("bell \x07 and form feed \x0c here\n",),
        whole=True,
    )


def renamed() -> Iterator[Case]:
    """Names that lie."""
    page = b"<!DOCTYPE html><html><body><h1>Head</h1><p>Words</p></body></html>"
    yield Case("report.txt", pdf(["Real PDF"]), "pdf", ("Real PDF",), label="a PDF called .txt")
    yield Case("image.png", pdf(["Real PDF"]), "pdf", ("Real PDF",), label="a PDF called .png")
    yield Case("a.pdf", b"only words\n", "text", ("only words",), label="text called .pdf")
    yield Case("b.docx", b"only words\n", "text", ("only words",), label="text called .docx")
    yield Case(
        "c.xlsx",
        word(lambda made: made.add_paragraph("Not a sheet")),
        "word",
        ("Not a sheet",),
        label="a docx called .xlsx",
    )
    yield Case("d.docx", workbook({"S": [["cell"]]}), "sheets", ("cell",), label="an xlsx called .docx")
    yield Case(
        "e.zip",
        Deck().slide("Title", "Body").written(),
        "slides",
        ("Title", "Body"),
        label="a pptx called .zip",
    )
    yield Case("f.txt", page, "html", ("# Head", "Words"), label="HTML called .txt")
    yield Case("g.html", b"plain words, no tags\n", "text", ("plain words",), label="text called .html")
    yield Case(
        "h.json", notebook([("markdown", "# N")]), "notebook", ("# N",), label="a notebook called .json"
    )
    yield Case("i.ipynb", b'{"a": 1}', "text", ('{"a": 1}',), label="JSON called .ipynb")
    yield Case("j.dat", mail("Hello", "Words"), "email", ("Subject: Hello",), label="e-mail called .dat")
    yield Case("k.eml", b"no headers here\n", "text", label="text called .eml")
    yield Case("l.txt", picture("PNG"), "image", ("A picture: image/png",), label="a PNG called .txt")
    yield Case("m.jpg", picture("WEBP"), "image", ("image/webp",), label="a WebP called .jpg")
    yield Case("n.py", page, "code", label="HTML in a Python file")
    yield Case("pdf.md", b"# About\n%PDF- is how a PDF begins\n", "markdown", label="text about PDF")
    yield Case(
        "MZ.txt", b"MZ is how programs for DOS begin.\n", "text", label="text that begins as a program does"
    )
    yield Case("BZh.md", b"BZh begins bzip2 files\n", "markdown", label="text that begins as an archive does")


def pdfs() -> Iterator[Case]:
    """PDFs in several fonts, encodings and states."""
    both = (Bookmark("Alpha", 1, (Bookmark("Inner part", 1),)), Bookmark("Beta", 2), Bookmark("Gone", 9))
    yield Case(
        "plain.pdf",
        pdf(["Hello (one)\nsecond \\ line", "Page two"]),
        "pdf",
        ("--- page 1 ---\nHello (one)\nsecond \\ line\n--- page 2 ---\nPage two\n",),
        True,
    )
    yield Case(
        "marks.pdf",
        pdf(["Alpha\nwords\nInner part\nmore", "Beta\nend"], both),
        "pdf",
        anchors=("Alpha", "Inner-part", "Beta"),
    )
    yield Case("packed.pdf", pdf(["Packed words"], style=Style(packed=True)), "pdf", ("Packed words",))
    for font in ("Times-Roman", "Courier-Bold", "Helvetica-Oblique"):
        yield Case(
            f"{font}.pdf",
            pdf(["Ärger, naïve façade"], style=Style(font=font)),
            "pdf",
            ("Ärger, naïve façade",),
        )
    mac = Style(encoding="MacRomanEncoding", codec="mac_roman")
    yield Case("mac.pdf", pdf(["Ärger, naïve façade"], style=mac), "pdf", ("Ärger, naïve façade",))
    for language in ("russian", "greek", "japanese", "chinese", "korean", "polish"):
        first = SPOKEN[language].split("\n")[0][:40].strip()
        yield Case(
            f"{language}.pdf", pdf([first], style=Style(unicode_map=True, packed=True)), "pdf", (first,)
        )
    yield Case(
        "pictured.pdf",
        pdf(["Words", "More", "Last"], drawn=frozenset({1, 3})),
        "pdf",
        notes=("pictures on pages 1, 3 left out",),
    )
    yield Case("owner.pdf", pdf(["Open words"], password=""), "pdf", ("Open words",))
    yield Case("locked.pdf", pdf(["Secret"], password="pw"), refused="a PDF with a password")
    yield Case(
        "scanned.pdf",
        pdf(["", ""], drawn=frozenset({1, 2})),
        "pdf",
        notes=("its pages are pictures without text",),
    )
    yield Case(
        "partly.pdf",
        pdf(["a", "", "b", ""], drawn=frozenset({2})),
        "pdf",
        notes=("page 2 has no text, only pictures or drawings", "page 4 has no text"),
    )
    yield Case(
        "xref.pdf", pdf(["Found again"]).replace(b"startxref\n", b"startxref\n9"), "pdf", ("Found again",)
    )
    yield Case("junk.pdf", b"HTTP/1.1 200 OK\r\n\r\n" + pdf(["After junk"]), "pdf", ("After junk",))
    yield Case("tail.pdf", pdf(["Before junk"]) + b"\n" * 200, "pdf", ("Before junk",))
    yield Case("cut.pdf", pdf(["Words"] * 3)[:-300], refused="a damaged PDF")
    yield Case("head.pdf", b"%PDF-1.7\n", refused="a damaged PDF")
    yield Case("noise.pdf", b"%PDF-1.4\n" + bytes(range(256)) * 40, refused="a damaged PDF")
    yield Case("loop.pdf", made_pdf.looping_pages(), refused="a damaged PDF")
    yield Case("bookmarks.pdf", made_pdf.looping_bookmarks(), "pdf", ("Alpha", "Beta"))
    yield Case("nested.pdf", made_pdf.nested(50_000), refused="a damaged PDF")
    yield Case("count.pdf", made_pdf.many_pages(1_000_000_000), "pdf", notes=("page 1 has no text",))
    yield Case("none.pdf", made_pdf.nested(1), refused="PDF")


def words() -> Iterator[Case]:
    """Word documents."""

    def report(made: Any) -> None:
        made.add_heading("Report", 0)
        made.add_heading("Part one", 1)
        made.add_paragraph("First words with a | bar.")
        for text, style in (
            ("one", "List Bullet"),
            ("deeper", "List Bullet 2"),
            ("two", "List Number"),
            ("three", "List Number"),
        ):
            made.add_paragraph(text, style=style)
        table = made.add_table(2, 2)
        for place, text in enumerate(("Name", "Age", "Ada|B", "36")):
            table.cell(place // 2, place % 2).text = text
        made.add_heading("Part two", 2)
        made.add_paragraph("Last words.")
        made.sections[0].header.paragraphs[0].text = "Header words"
        made.add_picture(io.BytesIO(picture("PNG")))

    yield Case(
        "report.docx", word(report), "word",
        ("# Report", "# Part one\n\nFirst words", "- one\n- deeper", "1. two\n2. three", "| Name | Age |\n|---|---|\n| Ada\\|B | 36 |", "## Part two"),
        anchors=("Report", "Part-one", "Part-two"), notes=("1 picture or drawing left out",),
    )  # fmt: skip
    simple = word(lambda made: made.add_paragraph("Simple"))
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

    def body(inner: str) -> bytes:
        return changed(
            simple, {"word/document.xml": f"<w:document {space}><w:body>{inner}</w:body></w:document>"}
        )

    def run(text: str) -> str:
        return f"<w:r><w:t>{text}</w:t></w:r>"

    yield Case(
        "tracked.docx",
        body(
            f"<w:p>{run('kept ')}<w:ins>{run('added')}</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
        ),
        "word",
        ("kept added\n",),
        True,
        notes=("1 tracked insertion in the text", "1 tracked deletion with 1 word left out"),
    )
    yield Case(
        "control.docx",
        body(f"<w:sdt><w:sdtContent><w:p>{run('in a control')}</w:p></w:sdtContent></w:sdt>"),
        "word",
        ("in a control",),
    )
    yield Case(
        "link.docx",
        body(f"<w:p>{run('see ')}<w:hyperlink>{run('this')}</w:hyperlink></w:p>"),
        "word",
        ("see this",),
    )
    yield Case(
        "level.docx",
        body(f"<w:p><w:pPr><w:outlineLvl w:val='1'/></w:pPr>{run('By level')}</w:p><w:p>{run('x')}</w:p>"),
        "word",
        ("## By level",),
        anchors=("By-level",),
    )
    yield Case(
        "breaks.docx",
        body("<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t></w:r></w:p>"),
        "word",
        ("a\nb\tc\n",),
        True,
    )
    span = f"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr><w:p>{run('wide')}</w:p></w:tc></w:tr><w:tr><w:tc><w:p>{run('a')}</w:p></w:tc><w:tc><w:p>{run('b')}</w:p></w:tc></w:tr></w:tbl>"
    yield Case("span.docx", body(span), "word", ("| wide |  |\n|---|---|\n| a | b |",))
    notes = (
        f"<w:footnotes {space}><w:footnote w:id='2'><w:p>{run('The note.')}</w:p></w:footnote></w:footnotes>"
    )
    yield Case(
        "foot.docx",
        changed(
            body(f"<w:p>{run('Said')}<w:r><w:footnoteReference w:id='2'/></w:r></w:p>"),
            {"word/footnotes.xml": notes},
        ),
        "word",
        ("Said[^2]", "[^2]: The note."),
    )
    yield Case("empty.docx", word(lambda _made: None), refused="a Word document without any text")
    yield Case("nobody.docx", changed(simple, {"word/document.xml": None}), refused="damaged")
    yield Case("notxml.docx", changed(simple, {"word/document.xml": "<w:document"}), refused="damaged")
    yield Case("cut.docx", simple[: len(simple) // 2], refused="damaged")
    for place, language in enumerate(("russian", "japanese", "arabic")):
        text = SPOKEN[language].split("\n")[0].strip()
        yield Case(f"{language}{place}.docx", body(f"<w:p>{run(text)}</w:p>"), "word", (text,))


def decks() -> Iterator[Case]:
    """PowerPoint files."""
    deck = (
        Deck()
        .slide("First", "words\n>point\n>>deeper", notes="Say this")
        .slide("Second", slide_table([["a", "b"], ["1", "2"]]))
    )
    yield Case(
        "deck.pptx", deck.written(), "slides",
        ("--- slide 1: First ---\n\nwords\n- point\n  - deeper\n\nNotes: Say this\n\n--- slide 2: Second ---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",),
        True, ("First", "Second"),
    )  # fmt: skip
    yield Case(
        "order.pptx",
        deck.written((2, 1)),
        "slides",
        ("--- slide 1: Second ---", "--- slide 2: First ---"),
        anchors=("Second", "First"),
    )
    yield Case(
        "untitled.pptx",
        Deck().slide("", "only words").written(),
        "slides",
        ("--- slide 1 ---\n\nonly words",),
        anchors=("slide-1",),
    )
    yield Case(
        "hidden.pptx",
        Deck().slide("A", "x").slide("B", "y", hidden=True).written(),
        "slides",
        notes=("hidden slides are in the text: 2",),
    )
    yield Case("pic.pptx", Deck().slide("A", "<p:pic/>").written(), "slides", notes=("1 picture left out",))
    yield Case("same.pptx", Deck().slide("A", "x").slide("A", "y").written(), "slides", anchors=("A", "A~2"))
    yield Case(
        "escape.pptx",
        Deck().slide("R&D <1>", "a < b").written(),
        "slides",
        ("--- slide 1: R&D <1> ---", "a < b"),
    )
    yield Case("none.pptx", Deck().written(), refused="without slides")
    yield Case("lost.pptx", changed(deck.written(), {"ppt/presentation.xml": None}), refused="damaged")
    yield Case("wrong.pptx", changed(deck.written(), {"ppt/slides/slide1.xml": "<p:sld"}), refused="damaged")


def books() -> Iterator[Case]:
    """Excel workbooks."""
    noon = datetime.datetime(2026, 5, 1, 12, 30)  # noqa: DTZ001  (sheets know no time zones)
    rows: list[list[object]] = [
        ["Region", "Units", "Day", "Ok"],
        ["North", 3.0, datetime.date(2026, 5, 1), True],
        ["South|East", 4.25, noon, None],
    ]
    yield Case(
        "sales.xlsx", workbook({"Sales 2026": rows, "Empty": []}), "sheets",
        ("## Sales 2026\n\nCells A1:D3:\n\n| 1 | Region | Units | Day | Ok |\n|---|---|---|---|---|\n| 2 | North | 3 | 2026-05-01 | TRUE |\n| 3 | South\\|East | 4.25 | 2026-05-01 12:30:00 |  |\n\n## Empty\n\n(This sheet is empty.)\n",),
        True, ("Sales-2026", "Empty"), notes=("sheet “Empty” is empty",),
    )  # fmt: skip
    yield Case(
        "long.xlsx",
        workbook({"L": [["n"], *[[n] for n in range(2500)]]}),
        "sheets",
        ("Cells A1:A2501:", "| 2501 | 2499 |"),
    )
    yield Case(
        "gaps.xlsx",
        workbook({"G": [["a"], [], [], ["d", None, "f"]]}),
        "sheets",
        ("| 1 | a |  |  |", "| 4 | d |  | f |"),
    )
    yield Case(
        "formula.xlsx",
        workbook({"F": [[1, 2, "=A1+B1"]]}),
        "sheets",
        notes=("1 formula without a kept result left out",),
    )
    yield Case(
        "lines.xlsx",
        workbook({"L": [["two\nlines", "tab\there"]]}),
        "sheets",
        ("| 1 | two lines | tab here |",),
    )
    yield Case("wide.xlsx", workbook({"W": [list(range(300))]}), "sheets", ("Cells A1:KN1:", "| 299 |"))
    yield Case(
        "cyrillic.xlsx", workbook({"Лист": [["Привет"]]}), "sheets", ("## Лист", "Привет"), anchors=("Лист",)
    )
    book = workbook({"S": [["x"]]})
    yield Case("nosheet.xlsx", changed(book, {"xl/worksheets/sheet1.xml": None}), refused="without any text")
    yield Case("badsheet.xlsx", changed(book, {"xl/worksheets/sheet1.xml": "<worksheet"}), refused="damaged")
    yield Case("nobook.xlsx", changed(book, {"xl/workbook.xml": None}), refused="damaged")
    yield Case(
        "macros.xlsm", changed(book, {"xl/vbaProject.bin": b"x"}), "sheets", notes=("macros left out",)
    )


def pages() -> Iterator[Case]:
    """Pages, whole and broken."""

    def page(body: str, title: str = "T") -> bytes:
        return f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>".encode()

    yield Case(
        "page.html",
        page("<nav>menu</nav><h1>Head</h1><p>One <b>bold</b> word.</p><ul><li>a<ul><li>b</li></ul></li></ul><ol><li>x</li><li>y</li></ol>"
             "<script>no()</script><style>no</style><footer>foot</footer><p hidden>no</p><p style='display: none'>no</p>"),
        "html", ("# T\n\n# Head\n\nOne bold word.\n\n- a\n  - b\n1. x\n2. y\n",), True, ("T", "Head"),
    )  # fmt: skip
    yield Case(
        "table.html",
        page("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table>"),
        "html",
        ("| a | b |\n|---|---|\n| 1 | 2\\|3 |",),
    )
    yield Case(
        "layout.html",
        page("<table><tr><td><table><tr><td>in</td><td>ner</td></tr></table></td></tr></table>"),
        "html",
        ("| in | ner |",),
    )
    yield Case(
        "code.html",
        page("<pre>a\n  b</pre><p>call <code>f()</code></p>"),
        "html",
        ("```\na\n  b\n```", "call `f()`"),
    )
    yield Case(
        "links.html",
        page(
            "<p><a href='https://a.example/x'>here</a> <a href='/local'>local</a> <a href='javascript:no()'>js</a></p>"
        ),
        "html",
        ("here (https://a.example/x) local js",),
    )
    yield Case(
        "main.html",
        page(
            "<div>menu words</div><main><p>" + "The text of the page. " * 20 + "</p></main><div>other</div>"
        ),
        "html",
        ("The text of the page.",),
    )
    yield Case(
        "pic.html",
        page("<p>x <img alt='A cat' src='http://a.example/c.png'></p>"),
        "html",
        ("x [picture: A cat]",),
        notes=("1 picture left out",),
    )
    yield Case(
        "broken.html",
        b"<html><body><p>open<div>never closed<b>bold",
        "html",
        ("open", "never closed", "bold"),
    )
    yield Case("entities.html", page("<p>a &lt; b &amp; c &eacute; &#8364;</p>"), "html", ("a < b & c é €",))
    yield Case(
        "meta.html",
        '<html><head><meta charset="iso-8859-1"></head><body><p>Größe über alles, schöne Grüße</p></body></html>'.encode(
            "latin-1"
        ),
        "html",
        ("Größe über alles, schöne Grüße",),
    )
    yield Case(
        "xhtml.html",
        b'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body><p>X</p></body></html>',
        "html",
        ("X",),
    )
    yield Case("empty.html", page("<script>only()</script>", ""), refused="page without readable text")
    yield Case(
        "same.html",
        page("<h1>Title<a href='#t'>¶</a></h1><p>x</p>", "Title — Place"),
        "html",
        ("# Title\n\nx\n",),
        True,
    )
    yield Case(
        "breaks.html",
        page("<p>a<br>b</p><dl><dt>term</dt><dd>meaning</dd></dl><blockquote>said</blockquote>"),
        "html",
        ("a\nb", "term\n\nmeaning", "said"),
    )
    saved = EmailMessage()
    saved["From"], saved["MIME-Version"] = "<Saved by a browser>", "1.0"
    saved.set_content(
        "<html><body><h1>Saved</h1><p>größe</p></body></html>", subtype="html", cte="quoted-printable"
    )
    content = saved.as_bytes().replace(
        b"Content-Type: text/html",
        b"Content-Type: multipart/related; boundary=XX\r\n\r\n--XX\r\nContent-Type: text/html",
        1,
    )
    yield Case("saved.mht", content + b"\r\n--XX--\r\n", "html", ("# Saved", "größe"))


def notebook(cells: list[tuple[str, str]], outputs: list[dict[str, object]] | None = None) -> bytes:
    made = [
        {
            "cell_type": kind,
            "source": source.splitlines(keepends=True),
            "metadata": {},
            **({"outputs": outputs or []} if kind == "code" else {}),
        }
        for kind, source in cells
    ]
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": {"language": "python"}},
            "cells": made,
        }
    ).encode()


def notebooks() -> Iterator[Case]:
    """Notebooks of both formats."""
    cells = [("markdown", "# Title\nwords"), ("code", "print(1)"), ("markdown", "## Part"), ("code", "x")]
    stream: list[dict[str, object]] = [{"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]}]
    yield Case(
        "a.ipynb", notebook(cells, stream), "notebook",
        ("--- cell 1: markdown ---\n\n# Title\nwords\n\n--- cell 2: code ---\n\n```python\nprint(1)\n```\n\nOutput:\n```\n1\n2\n```",),
        anchors=("Title", "cell-2", "Part", "cell-4"),
    )  # fmt: skip
    yield Case(
        "long.ipynb",
        notebook([("code", "x")], [{"output_type": "stream", "text": "line\n" * 500}]),
        "notebook",
        ("more characters left out",),
        notes=("1 output shortened", "1 cell"),
    )
    yield Case(
        "pic.ipynb",
        notebook(
            [("code", "x")],
            [{"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>"}}],
        ),
        "notebook",
        ("Output: a picture (image/png) left out",),
        notes=("1 cell", "1 picture in outputs left out"),
    )
    yield Case(
        "html.ipynb",
        notebook([("code", "x")], [{"output_type": "execute_result", "data": {"text/html": "<b>1</b>"}}]),
        "notebook",
        ("Output: HTML left out",),
    )
    yield Case(
        "error.ipynb",
        notebook(
            [("code", "x")],
            [{"output_type": "error", "ename": "E", "evalue": "\x1b[31mbad\x1b[0m", "traceback": []}],
        ),
        "notebook",
        ("Error: E: bad",),
    )
    old = {
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": "Old"},
                    {"cell_type": "code", "input": "a = 1", "outputs": []},
                ]
            }
        ],
    }
    yield Case("old.ipynb", json.dumps(old).encode(), "notebook", ("## Old", "a = 1"))
    yield Case(
        "odd.ipynb",
        b'{"nbformat": 4, "cells": [1, null, {"cell_type": "code", "source": 5, "outputs": [3, {"data": []}]}]}',
        "notebook",
        ("--- cell 1: code ---",),
    )
    yield Case("none.ipynb", notebook([]), refused="a notebook without any text")


def mail(subject: str, text: str) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Ada <ada@example.org>", "Bob <bob@example.org>", subject
    made["Date"], made["Message-ID"] = "Mon, 04 May 2026 10:00:00 +0000", "<1@example.org>"
    made.set_content(text)
    return made.as_bytes()


def mails() -> Iterator[Case]:
    """E-mail."""
    yield Case(
        "plain.eml",
        mail("Grüße", "Schöne Wörter\n"),
        "email",
        (
            "From: Ada <ada@example.org>\nTo: Bob <bob@example.org>\nDate: Mon, 04 May 2026 10:00:00 +0000\nSubject: Grüße\n\nSchöne Wörter\n",
        ),
        True,
    )
    both = EmailMessage()
    both["From"], both["Subject"], both["Date"] = "a@example.org", "Both", "Mon, 04 May 2026 10:00:00 +0000"
    both.set_content("The plain text\n")
    both.add_alternative("<p>The <b>page</b></p>", subtype="html")
    yield Case("both.eml", both.as_bytes(), "email", ("The plain text",))
    both.add_attachment(b"x" * 1234, maintype="application", subtype="pdf", filename="plän.pdf")
    yield Case(
        "attached.eml",
        both.as_bytes(),
        "email",
        ("Attachment: plän.pdf (application/pdf, 1,234 bytes)",),
        notes=("1 attached file in the text", "1 HTML alternative left out"),
    )
    page = EmailMessage()
    page["From"], page["Subject"] = "a@example.org", "Page"
    page.set_content(
        "<h2>Offer</h2><p>Only <a href='https://a.example'>today</a></p><script>no</script>", subtype="html"
    )
    yield Case("page.eml", page.as_bytes(), "email", ("## Offer", "Only today (https://a.example)"))
    yield Case(
        "koi8.eml",
        b"From: a@b.c\nSubject: =?koi8-r?B?8NLJ18XU?=\nDate: x\nContent-Type: text/plain; charset=koi8-r\n\n"
        + "Привет всем".encode("koi8-r"),
        "email",
        ("Subject: Привет", "Привет всем"),
    )
    yield Case(
        "odd.eml",
        b"From: <<<>>> @@\nTo: \xff\xfe\nSubject: =?unknown?Q?x?=\nDate: never\n\nbody words\n",
        "email",
        ("body words",),
    )
    yield Case(
        "mbox.eml",
        b"From a@b.c Mon May  4 10:00:00 2026\nFrom: a@b.c\nDate: x\nSubject: S\n\nwords\n",
        "email",
        ("Subject: S", "words"),
    )
    yield Case(
        "unended.eml",
        b"From: a@b.c\nDate: x\nSubject: S\nContent-Type: multipart/mixed; boundary=A\n\n--A\n\nfirst part\n",
        "email",
        ("first part",),
    )


def chosen() -> Iterator[Case]:
    """What somebody overruled."""
    page = b"<!doctype html><html><body><h1>H</h1></body></html>"
    yield Case("a.html", page, "text", (page.decode(),), True, reading=Reading("text"), label="HTML as text")
    yield Case("a.txt", b"<p>x</p>", "html", ("x\n",), True, reading=Reading("html"), label="text as a page")
    yield Case("a.md", b"# One\n", "code", reading=Reading("code"), label="Markdown as code")
    yield Case(
        "a.txt",
        b"# One\n",
        "markdown",
        anchors=("One",),
        reading=Reading("markdown"),
        label="text as Markdown",
    )
    yield Case("a.txt", b"a,b\n1,2\n", "table", reading=Reading("table"), label="text as a table")
    yield Case(
        "a.json",
        notebook([("markdown", "# N")]),
        "code",
        ('"nbformat"',),
        reading=Reading("code"),
        label="a notebook as code",
    )
    yield Case(
        "a.txt",
        "Ärger".encode("cp437"),
        "text",
        ("Ärger",),
        True,
        reading=Reading(encoding="cp437"),
        label="in an encoding that was chosen",
    )
    yield Case(
        "a.txt",
        b"abc \xff",
        refused="not text in the encoding utf-8",
        reading=Reading(encoding="utf-8"),
        label="in a wrong encoding",
    )
    yield Case(
        "a.txt",
        b"abc",
        refused="there is no encoding",
        reading=Reading(encoding="klingon"),
        label="in no encoding",
    )
    yield Case(
        "a.txt",
        b"abc",
        refused="there is no encoding",
        reading=Reading(encoding="rot13"),
        label="in an encoding of no text",
    )
    yield Case(
        "a.png",
        picture("PNG"),
        refused="it is not a PDF: it is a picture",
        reading=Reading("pdf"),
        label="a PNG as a PDF",
    )
    yield Case(
        "a.png",
        picture("PNG"),
        refused="it is a picture, not text",
        reading=Reading("text"),
        label="a PNG as text",
    )
    yield Case(
        "a.pdf",
        pdf(["x"], style=Style(packed=True)),
        refused="it is a PDF, not text",
        reading=Reading("text"),
        label="a PDF as text",
    )
    yield Case(
        "a.txt", b"words", refused="it is not a Word document", reading=Reading("word"), label="text as Word"
    )
    yield Case(
        "a.docx",
        word(lambda made: made.add_paragraph("x")),
        refused="it is not an Excel workbook: it is a Word document",
        reading=Reading("sheets"),
        label="Word as Excel",
    )
    yield Case(
        "a.json", b"{}", refused="a damaged notebook", reading=Reading("notebook"), label="JSON as a notebook"
    )
    yield Case(
        "a.rtf", b"{\\rtf1 words}", "text", ("{\\rtf1 words}",), reading=Reading("text"), label="RTF as text"
    )


def picture(kind: str, size: tuple[int, int] = (8, 6), orientation: int = 0) -> bytes:
    """A picture whose upper left is red."""
    made = Image.new("RGB", size, "white")
    made.paste("red", (0, 0, size[0] // 2, size[1] // 2))
    exif = Image.Exif()
    if orientation:
        exif[0x0112] = orientation
    written = io.BytesIO()
    made.save(
        written,
        kind,
        **({"exif": exif} if orientation else {}),
        **({"quality": 95} if kind == "JPEG" else {}),
    )
    return written.getvalue()


def pictures() -> Iterator[Case]:
    """Pictures, which are described."""
    for kind in ("PNG", "JPEG", "GIF", "WEBP"):
        yield Case(
            f"a.{kind.lower()}",
            picture(kind),
            "image",
            (f"A picture: image/{kind.lower()}, 8 × 6 pixels.",),
            True,
        )
    yield Case("cut.png", picture("PNG")[:14], refused="a damaged PNG picture")
    yield Case("cut.jpg", picture("JPEG")[:8], refused="a damaged JPEG picture")


def strangers() -> Iterator[Case]:
    """What is known, and no document."""
    noise = bytes((place * 7919 + place * place * 31) % 256 for place in range(3000))
    for name, content, reason in (
        ("program", b"\x7fELF\x02\x01\x01" + noise, "a program"),
        ("a.exe", b"MZ\x90\0" + noise, "a program for Windows"),
        ("a.db", b"SQLite format 3\0" + noise, "an SQLite database"),
        ("a.gz", b"\x1f\x8b\x08" + noise, "a gzip archive"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c" + noise, "a 7-Zip archive"),
        ("a.tar", b"a" * 257 + b"ustar" + noise, "a tar archive"),
        ("a.zip", made_office.archive({"a.txt": "x"}), "a zip archive"),
        ("a.jar", made_office.archive({"META-INF/MANIFEST.MF": "x"}), "a Java archive"),
        ("a.odt", made_office.archive({"mimetype": "x", "content.xml": "<x/>"}), "an OpenDocument file"),
        ("a.epub", made_office.archive({"META-INF/container.xml": "<x/>"}), "a damaged e-book"),
        (
            "a.xlsb",
            made_office.archive({"[Content_Types].xml": "<x/>", "xl/workbook.bin": "x"}),
            "an Excel binary workbook",
        ),
        ("cut.zip", made_office.archive({"a.txt": "x"})[:40], "damaged zip archive"),
        (
            "a.doc",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le") + noise,
            "a Word document of the old format",
        ),
        (
            "a.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le") + noise,
            "an Excel workbook of the old format",
        ),
        (
            "locked.docx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le") + noise,
            "an Office document with a password",
        ),
        (
            "a.msg",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "__substg1.0".encode("utf-16-le") + noise,
            "an Outlook message",
        ),
        ("a.mp3", b"ID3\x04\0" + noise, "a sound recording"),
        ("a.mp4", b"\0\0\0\x18ftypmp42" + noise, "a film"),
        ("a.heic", b"\0\0\0\x18ftypheic" + noise, "a picture of a kind"),
        ("a.tiff", b"II*\0" + noise, "a picture of a kind"),
        ("a.ttf", b"\0\x01\0\0\0" + noise, "a font"),
        ("a.gguf", b"GGUF\x03\0\0\0" + noise, "a language model"),
        ("a.npy", b"\x93NUMPY\x01\0" + noise, "a NumPy array"),
        ("noise.txt", noise, "neither text nor a document"),
        ("nul.txt", b"words \0 words", "neither text nor a document"),
        ("zeros", b"\0" * 5000, "neither text nor a document"),
        ("high", b"\xff\xfd" * 400, "neither text nor a document"),
    ):
        yield Case(name, content, refused=reason)
