"""A block of code: all its lines, its colours, and its text on the clipboard as it was written."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.blocks import Code
from workbench.ui.chat.text.code_block import CodeBlock
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.theme import DARK, LIGHT

SOURCE = "def f():\n    return 'x'  # why"


@pytest.fixture
def ink(qapp: object) -> Ink:
    return Ink()


def block(qtbot: QtBot, ink: Ink, code: Code) -> CodeBlock:
    made = CodeBlock(ink)
    qtbot.addWidget(made)
    made.show_code(code)
    made.resize(400, made.heightForWidth(400))
    made.show()
    return made


def inks(made: CodeBlock, line: int) -> list[str]:
    layout = made.text.document().findBlockByNumber(line).layout()
    # The stubs do not know the fields of a range.
    return [run.format.foreground().color().name() for run in layout.formats()]  # type: ignore[attr-defined]


def test_it_is_as_high_as_its_lines(qtbot: QtBot, ink: Ink):
    one, three = block(qtbot, ink, Code("a")), block(qtbot, ink, Code("a\nb\nc"))
    assert three.height() - one.height() == 2 * 19


def test_a_long_line_gets_a_bar_and_begins_at_its_beginning(qtbot: QtBot, ink: Ink):
    short, long = block(qtbot, ink, Code("a")), block(qtbot, ink, Code("a" * 200))
    assert long.height() > short.height()
    assert long.text.horizontalScrollBar().maximum() > 0
    assert long.text.horizontalScrollBar().value() == 0


def test_copy_gives_the_code_as_it_was_and_says_so_for_a_moment(qtbot: QtBot, ink: Ink):
    made = block(qtbot, ink, Code("x = '\u202e'\n", "python"))
    QTest.mouseClick(made.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "x = '\u202e'\n"
    assert made.copy.text() == "Copied"
    assert made._copied is not None
    made._copied.timeout.emit()
    assert made.copy.text() == "Copy"


def test_signs_that_reorder_code_are_written_out(qtbot: QtBot, ink: Ink):
    """Code that looks harmless and is not (CVE-2021-42574)."""
    made = block(qtbot, ink, Code("if a:\u202e # b", "python"))
    assert made.text.toPlainText() == "if a:⟨U+202E⟩ # b"


def test_colours_come_when_they_are_found(qtbot: QtBot, ink: Ink):
    made = block(qtbot, ink, Code(SOURCE, "python"))
    ink.finish()
    assert QColor(LIGHT.code_kw).name() in inks(made, 0)
    assert QColor(LIGHT.code_comment).name() in inks(made, 1)


def test_colours_follow_the_theme(qtbot: QtBot, ink: Ink, qapp: QApplication, appearance: Appearance):
    made = block(qtbot, ink, Code(SOURCE, "python"))
    ink.finish()
    appearance.apply(qapp, "dark")
    assert QColor(DARK.code_kw).name() in inks(made, 0)


def test_another_code_takes_its_place(qtbot: QtBot, ink: Ink):
    made = block(qtbot, ink, Code(SOURCE, "python"))
    ink.finish()
    made.show_code(Code("plain"))
    assert made.text.toPlainText() == "plain"
    assert inks(made, 0) == []
    assert made.text.line_count() == 1


def test_it_says_what_it_is(qtbot: QtBot, ink: Ink):
    assert block(qtbot, ink, Code("a", "python")).accessibleName() == "Code, python"
    assert block(qtbot, ink, Code("a")).accessibleName() == "Code, code"
    assert block(qtbot, ink, Code("a", "x" * 400)).accessibleName().count("x") < 30


def test_only_sideways_is_scrolled_here(qtbot: QtBot, ink: Ink):
    made = block(qtbot, ink, Code("a" * 300))
    for by, taken in ((QPoint(0, -120), False), (QPoint(-120, 0), True)):
        wheel = QWheelEvent(
            QPointF(5, 5), QPointF(5, 5), by, by, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        made.text.wheelEvent(wheel)
        assert wheel.isAccepted() is taken


def test_code_runs_from_left_to_right(qtbot: QtBot, ink: Ink):
    made = CodeBlock(ink)
    qtbot.addWidget(made)
    made.show_code(Code("a = 1", "python"))
    made.resize(300, made.heightForWidth(300))
    made.show()
    assert made.text.layoutDirection() == Qt.LayoutDirection.LeftToRight
    assert made.copy.x() > 200
