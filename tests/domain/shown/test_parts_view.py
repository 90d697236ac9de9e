"""A file that is listed part by part can be looked up again."""

from __future__ import annotations

from workbench.domain.files.document import ReadAs, Section
from workbench.domain.files.document_parts import find_section
from workbench.domain.shown.parts_view import PartRow, PartsView

ROWS = (
    PartRow(Section("Terms", "Terms", 1, 0, 20, 1, 2)),
    PartRow(Section("p1", "page 1", 2, 0, 10, 1, 1)),
    PartRow(Section("p2", "page 2", 2, 10, 20, 2, 2)),
)


def test_pages_are_told_from_headings_so_that_ranges_of_them_are_found():
    view = PartsView("a.pdf", "a.pdf", "a.pdf", read_as=ReadAs("pdf", pages=2), text="x" * 20, rows=ROWS)
    assert [part.anchor for part in view.document.pages] == ["p1", "p2"]
    assert [part.anchor for part in view.document.sections] == ["Terms"]
    found = find_section(view.document, "p1-2")
    assert found is not None
    assert (found.start, found.end) == (0, 20)


def test_a_file_that_is_still_read_has_nothing_to_show_yet():
    view = PartsView("a.pdf", "a.pdf#p1", "a.pdf", reading=True)
    assert (view.rows, view.tokens, view.text, view.problem) == ((), None, "", "")
