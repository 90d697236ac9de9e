"""What a file's changes are shown from."""

from __future__ import annotations

from workbench.domain.shown.parts_view import ChangedLine, FileChanges


def test_nothing_is_said_before_the_file_was_read():
    seen = FileChanges("a.md", reading=True)
    assert seen.lines == ()
    assert not seen.problem
    assert ChangedLine(1, None, "-", "old").new is None
