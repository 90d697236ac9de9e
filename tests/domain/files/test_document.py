"""Which part of a document is meant by what stands behind #."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.domain.files.document_parts import find_section, heading_anchor, part_text, split_anchor

TEXT = "one\ntwo\nthree\n"
PAGED = Document(
    "aaabbbccc",
    pages=tuple(Section(f"p{n}", f"page {n}", 1, 3 * n - 3, 3 * n, n, n) for n in (1, 2, 3)),
    sections=(
        Section("1-Terms", "1 Terms", 1, 0, 6),
        Section("Clock-skew", "Clock skew", 2, 2, 6),
        Section("Clock-skew~2", "Clock skew", 2, 6, 9),
    ),
)


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("spec.pdf#p3-5", ("spec.pdf", "p3-5")),
        ("a/b.py#Parser.read", ("a/b.py", "Parser.read")),
        ("notes#1.md#L3", ("notes#1.md", "L3")),
        ("c#/notes.md", ("c#/notes.md", "")),
        ("plain.md", ("plain.md", "")),
        ("#only", ("#only", "")),
        ("open.md#", ("open.md#", "")),
    ],
)
def test_a_key_is_a_path_and_a_part(key, parts):
    assert split_anchor(key) == parts


@pytest.mark.parametrize(
    ("anchor", "words"),
    [("L1", "one\n"), ("L2-3", "two\nthree\n"), ("L3-L9", "three\n"), ("L1-99", TEXT), ("L2", "two\n")],
)
def test_lines_are_whole_lines(anchor, words):
    found = find_section(Document(TEXT), anchor)
    assert found is not None
    assert TEXT[found.start : found.end] == words


@pytest.mark.parametrize("anchor", ["L4", "L0", "L3-2", "p1", "Nothing", ""])
def test_what_is_not_there_is_no_part(anchor):
    assert find_section(Document(TEXT), anchor) is None


@pytest.mark.parametrize(
    ("anchor", "words"),
    [("p2", "bbb"), ("p2-3", "bbbccc"), ("p1-9", "aaabbbccc"), ("1-Terms", "aaabbb"), ("clock_SKEW", "abbb")],
)
def test_pages_and_headings_are_found(anchor, words):
    found = find_section(PAGED, anchor)
    assert found is not None
    assert PAGED.text[found.start : found.end] == words


def test_the_second_heading_of_a_name_has_a_number():
    assert heading_anchor("Clock  skew", {"Clock-skew"}) == "Clock-skew~2"
    found = find_section(PAGED, "Clock-skew~2")
    assert found is not None
    assert found.start == 6


@given(st.text(max_size=30))
def test_an_anchor_of_any_heading_can_stand_behind_a_path(title):
    anchor = heading_anchor(title)
    assert split_anchor(f"notes.md#{anchor}") == ("notes.md", anchor)
    assert not any(letter.isspace() for letter in anchor)


SHEET = "## Sales\n\nCells A1:B3:\n\n| 1 | a | b |\n|---|---|---|\n| 2 | 1 | x\\|y |\n| 30 | 3 | 4 |\n"
BOOK = Document(SHEET, ReadAs("sheets"), (Section("Sales", "Sales", 2, 0, len(SHEET)),))


@pytest.mark.parametrize(
    ("anchor", "name", "text"),
    [
        ("Sales!A1:B2", "Sales!A1:B2", "| 1 | a | b |\n|---|---|---|\n| 2 | 1 | x\\|y |\n"),
        ("sales!b2", "Sales!B2", "| 2 | x\\|y |\n|---|---|\n"),
        ("Sales!$B$30:$A$2", "Sales!A2:B30", "| 2 | 1 | x\\|y |\n|---|---|---|\n| 30 | 3 | 4 |\n"),
        ("Sales!AA1:AB1", "Sales!AA1:AB1", "| 1 |  |  |\n|---|---|---|\n"),
    ],
)
def test_cells_of_a_sheet_are_rows_and_columns(anchor: str, name: str, text: str):
    part = find_section(BOOK, anchor)
    assert part is not None
    assert part.anchor == name
    assert part_text(BOOK, part) == f"Cells {name.partition('!')[2]} of Sales:\n\n{text}"


def test_cells_that_are_not_there_are_none():
    assert [find_section(BOOK, one) for one in ("Sales!A3:B29", "Other!A1", "Sales!")] == [None] * 3
    assert find_section(Document(SHEET, sections=BOOK.sections), "Sales!A1") is None


def test_every_other_part_is_a_piece_of_the_text():
    part = find_section(PAGED, "p2-3")
    assert part is not None
    assert part_text(PAGED, part) == "bbbccc"


@pytest.mark.parametrize("title", ["L1", "L2-9", "L2-L9", "p1", "p3-5", "Sales!A1", "Sales!$A$1:D20"])
def test_a_heading_that_is_called_as_lines_pages_or_cells_are_has_another_anchor(title: str):
    """`#L2` is the second line, whatever a heading is called; the heading has a name of its own."""
    anchor = heading_anchor(title)
    text = "x\ny\n"
    here = Section(anchor, title, 1, 2, 4)
    pages = tuple(Section(f"p{n}", f"page {n}", 1, 0, 1, n, n) for n in (1, 3, 5))
    for kind in ("text", "sheets"):
        assert find_section(Document(text, ReadAs(kind), (here,), pages), anchor) == here
    assert heading_anchor(title, (anchor,)) != anchor
