"""Values of form fields and notes on a page, and what of them is left out."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.fakes.corpus_documents import form_pdf
from workbench.sources.extract import pdf_annotations
from workbench.sources.extract.pdf_annotations import Annotations

BOX = b"/Type /Annot /Rect [10 10 90 30]"


def lines(content: bytes) -> tuple[list[str], list[str]]:
    pdf = pypdfium2.PdfDocument(content)
    annotations = Annotations(pdf)
    found = annotations.of(pdf[0])
    pdf.close()
    return found, list(annotations.notes())


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


def test_thousands_of_them_are_read_up_to_a_limit_that_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf_annotations, "_MOST_ANNOTATIONS", 3)
    found, out = lines(form_pdf())
    assert found == ["Your name: Ada Lovelace", "member: Yes"]
    assert out == ["4 annotations over the limit left out"]
