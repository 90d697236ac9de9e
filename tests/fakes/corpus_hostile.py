"""Files that are made to take all memory, all time, or somebody else's file."""

from __future__ import annotations

import json
import struct
import zlib

from tests.fakes import made_pdf
from tests.fakes.corpus import Case
from tests.fakes.corpus_documents import ebook, open_document
from tests.fakes.made_office import LAUGHS, Deck, archive, changed, word, workbook

MEGABYTE = 1024 * 1024


def hostile() -> list[Case]:
    """All of them; those without `refused` are read, within limits."""
    return [*archives(), *entities(), *deep(), *long_ones()]


def archives() -> list[Case]:
    simple, book = word(lambda made: made.add_paragraph("x")), workbook({"S": [["x"]]})
    huge = b" " * (30 * MEGABYTE)
    deck = Deck().slide("A", "b").written()
    many = {f"word/media/{number}.bin": b"" for number in range(20_050)}
    return [
        Case("bomb.docx", changed(simple, {"word/document.xml": huge}), refused="far more than a document"),
        Case("bomb.xlsx", changed(book, {"xl/worksheets/sheet1.xml": huge}), refused="far more than a document"),
        Case("bomb.pptx", changed(deck, {"ppt/slides/slide1.xml": huge}), refused="far more than a document"),
        Case("media.docx", changed(simple, {"word/media/a.bin": huge}), refused="far more than a document"),
        Case("many.docx", changed(simple, dict(many)), refused="far more than a document"),
        Case("size.docx", _lying_size(simple), refused="damaged"),
        Case("sum.docx", changed(simple, {f"word/media/{one}": b"\0" * 7 * MEGABYTE for one in range(30)}), refused="far more"),
        Case("picture.png", png_bomb(60_000, 60_000), "image", says=("60000 × 60000",)),
        Case("stream.pdf", made_pdf.bomb(150, 2)),
        Case("bomb.odt", changed(open_document("text", ""), {"content.xml": huge}), refused="far more than a document"),
        Case("bomb.epub", ebook({"a.xhtml": huge.decode()}), refused="far more than a document"),
        Case("path.docx", archive({"[Content_Types].xml": "<x/>", "word/../../../etc/passwd": "x"}), refused="damaged"),
    ]  # fmt: skip


def _lying_size(content: bytes) -> bytes:
    """A zip whose table says that the member with the text has one byte."""
    place = content.rindex(b"word/document.xml") - 46
    return content[: place + 24] + struct.pack("<I", 1) + content[place + 28 :]


def png_bomb(width: int, height: int) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * MEGABYTE))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + body + chunk(b"IEND", b"")


def entities() -> list[Case]:
    simple, book = word(lambda made: made.add_paragraph("x")), workbook({"S": [["x"]]})
    deck = Deck().slide("A", "b").written()
    outside = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    quadratic = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "{"x" * 50_000}">]>'
    cases = []
    for name, start in (("laughs", LAUGHS), ("outside", outside), ("quadratic", quadratic)):
        inner = "&a9;" if name == "laughs" else "&a;" * 1000
        document = f"{start}<w:document xmlns:w='x'><w:body>{inner}</w:body></w:document>"
        cases += [
            Case(f"{name}.docx", changed(simple, {"word/document.xml": document}), refused="XML definitions"),
            Case(f"{name}.xlsx", changed(book, {"xl/sharedStrings.xml": f"{start}<sst>{inner}</sst>"}), refused="XML definitions"),
            Case(f"{name}.pptx", changed(deck, {"ppt/slides/slide1.xml": f"{start}<p>{inner}</p>"}), refused="XML definitions"),
        ]  # fmt: skip
    wide = (
        LAUGHS.replace('version="1.0"', 'version="1.0" encoding="utf-16"')
        + "<w:document xmlns:w='x'>&a9;</w:document>"
    )
    cases.append(
        Case(
            "wide.docx",
            changed(simple, {"word/document.xml": wide.encode("utf-16")}),
            refused="XML definitions",
        )
    )
    text = open_document("text", "<text:p>x</text:p>")
    content = f"{LAUGHS}<office:document-content>&a9;</office:document-content>"
    cases.append(Case("laughs.odt", changed(text, {"content.xml": content}), refused="XML definitions"))
    package = f"{LAUGHS}<package><manifest>&a9;</manifest></package>"
    book = ebook({"a.xhtml": "<p>x</p>"}, (), {"OEBPS/book.opf": package})
    cases.append(Case("laughs.epub", book, refused="XML definitions"))
    chapter = ebook({"a.xhtml": f"{LAUGHS}<html><body><p>words &a9;</p></body></html>"})
    cases.append(Case("chapter.epub", chapter, "epub", says=("words",)))
    page = f"<!DOCTYPE html [<!ENTITY a 'ha'>{''.join(f'<!ENTITY b{one} 0>' for one in range(9))}]><html><body><p>words &a;</p></body></html>"
    cases.append(Case("laughs.html", page.encode(), "html", says=("words",)))
    cases.append(Case("laughs.svg", f"{LAUGHS}<svg>&a9;</svg>".encode(), "code", says=("<svg>",)))
    return cases


def deep() -> list[Case]:
    simple = word(lambda made: made.add_paragraph("x"))
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    tables = "<w:tbl><w:tr><w:tc>" * 200 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 200
    inner = f"<w:document {space}><w:body>{tables}</w:body></w:document>"
    cells = '{"cell_type": "code", "source": ' + "[" * 100_000
    return [
        Case("deep.html", b"<html><body>" + b"<div>" * 100_000 + b"words", refused="too deep"),
        Case("lists.html", b"<html><body>" + b"<ul><li>" * 100 + b"words", "html", says=("words",)),
        Case("tables.docx", changed(simple, {"word/document.xml": inner}), refused="damaged"),
        Case("deeper.docx", changed(simple, {"word/document.xml": inner.replace(tables, "<w:p>" * 5000)}), refused="damaged"),
        Case("deep.json", b"[" * 200_000, "code", says=("[[[",)),
        Case("deep.ipynb", ('{"nbformat": 4, "cells": [' + cells).encode(), "text", says=("nbformat",)),
        Case("deep.py", b"(" * 100_000, "code", says=("(((",)),
        Case("deeper.py", b"x = " + b"-" * 200_000 + b"1\n", "code", says=("---",)),
        Case("blocks.py", "".join(f"{' ' * depth}if 1:\n" for depth in range(300)).encode(), "code"),
        Case("parts.eml", _nested_mail(400), "email"),
        Case("deep.rtf", b"{\\rtf1 " + b"{" * 100_000 + b"words", refused="too deep"),
        Case("lists.odt", open_document("text", "<text:list><text:list-item>" * 100 + "<text:p>x</text:p>" + "</text:list-item></text:list>" * 100), "odt", says=("- x",)),
        Case("deep.odt", open_document("text", "<text:span>" * 5_000 + "</text:span>" * 5_000), refused="damaged"),
        Case("nested.pdf", made_pdf.nested(400_000), refused="damaged"),
    ]  # fmt: skip


def _nested_mail(depth: int) -> bytes:
    out = b"From: a@b.c\nDate: x\nSubject: deep\n"
    for level in range(depth):
        out += b"Content-Type: multipart/mixed; boundary=B%d\n\n--B%d\n" % (level, level)
    return out + b"\nthe innermost words\n"


def long_ones() -> list[Case]:
    """Inputs that a careless expression takes minutes over."""
    script = "const a = (" + "b, " * 100_000 + ") => {\n}\n"
    generics = "  public " + "List<" * 20_000 + "\n"
    return [
        Case("line.md", b"# " + b"a " * 200_000 + b"\n", "markdown"),
        Case("hashes.md", b"#" * 500_000, "markdown"),
        Case("marks.md", b"# " + b"[" * 100_000 + b"\n", "markdown"),
        Case("headings.md", b"# a\n" * 60_000, "markdown"),
        Case("line.js", script.encode(), "code"),
        Case("line.java", ("class A {\n" + generics * 5).encode(), "code"),
        Case("quotes.ts", ("'" * 50_000 + "\n" + "`" * 50_001).encode(), "code"),
        Case("comments.c", b"/*" * 100_000, "code"),
        Case("spaces.rs", (" " * 300 + "\n").encode() * 2000, "code"),
        Case("line.csv", b"a," * 300_000, "table"),
        Case("quotes.csv", b'"' * 100_001, "table"),
        Case("attributes.html", b"<html><body><p " + b"a=1 " * 50_000 + b">words</p>", "html", says=("words",)),
        Case("comment.html", b"<!--" + b"-" * 100_000 + b"<html><body>words", refused=""),
        Case("header.eml", b"From: a@b.c\nDate: x\nSubject: " + b"=?utf-8?q?a?= " * 5_000 + b"\n\nwords\n", "email", says=("words",)),
        Case("addresses.eml", b"From: " + b"a@b.c, " * 3_000 + b"\nDate: x\nSubject: x\n\nwords\n", "email", says=("words",)),
        Case("cells.ipynb", json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "x", "outputs": []}] * 3000}).encode(), "notebook"),
        Case("words.rtf", b"{\\rtf1 " + b"\\x" * 300_000 + b" words}", "rtf", says=("words",)),
        Case("binary.rtf", b"{\\rtf1 words\\bin2000000000 more}", "rtf", says=("words",)),
        Case("groups.rtf", b"{\\rtf1 " + b"{\\*\\x}" * 100_000 + b" words}", "rtf", says=("words",)),
        Case("rows.ods", open_document("spreadsheet", '<table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>w</text:p></table:table-cell></table:table-row></table:table>'), "ods", says=("w",)),
        Case("far.xlsx", _far_cell(), "sheets", says=("1048576",)),
    ]  # fmt: skip


def _far_cell() -> bytes:
    """A sheet whose only cell is the last one there can be."""
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/>'
        '<sheetData><row r="1048576"><c r="A1048576"><v>7</v></c></row></sheetData></worksheet>'
    )
    return changed(workbook({"S": [["x"]]}), {"xl/worksheets/sheet1.xml": sheet})
