"""A table of texts: its rows, its heads, and that every cell is painted."""

from __future__ import annotations

from PySide6.QtCore import Qt

from workbench.ui.widgets.items.text_table import Column, TextRow, TextTable


def test_rows_and_heads_are_shown_and_spoken(qtbot):
    table = TextTable((Column("Name"), Column("Size", 80, figures=True)), "Things")
    qtbot.addWidget(table)
    table.rows.reset_items([TextRow(("a", "12 kB"), "all of <b>a</b>")])
    heads = [table.rows.headerData(each, Qt.Orientation.Horizontal) for each in range(2)]
    assert heads == ["Name", "Size"]
    cell = table.rows.index(0, 1)
    assert (cell.data(), cell.data(Qt.ItemDataRole.AccessibleTextRole)) == ("12 kB", "Size: 12 kB")
    assert "<b>" not in cell.data(Qt.ItemDataRole.ToolTipRole)
    assert table.accessibleName() == "Things"


def test_a_column_without_a_width_takes_the_rest(qtbot):
    table = TextTable((Column("Name"), Column("Size", 80)), "Things")
    qtbot.addWidget(table)
    table.resize(400, 200)
    table.show()
    assert table.columnWidth(1) == 80
    assert table.columnWidth(0) > 200
