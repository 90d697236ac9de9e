"""The settings: pages, search, signals handed on; appearance, shortcuts, about, and what pages are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import all_of, button_with
from workbench.domain.about import About, Part, ProgramFacts
from workbench.domain.secrets import KeyStatus, ProtectorStatus, StoreIdentity
from workbench.engine.program_intents import ChangePreferences
from workbench.ui.dialogs.settings_dialog import AboutPage, KeysPage, LookPage, SettingsDialog
from workbench.ui.dialogs.settings_parts import Page, SettingRow, clear
from workbench.ui.look.fonts import TextSizes
from workbench.ui.look.space import columns, rows
from workbench.ui.memory import WindowMemory
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.choice import Check, NumberField
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.widgets.labels import label
from workbench.ui.window.main_window import LEAST
from workbench.ui.wishes import SettingsPage


@pytest.fixture
def dialog(qtbot) -> SettingsDialog:
    made = SettingsDialog(WindowMemory(None), "/data")
    qtbot.addWidget(made)
    made.show_state(sample_state())
    return made


def test_every_page_can_be_turned_to(dialog: SettingsDialog):
    for name in get_args(SettingsPage)[1:]:
        dialog.show_page(name)
        assert dialog.stack.currentWidget() is dialog.page(name)


def test_it_fits_the_smallest_window_and_no_page_is_cut(qtbot: QtBot, qapp: QApplication):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(*LEAST)
    made = SettingsDialog(WindowMemory(None), "/data", parent=window)
    made.show_state(sample_state())
    made.open()
    seen = made.size() - QSize(2 * MARGIN, 2 * MARGIN)
    assert max(seen.width(), made._asked.width()) < LEAST[0], "on a large screen, too"
    assert seen.height() < LEAST[1]
    for name in get_args(SettingsPage)[1:]:
        made.show_page(name)
        qapp.processEvents()
        assert made.page(name).horizontalScrollBar().maximum() == 0, f"{name} is cut at its side"
    made.close()


def test_a_page_is_made_once_when_somebody_turns_to_it(dialog: SettingsDialog):
    """All eight made at the opening took most of a second."""
    assert dialog.made() == ("models",)
    dialog.show_page("chat")
    page = dialog.page("chat")
    dialog.show_page("models")
    dialog.show_page("chat")
    assert dialog.made() == ("models", "chat")
    assert dialog.stack.count() == 2
    assert dialog.page("chat") is page


def test_a_page_that_comes_later_shows_the_newest_state(dialog: SettingsDialog):
    dialog.show_page("chat")
    dialog.show_page("models")
    rounds = replace(sample_state().preferences, max_tool_rounds=3)
    dialog.show_state(replace(sample_state(), preferences=rounds))
    dialog.show_page("tools")
    assert 3 in [field.value() for field in all_of(NumberField, dialog.page("tools"))]


def test_search_leaves_the_pages_that_speak_of_it(dialog: SettingsDialog):
    dialog.search.setText("trim when")
    seen = [name for row, name in enumerate(dialog.pages) if not dialog.nav.item(row).isHidden()]
    assert seen == ["context"]
    assert dialog.stack.currentWidget() is dialog.page("context")


def test_what_a_page_wants_comes_out_of_the_dialog(qtbot, dialog: SettingsDialog):
    page = dialog.page("tools")
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        page.wishes.intent.emit(ChangePreferences(sample_state().preferences))
    assert heard.args == [ChangePreferences(sample_state().preferences)]
    with qtbot.waitSignal(dialog.appearance_changed) as mode:
        look = dialog.page("appearance")
        assert isinstance(look, LookPage)
        look.mode_changed.emit("dark")
    assert mode.args == ["dark"]


def test_a_word_in_place_of_a_number_is_not_cut(dialog: SettingsDialog):
    """The field for "automatic" was as wide as its largest number, and said "utomatic"."""
    dialog.show_page("chat")
    words = NumberField(0, 9)
    plain = words.sizeHint().width()
    words.setSpecialValueText("automatic")
    assert words.sizeHint().width() - plain > words.fontMetrics().horizontalAdvance("automatic") / 2


def test_between_two_settings_is_one_line(dialog: SettingsDialog):
    dialog.show_page("chat")
    assert not any(row.line_above for row in all_of(SettingRow, dialog.page("chat"))), "the card draws it"


def test_showing_a_state_changes_nothing_by_itself(qtbot, dialog: SettingsDialog):
    """A control that is set to what holds must not say that somebody changed it: that would save in circles."""
    other = replace(
        sample_state().preferences,
        max_tool_rounds=3,
        context={"context_window": 9000, "history": {"threshold": 0.5}},
        tools_enabled=("ls",),
        redaction="replace",
    )
    with qtbot.assertNotEmitted(dialog.wishes.intent):
        dialog.show_state(replace(sample_state(), preferences=other))
        for name in get_args(SettingsPage)[1:]:
            dialog.show_page(name)
        dialog.show_state(sample_state())


def test_what_opens_the_store_is_said_in_words(dialog: SettingsDialog):
    status = KeyStatus(
        StoreIdentity("x", 1), "", "", (ProtectorStatus("passphrase", "2026-11-03T10:00:00Z"),), False
    )
    dialog.show_keys(status)
    words = [badge.word() for badge in all_of(Badge, dialog.page("privacy"))]
    assert words == ["off", "on", "off"]


def test_a_search_without_hits_says_so(dialog: SettingsDialog):
    dialog.show()
    dialog.search.setText("no such setting anywhere")
    assert dialog.nothing.isVisible()
    dialog.search.setText("")
    assert not dialog.nothing.isVisible()


def test_theme_and_motion_are_told(qtbot):
    page = LookPage("light", calm=False)
    qtbot.addWidget(page)
    assert page.mode.current() == "light"
    with qtbot.waitSignal(page.motion_changed) as heard:
        page.calm.setChecked(True)
    assert heard.args == [True]
    with qtbot.waitSignal(page.mode_changed) as mode:
        page.mode.chosen.emit("dark")
    assert mode.args == ["dark"]


def test_shortcuts_are_there(qtbot):
    keys = KeysPage()
    qtbot.addWidget(keys)
    assert "Commands…" in keys.words


def test_sizes_of_text_are_told_once_each(qtbot):
    page = LookPage("light", calm=False)
    qtbot.addWidget(page)
    told: list[TextSizes] = []
    page.sizes_changed.connect(told.append)
    for choice, value in ((page.zoom, "1.25"), (page.chat, "18"), (page.code, "16"), (page.code, "16")):
        choice.choose(value)
        choice.activated.emit(choice.currentIndex())
    assert told == [TextSizes(1.25), TextSizes(1.25, 18), TextSizes(1.25, 18, 16)]
    page.show_sizes(TextSizes())
    assert (page.zoom.chosen(), page.chat.chosen(), page.code.chosen()) == ("1.0", "14", "13")


def test_the_scale_of_the_window_is_told(qtbot):
    page = LookPage("contrast", calm=False, scale="1.5")
    qtbot.addWidget(page)
    assert (page.mode.current(), page.scale.chosen()) == ("contrast", "1.5")
    with qtbot.waitSignal(page.scale_changed) as heard:
        page.scale.choose("2")
        page.scale.activated.emit(page.scale.currentIndex())
    assert heard.args == ["2"]


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


def listed(page: AboutPage) -> list[list[str]]:
    model = page.table.rows
    return [[str(model.index(row, column).data()) for column in range(4)] for row in range(model.rowCount())]


def test_every_part_is_listed_with_its_licence(page: AboutPage):
    assert listed(page) == [
        ["h11", "0.16.0", "MIT", ""],
        ["mcp", "2.3.0", "MIT", "optional"],
        ["Qt", "6.8.0", "LGPL-3.0-only OR GPL-3.0-only", "in pyside6-essentials"],
    ]
    assert page.count.text() == "3"


def test_parts_are_found_by_any_of_their_words(page: AboutPage):
    page.search.setText("lgpl")
    assert [row[0] for row in listed(page)] == ["Qt"]
    assert page.count.text() == "1 of 3"
    page.search.setText("agpl")
    assert (listed(page), page.count.text()) == ([], "Nothing found")


def test_the_version_can_be_copied_for_a_report(page: AboutPage):
    assert page.version.text() == ABOUT.facts.line
    button_with("Copy", page).click()
    assert QApplication.clipboard().text() == ABOUT.facts.line


def test_the_search_of_all_settings_finds_parts_and_version(page: AboutPage):
    assert "1.2.3" in page.words
    assert "h11" in page.words
