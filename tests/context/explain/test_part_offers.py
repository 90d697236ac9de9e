"""The parts of a document as they are listed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.context.explain.offers import BLOCK_LINES, listed_parts
from workbench.domain.files.document import Document, Section
from workbench.domain.files.document_parts import find_section


def section(anchor: str, level: int, start: int, end: int, page: int = 0) -> Section:
    return Section(anchor, anchor, level, start, end, page, page)


def test_a_page_stands_under_the_heading_that_is_open_where_it_begins():
    document = Document(
        "x" * 90,
        sections=(section("1", 1, 5, 50), section("1.1", 2, 20, 50), section("2", 1, 50, 90)),
        pages=tuple(section(f"p{n + 1}", 1, 30 * n, 30 * n + 30, n + 1) for n in range(3)),
    )
    assert [(one.anchor, one.level) for one in listed_parts(document)] == [
        ("p1", 1), ("1", 1), ("1.1", 2), ("p2", 3), ("2", 1), ("p3", 2),
    ]  # fmt: skip


def test_a_short_text_without_headings_has_no_parts():
    assert listed_parts(Document("one\ntwo\n")) == ()
    assert listed_parts(Document("")) == ()


@given(st.integers(1, 900), st.booleans())
def test_a_long_text_is_listed_in_blocks_of_lines_that_miss_nothing(lines: int, ended: bool):
    text = "\n".join(f"line {number}" for number in range(lines)) + "\n" * ended
    parts = listed_parts(Document(text))
    assert (parts == ()) == (lines <= BLOCK_LINES)
    if parts:
        assert "".join(text[one.start : one.end] for one in parts) == text
        for one in parts:
            found = find_section(Document(text), one.anchor)
            assert found is not None
            assert (found.start, found.end) == (one.start, one.end)
