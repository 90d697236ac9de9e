"""Code to be read: it cannot be changed, and does not catch the wheel."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontInfo, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.code_view import CodeView, DiffLine, DiffText, unified_lines

BEFORE = "import asyncio\n\nlock = asyncio.Lock()\nx = 1\ny = 2\nz = 3\nend\n"
AFTER = "import asyncio\n\nlock = self._lock\nx = 1\ny = 2\nz = 3\nend\nmore\n"


@pytest.fixture
def view(qtbot) -> CodeView:
    made = CodeView("\n".join(f"line {n}" for n in range(100)))
    qtbot.addWidget(made)
    made.resize(200, 100)
    made.show()
    return made


def wheel(view: CodeView, down: int) -> bool:
    """Turn the wheel; say whether the view took it for itself."""
    place = QPointF(20, 20)
    event = QWheelEvent(
        place, QPointF(view.mapToGlobal(place.toPoint())), QPoint(), QPoint(0, -120 * down),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), event)
    return event.isAccepted()


def test_it_is_set_in_the_code_font_and_cannot_be_changed(view: CodeView):
    assert QFontInfo(view.font()).family() == "JetBrains Mono"
    before = view.toPlainText()
    QTest.keyClicks(view, "x")
    assert view.toPlainText() == before


def test_at_its_ends_the_wheel_belongs_to_the_surroundings(view: CodeView):
    """Otherwise a long answer stops scrolling whenever the pointer meets a code block."""
    assert not wheel(view, -1)
    assert wheel(view, 1)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert not wheel(view, 1)


def test_long_lines_are_wrapped_only_where_told(qtbot):
    for wrap, mode in (
        (False, QPlainTextEdit.LineWrapMode.NoWrap),
        (True, QPlainTextEdit.LineWrapMode.WidgetWidth),
    ):
        made = CodeView("x", wrap=wrap)
        qtbot.addWidget(made)
        assert made.lineWrapMode() == mode


def test_code_reads_from_left_to_right_everywhere(view: CodeView):
    assert view.layoutDirection() == Qt.LayoutDirection.LeftToRight


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
