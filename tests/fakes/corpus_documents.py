"""Documents with what stands beside their text: forms, notes, comments, headers; and formats of other programs."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO

from tests.fakes.corpus import Case
from tests.fakes.made_office import Deck, archive, changed, word
from tests.fakes.made_pdf import PdfFile
from tests.fakes.spoken import SPOKEN

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def form_pdf(text: str = "(Please fill in) Tj", annotations: tuple[bytes, ...] = ()) -> bytes:
    """A page of text with a form: a name, a ticked box, a list; and a note."""
    file = PdfFile()
    root, tree, font = file.add(), file.add(), file.add()
    file.set(font, b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    box = b"/Type /Annot /Rect [10 10 90 30]"
    above = b"/Type /Annot /Rect [10 40 90 60]"
    fields = [
        file.add(b"<< %s /Subtype /Widget /FT /Tx /T (name) /TU (Your name) /V (Ada Lovelace) >>" % above),
        file.add(b"<< %s /Subtype /Widget /FT /Btn /T (member) /V /Yes /AS /Yes >>" % box),
        file.add(b"<< %s /Subtype /Widget /FT /Btn /T (guest) /V /Off /AS /Off >>" % box),
        file.add(
            b"<< %s /Subtype /Widget /FT /Ch /Ff 131072 /T (country) /Opt [[(uk) (Great Britain)] (France)] "
            b"/V (uk) /I [0] >>" % box
        ),
        file.add(b"<< %s /Subtype /Widget /FT /Tx /T (rest) >>" % box),
    ]
    notes = [
        file.add(b"<< %s /Subtype /Text /Contents (Ask her again) >>" % box),
        file.add(b"<< %s /Subtype /Square >>" % box),
        *(file.add(one) for one in annotations),
    ]
    refs = b" ".join(b"%d 0 R" % one for one in (*fields, *notes))
    content = b"BT /F1 11 Tf 50 80 Td %s ET" % text.encode() if text else b""
    body = file.add(file.stream(content))
    page = file.add(
        b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 200 100] /Contents %d 0 R /Annots [%s] "
        b"/Resources << /Font << /F1 %d 0 R >> >> >>" % (tree, body, refs, font)
    )
    file.set(tree, b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % page)
    form = file.add(b"<< /Fields [%s] >>" % b" ".join(b"%d 0 R" % one for one in fields))
    file.set(root, b"<< /Type /Catalog /Pages %d 0 R /AcroForm %d 0 R >>" % (tree, form))
    return file.written(root)


def forms() -> Iterator[Case]:
    """PDFs with something filled in or noted."""
    said = ("Your name: Ada Lovelace\n", "member: Yes\n", "country: Great Britain\n", "Note: Ask her again\n")
    out = ("1 empty form field left out", "1 drawn mark left out")
    yield Case("form.pdf", form_pdf(), "pdf", ("Please fill in\n", *said), notes=out)
    yield Case("bare-form.pdf", form_pdf(""), "pdf", said, notes=out)


def simple_strict(usual: bytes) -> bytes:
    """The same document in the strict form of the format, whose names are others."""
    name = "word/document.xml"
    with zipfile.ZipFile(BytesIO(usual)) as opened:
        written = opened.read(name)
    names = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return changed(usual, {name: written.replace(names, b"http://purl.oclc.org/ooxml/wordprocessingml/main")})


def word_parts() -> Iterator[Case]:
    """Word documents with comments, notes, headers, boxes and changes."""
    simple = word(lambda made: made.add_paragraph("Simple"))

    def run(text: str) -> str:
        return f"<w:r><w:t>{text}</w:t></w:r>"

    def part(name: str, inner: str) -> str:
        return f"<w:{name} {_W}>{inner}</w:{name}>"

    body = (
        f"<w:p>{run('Said')}<w:r><w:endnoteReference w:id='1'/></w:r>{run(' so')}"
        "<w:r><w:commentReference w:id='0'/></w:r></w:p>"
        f"<w:p><w:r><w:pict><w:txbxContent><w:p>{run('Boxed words')}</w:p></w:txbxContent></w:pict></w:r></w:p>"
        f"<w:tbl><w:tr><w:tc><w:p><w:r><w:pict><w:txbxContent><w:p>{run('Box in a cell')}</w:p></w:txbxContent>"
        "</w:pict></w:r></w:p></w:tc></w:tr></w:tbl>"
        "<w:p><w:r><w:object/></w:r><w:del><w:r><w:delText>two words</w:delText></w:r></w:del></w:p>"
        "<w:p><w:r><w:fldChar><w:ffData><w:ddList><w:result w:val='1'/><w:listEntry w:val='No'/>"
        "<w:listEntry w:val='Perhaps'/></w:ddList></w:ffData></w:fldChar></w:r></w:p>"
    )
    members = {
        "word/document.xml": part("document", f"<w:body>{body}</w:body>"),
        "word/comments.xml": part(
            "comments", f"<w:comment w:id='0' w:author='Ada'><w:p>{run('Why?')}</w:p></w:comment>"
        ),
        "word/endnotes.xml": part(
            "endnotes", f"<w:endnote w:id='1'><w:p>{run('At the end.')}</w:p></w:endnote>"
        ),
    }
    yield Case(
        "parts.docx",
        changed(simple, members),
        "word",
        (
            "Said[^e1] so[comment 0]\n",
            "Boxed words\n",
            "| Box in a cell |",
            "Perhaps\n",
            "[^e1]: At the end.\n[comment 0] Ada: Why?\n",
        ),
        notes=("1 embedded object left out", "1 tracked deletion with 2 words left out"),
    )

    strict = simple_strict(simple)
    yield Case("strict.docx", strict, "word", ("Simple\n",), True)

    drawing = (
        '<w:p><w:r><w:t>See </w:t><w:drawing xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        'wordprocessingDrawing"><wp:docPr descr="A  map"/></w:drawing></w:r></w:p>'
    )
    pictured = part("document", f"<w:body>{drawing}</w:body>")
    out = ("1 picture or drawing left out",)
    yield Case(
        "described.docx", changed(simple, {"word/document.xml": pictured}), "word", ("See [picture: A map]\n",), True,
        notes=out,
    )  # fmt: skip
    seen = '<p:pic><p:nvPicPr><p:cNvPr id="1" name="x" descr="A map"/></p:nvPicPr></p:pic>'
    yield Case("described.pptx", Deck().slide("A", seen).written(), "slides", ("[picture: A map]\n",))

    def headed(made: object) -> None:
        section = made.sections[0]  # type: ignore[attr-defined]
        section.header.paragraphs[0].text = "Above all pages"
        section.footer.paragraphs[0].text = "Below them"
        made.add_paragraph("Between")  # type: ignore[attr-defined]

    yield Case(
        "headed.docx",
        word(headed),
        "word",
        ("Header: Above all pages\n\nFooter: Below them\n\nBetween\n",),
        True,
    )


_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_OPEN = " ".join(
    f'xmlns:{short}="{_ODF}:{name}:1.0"'
    for short, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style"),
        ("presentation", "presentation"), ("svg", "svg-compatible"),
    )
)  # fmt: skip
_MANIFEST = '<file-entry full-path="/" media-type="application/vnd.oasis.opendocument.presentation"/>'
_DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'


def open_document(kind: str, body: str, styles: str = "", automatic: str = "", manifest: str = "") -> bytes:
    """An OpenDocument file: a text, a spreadsheet or a presentation."""
    members = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"<office:document-content {_OPEN} {_DC}><office:automatic-styles>{automatic}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>",
        "styles.xml": f"<office:document-styles {_OPEN}>{styles}</office:document-styles>",
        "META-INF/manifest.xml": f"<manifest>{manifest}</manifest>",
    }
    return archive(members)


def open_texts() -> Iterator[Case]:
    """OpenDocument texts."""
    note = (
        '<text:note text:note-class="{}"><text:note-citation>{}</text:note-citation><text:note-body><text:p>{}'
        "</text:p></text:note-body></text:note>"
    )
    comment = "<office:annotation><dc:creator>Ada</dc:creator><text:p>Why?</text:p></office:annotation>"
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone for good</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        '<text:h text:outline-level="2">Part   one</text:h>'
        f"<text:p>Said{note.format('footnote', 1, 'Below.')} so{note.format('endnote', 'i', 'At the end.')}{comment}"
        "<text:s text:c='2'/>and<text:tab/>on<text:line-break/>and on</text:p>"
        '<text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deeper'
        "</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item>"
        "</text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>a|b</text:p></table:table-cell><table:table-cell"
        ' table:number-columns-repeated="2"><text:p>c</text:p></table:table-cell></table:table-row></table:table>'
        "<text:p><draw:frame><draw:text-box><text:p>Boxed words</text:p></draw:text-box></draw:frame>"
        "<draw:frame><draw:image/><svg:desc>A map</svg:desc></draw:frame><draw:frame><draw:object/></draw:frame></text:p>"
    )
    automatic = '<text:list-style style:name="L1"><text:list-level-style-number style:num-format="1"/></text:list-style>'
    styles = (
        "<office:master-styles><style:master-page><style:header><text:p>Above</text:p></style:header><style:footer>"
        "<text:p>Below</text:p></style:footer></style:master-page></office:master-styles>"
    )
    yield Case(
        "all.odt",
        open_document("text", body, styles, automatic),
        "odt",
        (
            "Header: Above\n\nFooter: Below\n\n## Part one\n\nSaid[^1] so[^ei][comment 1] and on\nand on\n\n"
            "1. one\n   1. deeper\n2. two\n\n| a\\|b | c | c |\n|---|---|---|\n\nBoxed words\n\n[picture: A map]\n\n"
            "[^1]: Below.\n[^ei]: At the end.\n[comment 1] Ada: Why?\n",
        ),
        True,
        ("Part-one",),
        ("1 picture left out", "1 embedded object left out", "1 tracked deletion with 3 words left out"),
    )
    yield Case("none.odt", open_document("text", ""), refused="without any text")
    locked = open_document("text", "<text:p>x</text:p>", manifest="<encryption-data/>")
    yield Case("locked.odt", locked, refused="an OpenDocument text with a password")
    cut = changed(open_document("text", "<text:p>x</text:p>"), {"content.xml": "<office:doc"})
    yield Case("cut.odt", cut, refused="damaged")


def open_slides() -> Iterator[Case]:
    """OpenDocument presentations."""
    body = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>First</text:p></draw:text-box>'
        "</draw:frame><draw:frame><draw:text-box><text:list><text:list-item><text:p>point</text:p></text:list-item>"
        "</text:list></draw:text-box></draw:frame><draw:custom-shape><text:p>shaped</text:p><draw:enhanced-geometry/></draw:custom-shape>"
        "<presentation:notes><draw:frame><draw:text-box><text:p>Say this</text:p></draw:text-box></draw:frame>"
        "</presentation:notes></draw:page>"
        "<draw:page><draw:frame><table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
        "<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></draw:frame></draw:page>"
    )
    yield Case(
        "deck.odp",
        open_document("presentation", body),
        "odp",
        (
            "--- slide 1: First ---\n\n- point\n\nshaped\n\nNotes: Say this\n\n--- slide 2 ---\n\n| a | b |\n|---|---|\n",
        ),
        True,
        ("First", "slide-2"),
    )
    bare = changed(open_document("presentation", body, manifest=_MANIFEST), {"mimetype": None})
    yield Case("bare.odp", bare, "odp", ("--- slide 1: First ---",))
    chart = (
        f'<office:document-content {_OPEN} xmlns:chart="{_ODF}:chart:1.0"><office:body><office:chart><chart:chart>'
        "<chart:title><text:p>Income</text:p></chart:title><table:table><table:table-row><table:table-cell>"
        "<text:p>May</text:p></table:table-cell><table:table-cell><text:p>7</text:p></table:table-cell>"
        "</table:table-row></table:table></chart:chart></office:chart></office:body></office:document-content>"
    )
    frame = '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image/></draw:frame>'
    page = f'<draw:page xmlns:xlink="http://www.w3.org/1999/xlink">{frame}</draw:page>'
    charted = changed(open_document("presentation", page), {"Object 1/content.xml": chart})
    yield Case("chart.odp", charted, "odp", ("Chart: Income\n\n| May | 7 |",))
    form = (
        f'<office:forms xmlns:form="{_ODF}:form:1.0"><form:text form:id="1" form:name="who" form:current-value="Ada"/>'
        '<form:checkbox form:id="2" form:label="Member" form:current-state="checked"/><form:button form:id="3" '
        'form:label="Send"/><form:text form:id="4" form:name="empty"/></office:forms>'
    )
    masters = (
        '<style:master-page><draw:frame presentation:class="title"><draw:text-box><text:p>Place</text:p>'
        "</draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>Brand</text:p></draw:text-box></draw:frame>"
        "</style:master-page>"
    )
    yield Case(
        "form.odp",
        open_document("presentation", f"<draw:page>{form}</draw:page>", masters),
        "odp",
        ("--- slide 1 ---\n\nwho: Ada\nMember: ticked\nSend\n",),
        True,
        notes=("text on 1 master slide left out",),
    )
    yield Case("none.odp", open_document("presentation", ""), refused="without slides")


def open_sheets() -> Iterator[Case]:
    """OpenDocument spreadsheets."""
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>".format
    body = (
        '<table:table table:name="Sales"><table:table-row>'
        + cell("Region")
        + cell("Units")
        + '</table:table-row><table:table-row table:number-rows-repeated="2"/><table:table-row>'
        "<table:table-cell><office:annotation><text:p>Check it</text:p></office:annotation><text:p>North</text:p>"
        "</table:table-cell>"
        + cell("3")
        + "<table:table-cell table:number-columns-repeated='16000'/></table:table-row>"
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row></table:table>'
        '<table:table table:name="Kept" table:style-name="ta1"><table:table-row>'
        + cell("x")
        + "</table:table-row></table:table>"
    )
    hidden = '<style:style style:name="ta1"><style:table-properties table:display="false"/></style:style>'
    yield Case(
        "sales.ods",
        open_document("spreadsheet", body, automatic=hidden),
        "ods",
        (
            "Cells A1:B4:\n\n| 1 | Region | Units |\n|---|---|---|\n| 4 | North | 3 |\n\n[comment 1] Check it\n",
        ),
        anchors=("Sales", "Kept"),
        notes=("sheet “Kept” is hidden",),
    )
    yield Case(
        "cells.ods",
        open_document("spreadsheet", body),
        "ods",
        ("| 4 | North | 3 |",),
        anchors=("Sales", "Kept"),
    )


def ebook(
    chapters: Mapping[str, str], spine: Sequence[str] = (), more: Mapping[str, str] | None = None
) -> bytes:
    """An e-book of these chapters, in the order of its spine."""
    items = "".join(
        f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters
    )
    refs = "".join(f'<itemref idref="{name}"/>' for name in spine or chapters)
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": f"<package><manifest>{items}</manifest><spine>{refs}</spine></package>",
        **{f"OEBPS/{name}": text for name, text in chapters.items()},
        **(more or {}),
    }
    return archive(members)


def ebooks() -> Iterator[Case]:
    """E-books."""
    one = "<html><head><title>x</title></head><body><h1>One</h1><p>First words.</p><aside>A note.</aside></body></html>"
    two = '<html><body><h1>Two</h1><p>Last &amp; words.</p><img src="a.png" alt="A map"/></body></html>'
    yield Case(
        "book.epub",
        ebook({"b.xhtml": two, "a.xhtml": one}, ("a.xhtml", "b.xhtml")),
        "epub",
        ("# One\n\nFirst words.\n\nA note.\n\n# Two\n\nLast & words.\n\n[picture: A map]\n",),
        True,
        ("One", "Two"),
        ("1 picture left out",),
    )
    lost = ebook({"a.xhtml": one}, ("a.xhtml",), {"OEBPS/book.opf": (
        '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="../../etc/passwd" media-type="text/html"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )})  # fmt: skip
    yield Case("lost.epub", lost, "epub", ("First words.",), notes=("1 chapter missing in the file",))
    shop = "<encryption><CipherReference URI='OEBPS/a.xhtml'/></encryption>"
    yield Case(
        "shop.epub",
        ebook({"a.xhtml": one}, (), {"META-INF/encryption.xml": shop}),
        refused="locked by its shop",
    )
    yield Case("none.epub", ebook({"a.xhtml": "<html><body/></html>"}), refused="an e-book without any text")


def rich_texts() -> Iterator[Case]:
    """Rich text."""
    yield Case(
        "all.rtf",
        rb"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Cyr;}}{\colortbl;\red0;}
{\stylesheet{\s1 heading 1;}{\s2 Normal;}}{\info{\title No text}}{\*\generator nobody}
{\header Above\par}{\footer Below\par}
\pard\s1 Part one\par
\pard\plain Caf\'e9 \u8364?uro, {\f1 \'cf\'f0} and {\v hidden }\emdash  on.{\footnote A note.}\par
{\field{\*\fldinst HYPERLINK "x"}{\fldrslt a link}}{\deleted two words}{\pict\pngblip 89504e47}\par
{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt Boxed words\par}}
\trowd\intbl a\cell b|c\cell\row\trowd\intbl d\cell e\cell\row\pard
{\*\atnauthor Ada}{\*\annotation Why?}Last \{words\}\line again\par}""",
        "rtf",
        (
            "Header: Above\n\nFooter: Below\n\n# Part one\n\nCafé €uro, Пр and — on.[^1]\n\na link\n\nBoxed words\n\n"
            "| a | b\\|c |\n|---|---|\n| d | e |\n\n[comment 1]Last {words}\nagain\n\n[^1]: A note.\n[comment 1] Ada: Why?\n",
        ),
        True,
        ("Part-one",),
        ("1 picture left out", "tracked deletions with 2 words left out", "hidden text with 1 word left out"),
    )
    for name, codec, charset in (
        ("japanese", "cp932", 128),
        ("greek", "cp1253", 161),
        ("polish", "cp1250", 238),
    ):
        first = SPOKEN[name].split("\n")[0][:40].strip()
        letters = "".join(f"\\'{byte:02x}" for byte in first.encode(codec))
        rtf = f"{{\\rtf1{{\\fonttbl{{\\f3\\fcharset{charset} X;}}}}\\f3 {letters}\\par}}"
        yield Case(f"{name}.rtf", rtf.encode(), "rtf", (first,))
    yield Case("halves.rtf", rb"{\rtf1 \u-10179?\u-8704?\par}", "rtf", ("\U0001f600\n",), True)
    yield Case("binary.rtf", b"{\\rtf1 a{\\pict\\bin5 {}\\}x}b\\par}", "rtf", ("ab\n",), True)
    yield Case(
        "table.rtf", rb"{\rtf1{\intbl a\par}\cell b\cell\row}", "rtf", ("| a | b |\n|---|---|\n",), True
    )
    ruby = rb"{\rtf1 a {\field{\*\fldinst EQ \\o\\ad(\\s\\up 9(over),base)}} b\par}"
    yield Case("ruby.rtf", ruby, "rtf", ("a base (over) b\n",), True)
    yield Case("cell.rtf", rb"{\rtf1\intbl left\par}", "rtf", ("left\n",), True)
    yield Case("none.rtf", rb"{\rtf1\ansi}", refused="a rich-text document without any text")


def documents() -> Iterator[Case]:
    """All of them."""
    for group in (forms, word_parts, open_texts, open_slides, open_sheets, ebooks, rich_texts):
        yield from group()
