"""A table: its cells, as wide as there is room, and sideways beyond."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextTable
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.blocks import Span, Table
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import piece_parts
from workbench.ui.chat.text.table_view import TableView
from workbench.ui.look.appearance import Appearance


def table(source: str) -> Table:
    (found,) = piece_parts(source)
    assert isinstance(found, Table)
    return found


@pytest.fixture
def ink(qapp: object) -> Ink:
    return Ink()


def view(qtbot: QtBot, ink: Ink, shown: Table, width: int = 400) -> TableView:
    made = TableView(ink)
    qtbot.addWidget(made)
    made.show_table(shown)
    made.resize(width, made.heightForWidth(width))
    made.show()
    return made


def cells(made: TableView) -> list[list[str]]:
    frame = made.document().rootFrame().childFrames()[0]
    assert isinstance(frame, QTextTable)
    return [
        [frame.cellAt(row, column).firstCursorPosition().block().text() for column in range(frame.columns())]
        for row in range(frame.rows())
    ]


def test_cells_stand_in_rows_and_columns(qtbot: QtBot, ink: Ink):
    made = view(qtbot, ink, table("| a | b |\n|---|--:|\n| 1 | **2** |\n"))
    assert cells(made) == [["a", "b"], ["1", "2"]]


def test_a_row_with_too_few_cells_is_filled(qtbot: QtBot, ink: Ink):
    made = view(qtbot, ink, Table((((Span("a"),), (Span("b"),)), ((Span("1"),),)), ("", "")))
    assert cells(made) == [["a", "b"], ["1", ""]]


def test_a_narrow_table_is_as_wide_as_its_cells_and_a_wide_one_scrolls(qtbot: QtBot, ink: Ink):
    narrow = view(qtbot, ink, table("| a | b |\n|---|---|\n| 1 | 2 |\n"))
    assert narrow.horizontalScrollBar().maximum() == 0
    head = "| " + " | ".join(["some long words"] * 12) + " |\n"
    wide = view(qtbot, ink, table(head + "|" + "---|" * 12 + "\n" + head))
    assert wide.horizontalScrollBar().maximum() > 0
    assert wide.horizontalScrollBar().value() == 0


def test_words_wrap_before_it_scrolls(qtbot: QtBot, ink: Ink):
    source = f"| a | b |\n|---|---|\n| {'words ' * 40} | x |\n"
    made = view(qtbot, ink, table(source))
    assert made.horizontalScrollBar().maximum() == 0
    assert made.height() > 100


def test_links_in_cells_can_be_reached_and_are_only_told(qtbot: QtBot, ink: Ink):
    made = view(qtbot, ink, table("| [a](https://a.example/) |\n|---|\n"))
    assert made.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert not made.openLinks()


def test_it_is_written_anew_in_another_theme_and_with_its_formulas(
    qtbot: QtBot, ink: Ink, qapp: QApplication, appearance: Appearance
):
    made = view(qtbot, ink, table("| $x^2$ |\n|---|\n"))
    assert "x^2" in cells(made)[0][0]
    ink.finish()
    assert "x^2" not in cells(made)[0][0]
    appearance.apply(qapp, "dark")
    assert "x^2" not in cells(made)[0][0]
