"""Documents with what stands beside their text: forms, notes, comments, headers; and formats of other programs."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fakes.corpus import Case
from tests.fakes.made_office import changed, word
from tests.fakes.made_pdf import PdfFile

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def form_pdf(text: str = "(Please fill in) Tj", annotations: tuple[bytes, ...] = ()) -> bytes:
    """A page of text with a form: a name, a ticked box, a list; and a note."""
    file = PdfFile()
    root, tree, font = file.add(), file.add(), file.add()
    file.set(font, b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    box = b"/Type /Annot /Rect [10 10 90 30]"
    fields = [
        file.add(b"<< %s /Subtype /Widget /FT /Tx /T (name) /TU (Your name) /V (Ada Lovelace) >>" % box),
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


def documents() -> Iterator[Case]:
    """All of them."""
    yield from forms()
    yield from word_parts()
