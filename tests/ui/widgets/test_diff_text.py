"""Diffs: which lines changed, with their numbers and signs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.diff_text import DiffLine, DiffText, unified_lines

BEFORE = "import asyncio\n\nlock = asyncio.Lock()\nx = 1\ny = 2\nz = 3\nend\n"
AFTER = "import asyncio\n\nlock = self._lock\nx = 1\ny = 2\nz = 3\nend\nmore\n"


def test_a_changed_line_is_one_removed_and_one_added():
    assert unified_lines("a\nb\nc\n", "a\nB\nc\n") == (
        DiffLine(1, 1, " ", "a"),
        DiffLine(2, None, "-", "b"),
        DiffLine(None, 2, "+", "B"),
        DiffLine(3, 3, " ", "c"),
    )


def test_lines_between_distant_changes_are_left_out():
    signs = [line.sign for line in unified_lines(BEFORE, AFTER, context=1)]
    assert signs == [" ", "-", "+", " ", "⋯", " ", "+"]


def test_equal_texts_have_no_diff():
    assert unified_lines(BEFORE, BEFORE) == ()


lines = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12).map("\n".join)


@given(lines, lines)
def test_the_lines_with_their_numbers_lead_from_one_text_to_the_other(before: str, after: str):
    diff = unified_lines(before, after, context=100)
    if before.splitlines() == after.splitlines():
        assert diff == ()
        return
    assert [line.text for line in diff if line.sign != "+"] == before.splitlines()
    assert [line.text for line in diff if line.sign != "-"] == after.splitlines()
    assert [line.old for line in diff if line.old] == list(range(1, len(before.splitlines()) + 1))


def test_lines_have_their_ground(theme: Theme, qtbot):
    widget = DiffText(unified_lines("a\nb\n", "a\nB\n"))
    qtbot.addWidget(widget)
    widget.resize(300, widget.sizeHint().height())
    image = widget.grab().toImage()
    assert widget.sizeHint().height() == 60
    assert image.pixelColor(290, 30) == QColor(theme.diff_del_bg)
    assert image.pixelColor(290, 50) == QColor(theme.diff_add_bg)


def test_it_says_how_much_changed(qtbot):
    widget = DiffText(unified_lines(BEFORE, AFTER))
    qtbot.addWidget(widget)
    assert widget.accessibleName() == "2 lines added, 1 removed"


def test_only_the_first_lines_are_shown_where_told(qtbot):
    widget = DiffText(most=3)
    qtbot.addWidget(widget)
    widget.show_lines(unified_lines(BEFORE, AFTER))
    assert len(widget.lines()) == 3


def test_foreign_text_is_made_safe_to_paint(qtbot):
    widget = DiffText([DiffLine(1, 1, " ", "\u202eevil\ttab" + "x" * 5000)])
    qtbot.addWidget(widget)
    widget.resize(300, 20)
    assert not widget.grab().isNull()
