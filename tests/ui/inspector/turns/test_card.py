"""A turn's request as it was sent."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import scripted_state, sent_view
from workbench.ui.inspector.turns.page import SentBar, TurnCard
from workbench.ui.widgets.budget_bar.segments import bar_of


@pytest.fixture
def card(qtbot) -> TurnCard:
    made = TurnCard()
    qtbot.addWidget(made)
    made.resize(800, 130)
    made.show_turn(sent_view(7), scripted_state()[1].turns[6])
    made.show()
    return made


def test_it_says_which_turn_how_large_and_why_its_prefix_broke(card: TurnCard):
    assert card.title.text() == "Turn 7"
    assert card.badge.word() == "read-only"
    assert card.figures.text().startswith("3,379 of 16,000 as sent at ")
    assert card.cached.text() == "cached 1,835, billed 1,792"
    assert card.lead.text() == "Prefix broke at token 1,835."
    assert card.reason.text() == "History trimmed up to message 12."


def test_a_turn_whose_prefix_held_says_what_its_cache_did(card: TurnCard):
    card.show_turn(sent_view(5), scripted_state()[1].turns[4])
    assert not card.lead.isVisible()
    assert card.reason.text().startswith("The lifetime of the provider’s cache had passed")


def test_what_is_not_known_is_left_out(card: TurnCard):
    card.show_turn(replace(sent_view(3), cached_tokens=None, sent_utc=""), None)
    assert card.cached.text() == ""
    assert card.figures.text() == "3,379 of 16,000 as sent"
    assert not card.reason.isVisible()
    turn = replace(scripted_state()[1].turns[6], cached_tokens=None)
    card.show_turn(sent_view(7), turn)
    assert card.cached.text() == "cached 1,835"
    card.show_turn(replace(sent_view(7), cached_tokens=None), turn)
    assert card.lead.text() == "Prefix broke."


def test_its_buttons_lead_on(card: TurnCard):
    told: list[str] = []
    card.layers_wanted.connect(lambda: told.append("layers"))
    card.payload_wanted.connect(lambda: told.append("payload"))
    card.compare_wanted.connect(lambda: told.append("compare"))
    card.settings_wanted.connect(lambda: told.append("settings"))
    card.close_button.clicked.connect(lambda: told.append("closed"))
    for button in (card.layers, card.payload, card.compare, card.settings, card.close_button):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert told == ["layers", "payload", "compare", "settings", "closed"]


def test_the_bar_describes_itself_and_is_on_the_scale_of_its_limit(qtbot):
    bar = SentBar()
    qtbot.addWidget(bar)
    bar.resize(696, 24)
    bar.show_bar(bar_of(sent_view(7)))
    assert "3,379" in bar.accessibleDescription()
    assert not bar.grab().isNull()


def test_what_runs_on_this_computer_bills_nothing(card: TurnCard):
    turn = replace(scripted_state()[1].turns[6], local=True)
    card.show_turn(sent_view(7), turn)
    assert card.cached.text() == "cached 1,835, reported 1,792"
    card.show_turn(sent_view(7), replace(turn, cached_tokens=1_835))
    assert card.cached.text() == "cached 1,835, as reported"
