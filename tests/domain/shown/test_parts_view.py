"""A file and its parts, as they are listed."""

from __future__ import annotations

from workbench.domain.document import Section
from workbench.domain.shown.parts_view import PartRow, PartsView


def test_a_file_that_is_still_read_has_nothing_to_show_yet():
    view = PartsView("a.pdf", "a.pdf#p1", "a.pdf", reading=True)
    assert (view.rows, view.tokens, view.text, view.problem) == ((), None, "", "")
    row = PartRow(Section("p1", "page 1", 1, 0, 4))
    assert (row.tokens, row.chosen) == (None, False)
