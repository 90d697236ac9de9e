"""About: the version, and the parts that can be searched."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from tests.fakes.widgets import button_with
from workbench.domain.about import About, Part, ProgramFacts
from workbench.ui.dialogs.settings_dialog import AboutPage

ABOUT = About(
    ProgramFacts("1.2.3", "0123456789abcdef", "3.11.4", "6.8.0"),
    (
        Part("h11", "0.16.0", "MIT"),
        Part("mcp", "2.3.0", "MIT", optional=True),
        Part("Qt", "6.8.0", "LGPL-3.0-only OR GPL-3.0-only", "pyside6-essentials"),
    ),
)


@pytest.fixture
def page(qtbot) -> AboutPage:
    made = AboutPage("/data", lambda: ABOUT)
    qtbot.addWidget(made)
    return made


def rows(page: AboutPage) -> list[list[str]]:
    model = page.table.rows
    return [[str(model.index(row, column).data()) for column in range(4)] for row in range(model.rowCount())]


def test_every_part_is_listed_with_its_licence(page: AboutPage):
    assert rows(page) == [
        ["h11", "0.16.0", "MIT", ""],
        ["mcp", "2.3.0", "MIT", "optional"],
        ["Qt", "6.8.0", "LGPL-3.0-only OR GPL-3.0-only", "in pyside6-essentials"],
    ]
    assert page.count.text() == "3"


def test_parts_are_found_by_any_of_their_words(page: AboutPage):
    page.search.setText("lgpl")
    assert [row[0] for row in rows(page)] == ["Qt"]
    assert page.count.text() == "1 of 3"
    page.search.setText("agpl")
    assert (rows(page), page.count.text()) == ([], "Nothing found")


def test_the_version_can_be_copied_for_a_report(page: AboutPage):
    assert page.version.text() == ABOUT.facts.line
    button_with("Copy", page).click()
    assert QApplication.clipboard().text() == ABOUT.facts.line


def test_the_search_of_all_settings_finds_parts_and_version(page: AboutPage):
    assert "1.2.3" in page.words
    assert "h11" in page.words
