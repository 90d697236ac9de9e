"""OpenDocument files: cells and slides can be attached alone, and what is repeated a million times stays small."""

from __future__ import annotations

import pytest

from tests.fakes.corpus_documents import open_document, open_sheets, open_slides
from tests.fakes.made_office import changed
from workbench.domain.files.document_parts import find_section, part_text
from workbench.sources.extract.odf import OpenFile, read_odp, read_ods, read_odt, repeat_count
from workbench.sources.extract.refusal import Unreadable


def test_cells_of_a_sheet_can_be_attached_alone():
    document = read_ods(next(open_sheets()).content)
    part = find_section(document, "Sales!A1:A4")
    assert part is not None
    assert "North" in part_text(document, part)
    assert "Units" not in part_text(document, part)


def test_a_slide_can_be_attached_alone():
    document = read_odp(next(open_slides()).content)
    part = find_section(document, "p2")
    assert part is not None
    assert document.text[part.start : part.end].startswith("--- slide 2 ---")
    assert document.read_as.pages == 2


def test_a_comment_in_a_table_of_a_text_is_kept_for_the_end():
    note = "<office:annotation><text:p>Why?</text:p></office:annotation>"
    cell = f"<table:table-cell>{note}<text:p>a</text:p></table:table-cell>"
    table = f"<table:table><table:table-row>{cell}</table:table-row></table:table>"
    text = read_odt(open_document("text", table)).text
    assert text == "| a |\n|---|\n\n[comment 1] Why?\n"


def test_what_is_repeated_is_bounded():
    body = '<table:table><table:table-row table:number-rows-repeated="999999999"/></table:table>'
    row = next(OpenFile(open_document("spreadsheet", body), "x").body.iter("{*}table-row"))
    assert (repeat_count(row, "rows", 200), repeat_count(row, "columns", 200)) == (200, 1)


def test_a_text_without_a_body_is_damaged():
    bare = changed(open_document("text", ""), {"content.xml": "<x/>"})
    with pytest.raises(Unreadable, match="damaged"):
        OpenFile(bare, "OpenDocument text")
