"""The readers themselves: what only one of them does, apart from their process."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from tests.fakes.corpus import mail, notebook, pdfs, words
from tests.fakes.made_office import Deck, archive, workbook
from tests.fakes.made_pdf import Bookmark, made_pdf
from workbench.domain.files.document import Reading
from workbench.domain.files.document_parts import find_section, part_text
from workbench.sources.extract.archives import OfficeFile, parsed
from workbench.sources.extract.child import preload, read_document
from workbench.sources.extract.html import read_html
from workbench.sources.extract.mail import read_mail, read_saved_page
from workbench.sources.extract.messages import (
    BadMessage,
    NoMessage,
    WholeReads,
    document_in,
    document_message,
    frame_message,
    is_one_message,
    pictures_in,
    read_message,
)
from workbench.sources.extract.notebook import read_notebook
from workbench.sources.extract.pdf import LONGEST_SIDE, page_pictures, read_pdf
from workbench.sources.extract.prose import Prose, markdown_table, spaced
from workbench.sources.extract.refusal import MOST_CHARACTERS, Unreadable
from workbench.sources.extract.sheets import read_sheets
from workbench.sources.extract.slides import read_slides
from workbench.sources.extract.word import read_word


def test_a_bookmark_goes_from_its_heading_to_the_next_and_knows_its_pages():
    marks = [Bookmark("Alpha", 1, (Bookmark("Inner", 2),)), Bookmark("Beta", 3)]
    document = read_pdf(made_pdf(["Alpha\na", "more\nInner\nb", "still\nBeta\nc", "end"], marks))
    found = {
        one.anchor: (one.first_page, one.last_page, document.text[one.start : one.end])
        for one in document.sections
    }
    assert found["Alpha"][:2] == (1, 3)
    assert found["Inner"] == (2, 3, "Inner\nb\n--- page 3 ---\nstill\n")
    assert found["Beta"] == (3, 4, "Beta\nc\n--- page 4 ---\nend\n")
    part = find_section(document, "p2-3")
    assert part is not None
    assert document.text[part.start : part.end].startswith("--- page 2 ---\nmore")


def test_a_page_is_drawn_as_large_as_models_look_at_it():
    ((number, content),) = page_pictures(made_pdf(["one", "two"]), 2, 2)
    with Image.open(io.BytesIO(content)) as shown:
        assert (number, shown.format, max(shown.size)) == (2, "PNG", LONGEST_SIDE)


@pytest.mark.parametrize(("first", "last", "reason"), [(3, 4, "it has 2 pages"), (0, 0, "it has 2 pages")])
def test_pages_that_are_not_there_are_refused(first: int, last: int, reason: str):
    with pytest.raises(Unreadable, match=reason):
        page_pictures(made_pdf(["one", "two"]), first, last)
    with pytest.raises(Unreadable, match="at most 20 pages"):
        page_pictures(made_pdf(["x"] * 30), 1, 30)


def test_a_scanned_pdf_is_told_from_one_with_text():
    cases = {case.name: case.content for case in pdfs()}
    assert read_pdf(cases["scanned.pdf"]).scanned
    assert read_pdf(cases["scanned.pdf"]).read_as.pages == 2
    assert not read_pdf(cases["partly.pdf"]).scanned


def test_cells_of_a_sheet_can_be_named():
    document = read_sheets(
        workbook(
            {"Sales 2026": [["Region", "Units", "Sum"], ["North", 3, 30], ["South|x", 4, 40]], "B": [["x"]]}
        )
    )
    part = find_section(document, "Sales-2026!C3:B2")
    assert part is not None
    assert part.anchor == "Sales-2026!B2:C3"
    assert part_text(document, part) == (
        "Cells B2:C3 of Sales-2026:\n\n| 2 | 3 | 30 |\n|---|---|---|\n| 3 | 4 | 40 |\n"
    )
    named = find_section(document, "sales 2026!A3")
    assert named is not None
    assert part_text(document, named) == "Cells A3 of Sales-2026:\n\n| 3 | South\\|x |\n|---|---|\n"
    assert [find_section(document, one) for one in ("Sales-2026!A9", "Nowhere!A1", "B!Z9:Z10")] == [None] * 3
    whole = find_section(document, "B")
    assert whole is not None
    assert part_text(document, whole).startswith("## B\n\nCells A1:A1:")


def test_slides_are_pages_with_titles():
    document = read_slides(Deck().slide("One", "a").slide("Two", "b").written())
    assert [(one.anchor, one.title, one.first_page) for one in document.pages] == [
        ("p1", "One", 1),
        ("p2", "Two", 2),
    ]
    part = find_section(document, "p2")
    assert part is not None
    assert document.text[part.start : part.end] == "--- slide 2: Two ---\n\nb\n"


def test_a_heading_of_a_document_can_be_attached_alone():
    report = next(case for case in words() if case.name == "report.docx")
    document = read_word(report.content)
    part = find_section(document, "Part-two")
    assert part is not None
    assert document.text[part.start : part.end] == "## Part two\n\nLast words.\n"


def test_a_page_that_hides_its_text_says_so():
    with pytest.raises(Unreadable, match="without readable text"):
        read_html("<html><body><script>x</script></body></html>")
    with pytest.raises(Unreadable, match="too deep"):
        read_html("<div>" * 600 + "x")


def test_words_of_a_heading_and_of_a_cell_stay_in_their_order_around_what_is_marked():
    """They were read as "Use to undo git reset": what stands behind a mark came before it."""
    table = "<table><tr><th>a</th><td>one <i>or</i> two</td></tr></table>"
    document = read_html(f"<h2>Use <code>git <b>reset</b></code> to undo<a href='#x'>¶</a></h2>{table}")
    assert document.text == "## Use git reset to undo\n\n| a | one or two |\n|---|---|\n"
    hidden = read_html("<p>a <span hidden>b</span>c<span style='display: none'>d</span> e</p><nav>f</nav>g")
    assert hidden.text == "a c e\n\ng\n"


def test_a_message_and_a_notebook_are_read_alone():
    assert read_mail(mail("S", "words")).text.endswith("Subject: S\n\nwords\n")
    with pytest.raises(Unreadable, match="without a page"):
        read_saved_page(b"From: a\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=X\n\n--X--\n")
    assert "--- cell 1: markdown ---" in read_notebook(notebook([("markdown", "x")]).decode()).text
    book = read_notebook(
        notebook([("code", "a = 1"), ("markdown", "## H"), ("code", ""), ("code", "b")]).decode()
    )
    assert [(one.anchor, one.title, one.level) for one in book.sections] == [
        ("cell-1", "cell 1: a = 1", 1), ("H", "H", 2), ("cell-3", "cell 3", 3), ("cell-4", "cell 4: b", 3),
    ]  # fmt: skip
    for wrong in ("[", "[]", '{"cells": 1}'):
        with pytest.raises(Unreadable, match="notebook"):
            read_notebook(wrong)


def test_an_archive_gives_its_members_and_nothing_else():
    opened = OfficeFile(archive({"a.xml": "<a/>", "word/_rels/b.xml.rels": "<x/>"}), "thing")
    assert opened.bytes_of("nothing") == b""
    assert opened.tree("nothing") is None
    found = opened.tree("A.XML")
    assert found is not None
    assert found.tag == "a"
    assert opened.related("word/b.xml") == {}
    with pytest.raises(Unreadable, match="damaged thing"):
        OfficeFile(b"PK\x03\x04", "thing")
    with pytest.raises(Unreadable, match="damaged thing"):
        parsed(b"<a>", "thing")


def test_prose_stands_in_blocks():
    prose = Prose()
    prose.heading("One\n two", 9)
    prose.block("a")
    prose.block("- b", close=True)
    prose.block("- c", close=True)
    prose.block("  ")
    assert prose.finished()[0] == "###### One two\n\na\n\n- b\n- c\n"
    assert markdown_table([["a"], ["b", "c|d"]]) == "| a |  |\n|---|---|\n| b | c\\|d |"
    assert markdown_table([]) == ""
    assert spaced(" a  b \n\n c ") == "a b\nc"
    with pytest.raises(Unreadable, match="over 20,000,000 characters"):
        prose.block("x" * (MOST_CHARACTERS + 1))


def test_a_message_is_believed_only_where_it_could_have_been_made():
    document = read_document("a.md", b"# One\nwords\n", Reading())
    written = document_message(document)
    assert is_one_message(written)
    assert not is_one_message(written + b"x")
    assert not is_one_message(b"")
    assert document_in(*read_message(WholeReads(io.BytesIO(written)), 1000)) == document
    for wrong in (
        frame_message({"document": 5}),
        frame_message({}),
        frame_message({"document": {"read_as": {"kind": "virus"}}}),
        written[:-1],
    ):
        with pytest.raises(BadMessage):
            document_in(*read_message(WholeReads(io.BytesIO(wrong)), 1000))
    with pytest.raises(NoMessage):
        read_message(WholeReads(io.BytesIO(b"")), 1000)
    with pytest.raises(BadMessage, match="too long"):
        read_message(WholeReads(io.BytesIO(frame_message({}, b"x" * 2000))), 1000)
    for wrong in (b"\0\0\0\1" + b"\0" * 8 + b"{", b"\0\0\0\2" + b"\0" * 8 + b"[]", b"abc"):
        with pytest.raises(BadMessage):
            read_message(WholeReads(io.BytesIO(wrong)), 1000)
    assert pictures_in({"pictures": [[3, 2], [4, 1]]}, b"abc") == ((3, b"ab"), (4, b"c"))
    with pytest.raises(BadMessage):
        pictures_in({"pictures": 3}, b"abc")


def test_all_readers_can_be_loaded_beforehand():
    preload()
