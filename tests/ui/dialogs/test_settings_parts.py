"""What the settings are made of."""

from __future__ import annotations

from workbench.ui.dialogs.settings_parts import Page, SettingRow, clear
from workbench.ui.look.space import columns, rows
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.labels import label


def test_a_control_is_named_after_its_row(qtbot):
    row = SettingRow("Reduce motion", "Nothing slides.", Check())
    qtbot.addWidget(row)
    assert row.control.accessibleName() == "Reduce motion"
    assert row.control.accessibleDescription() == "Nothing slides."


def test_a_page_is_found_by_everything_it_says(qtbot):
    page = Page("Title", "Line")
    qtbot.addWidget(page)
    page.add_heading("Heading")
    page.add_card(SettingRow("Row", "explained", Check()))
    assert page.words == "Title Line Heading Row explained"


def test_clearing_takes_nested_rows_too(qtbot):
    from PySide6.QtWidgets import QWidget

    holder = QWidget()
    qtbot.addWidget(holder)
    column = rows(holder)
    columns(column).addWidget(label("a"))
    column.addWidget(label("b"))
    clear(column)
    assert column.count() == 0
