"""Caps in the settings: an amount is saved, an empty field is no cap, and what is no amount changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import button_with
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.spending import SpendCaps
from workbench.engine.program_intents import ChangePreferences
from workbench.ui.dialogs.settings_spending import SpendingPage
from workbench.ui.wishes import Wishes


@pytest.fixture
def page(qtbot: QtBot) -> SpendingPage:
    made = SpendingPage(Wishes())
    qtbot.addWidget(made)
    preferences = replace(Preferences(), spend=SpendCaps(day_usd=5.0))
    made.show_state(replace(sample_state(), preferences=preferences))
    return made


def saved(page: SpendingPage) -> list[SpendCaps]:
    found: list[SpendCaps] = []

    def note(intent: object) -> None:
        assert isinstance(intent, ChangePreferences)
        found.append(intent.preferences.spend)

    page.wishes.intent.connect(note)
    return found


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("2", SpendCaps(5.0, 2.0)), (" $2,50 ", SpendCaps(5.0, 2.5)), ("0", SpendCaps(5.0, 0.0))],
)
def test_an_amount_is_saved(page: SpendingPage, typed: str, expected: SpendCaps):
    found = saved(page)
    page.month.setText(typed)
    page.month.editingFinished.emit()
    assert found == [expected]


@pytest.mark.parametrize("typed", ["much", "-1", "nan", "inf", "2000000"])
def test_what_is_no_amount_changes_nothing(page: SpendingPage, typed: str):
    found = saved(page)
    page.day.setText(typed)
    page.day.editingFinished.emit()
    assert (found, page.day.text()) == ([], "5.00")


def test_an_empty_field_is_no_cap(page: SpendingPage):
    found = saved(page)
    assert (page.day.text(), page.chat.text()) == ("5.00", "")
    page.day.setText("")
    page.day.editingFinished.emit()
    assert found == [SpendCaps()]


def test_the_page_of_money_is_near(page: SpendingPage):
    wishes: list[object] = []
    page.wishes.wish.connect(wishes.append)
    button_with("Show Money", page).click()
    assert wishes == ["spend"]
