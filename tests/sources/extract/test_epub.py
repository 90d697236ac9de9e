"""E-books: chapters in the order of reading, whichever way they are written."""

from __future__ import annotations

from tests.fakes.corpus_documents import ebook
from workbench.sources.extract.epub import read_epub


def test_a_chapter_can_be_attached_alone():
    pages = {f"{n}.xhtml": f"<html><body><h2>Part {n}</h2><p>Words {n}.</p></body></html>" for n in (1, 2)}
    document = read_epub(ebook(pages))
    assert [(one.anchor, document.text[one.start : one.end]) for one in document.sections] == [
        ("Part-1", "## Part 1\n\nWords 1.\n\n"), ("Part-2", "## Part 2\n\nWords 2.\n"),
    ]  # fmt: skip


def test_an_empty_page_between_others_is_passed_over():
    document = read_epub(ebook({"a.xhtml": "", "b.xhtml": " ", "c.xhtml": "<p>Words</p>"}))
    assert document.text == "Words\n"
