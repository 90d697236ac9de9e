"""The notice that nothing is sent."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.settings.settings_problem import SettingsProblem
from workbench.engine.program_intents import ReadPreferences
from workbench.ui.chat.sending_off import SendingOffCard, off_words
from workbench.ui.wishes import Wishes

WRONG = SettingsProblem("/data/settings.toml", "openai_url: expected a string, found 5", 3, 1)


def test_it_is_there_while_something_is_wrong_and_leads_to_the_file(qtbot: QtBot):
    wishes = Wishes()
    card = SendingOffCard(wishes)
    qtbot.addWidget(card)
    wished: list[object] = []
    wishes.wish.connect(wished.append)
    wishes.intent.connect(wished.append)
    card.show_problem(None)
    assert card.isHidden()
    card.show_problem(WRONG)
    assert not card.isHidden()
    assert card.title.text() == "Sending is off: correct settings.toml in line 3, column 1."
    assert "openai_url: expected a string, found 5." in card.words.text()
    card.open.click()
    card.again.click()
    assert wished == ["open-settings-file", ReadPreferences()]
    card.show_problem(None)
    assert card.isHidden()


def test_a_file_as_a_whole_has_no_line():
    words = off_words(SettingsProblem("/data/settings.toml", "the file is far too large"))
    assert words == "Sending is off: settings.toml can't be used."
