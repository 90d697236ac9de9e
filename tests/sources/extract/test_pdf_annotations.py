"""Values of form fields and notes on a page, and what of them is left out."""

from __future__ import annotations

import re

import pypdfium2
import pytest

from tests.fakes.corpus_documents import form_pdf
from tests.fakes.made_pdf import PdfFile
from workbench.sources.extract import pdf
from workbench.sources.extract.pdf import Annotations

BOX = b"/Type /Annot /Rect [10 10 90 30]"


def lines(content: bytes) -> tuple[list[str], list[str]]:
    pdf = pypdfium2.PdfDocument(content)
    annotations = Annotations(pdf)
    found = annotations.lines_of_page(1, pdf[0])
    pdf.close()
    return found, [*annotations.cut(), *annotations.notes()]


def test_what_was_typed_into_a_form_is_read_and_the_rest_counted():
    """It vanished without a word: a page's own text has nothing of it."""
    found, out = lines(form_pdf())
    assert found == [
        "Your name: Ada Lovelace", "member: Yes", "country: Great Britain", "Note: Ask her again",
    ]  # fmt: skip
    assert out == ["1 empty form field left out", "1 drawn mark left out"]


def test_marks_with_words_say_what_they_are_and_files_are_counted():
    more = (
        b"<< %s /Subtype /Highlight /Contents (Look here) >>" % BOX,
        b"<< %s /Subtype /FreeText /Contents <feff00fc00620065007200> >>" % BOX,
        b"<< %s /Subtype /FileAttachment >>" % BOX,
        b"<< %s /Subtype /Popup /Contents (Ask her again) >>" % BOX,
    )
    found, out = lines(form_pdf(annotations=more))
    assert found[-2:] == ["Highlighted: Look here", "Typed text: über"]
    assert "1 attached file left out" in out


def drawing(words: bytes, box: bytes = b"[100 10 190 30]", more: bytes = b"/Subtype /Widget") -> bytes:
    """An annotation that draws words of its own; its appearance and font are written into a file with `drawn`."""
    return b"<< /Type /Annot /Rect %s %s /AP << /N (%s) >> >>" % (box, more, words)


def drawn(*annotations: bytes, form: bytes = b"") -> bytes:
    """A page with annotations that draw words; none of them is in a form of the file unless `form` says so."""
    file = PdfFile()
    root, tree, font = file.add(), file.add(), file.add()
    file.set(font, b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    refs = []
    for one in annotations:
        before, words, after = re.split(rb"/N \((.*?)\)", one)
        entries = (
            b"/Type /XObject /Subtype /Form /BBox [0 0 90 20] /Resources << /Font << /F1 %d 0 R >> >>" % font
        )
        shown = file.add(file.stream(b"BT /F1 9 Tf 2 5 Td (%s) Tj ET" % words, entries))
        refs.append(file.add(before + b"/N %d 0 R" % shown + after))
    page = file.add(
        b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 200 100] /Contents %d 0 R /Annots [%s] "
        b"/Resources << /Font << /F1 %d 0 R >> >> >>"
        % (
            tree,
            file.add(file.stream(b"BT /F1 11 Tf 105 15 Td (Printed) Tj ET")),
            b" ".join(b"%d 0 R" % one for one in refs),
            font,
        )
    )
    file.set(tree, b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % page)
    fields = b" ".join(b"%d 0 R" % one for one in refs)
    form = b"/AcroForm << /Fields [%s] >>" % fields if form else b""
    file.set(root, b"<< /Type /Catalog /Pages %d 0 R %s >>" % (tree, form))
    return file.written(root)


FIELD = b"/Subtype /Widget /FT /Tx /T (agency)"


@pytest.mark.parametrize("form", [b"", b"yes"])
@pytest.mark.parametrize(
    ("one", "line"),
    [
        (drawing(b"Fish and Wildlife", more=FIELD), "agency: Fish and Wildlife"),
        (drawing(b"$1,000.00", more=FIELD + b" /V (1000)"), "agency: $1,000.00 (kept as 1000)"),
        (drawing(b"Fish and", more=FIELD + b" /V (Fish  and Wildlife)"), "agency: Fish  and Wildlife"),
        (drawing(b"***", more=FIELD + b" /V (pass)"), "agency: pass"),
        (drawing(b"03/31/2012", more=b"/Subtype /Widget /FT /Btn /Ff 65536 /T (due)"), "due: 03/31/2012"),
        (drawing(b"Signed by Ada", more=b"/Subtype /Widget /FT /Sig /T (sig)"), "sig: Signed by Ada"),
        (drawing(b"APPROVED", more=b"/Subtype /Stamp"), "Stamp: APPROVED"),
        (drawing(b"two", more=b"/Subtype /FreeText /Contents (one)"), "Typed text: one\ntwo"),
    ],
)
def test_what_an_annotation_draws_is_read_whatever_its_fields_say(one: bytes, line: str, form: bytes):
    """A form whose fields nobody lists any more showed a value to every reader but this one, and none said so."""
    assert lines(drawn(one, form=form)) == ([line.replace("  ", " ")], [])


def test_words_of_annotations_that_lie_on_one_another_are_read_once():
    found, _ = lines(
        drawn(drawing(b"Fish", more=FIELD + b" /V (Fish)"), drawing(b"Fish", more=b"/Subtype /Stamp"))
    )
    assert found == ["agency: Fish"]


def test_a_field_that_draws_nothing_is_no_line():
    assert lines(drawn(drawing(b" ", more=FIELD))) == ([], [])


def test_thousands_of_them_are_read_up_to_a_limit_that_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "_MOST_ANNOTATIONS", 3)
    found, out = lines(form_pdf())
    assert found == ["Your name: Ada Lovelace", "member: Yes"]
    assert out == ["4 annotations over the limit left out"]
