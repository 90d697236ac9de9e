"""Code to be read: it cannot be changed, and does not catch the wheel."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontInfo, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from workbench.ui.widgets.code_view import CodeView


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
