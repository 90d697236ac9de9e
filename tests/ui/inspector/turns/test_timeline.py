"""The turns panel: bars, and the chosen turn in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import scripted_state, sent_view
from tests.fakes.sample_state import CHAT
from workbench.engine.intents import OpenTurn
from workbench.engine.state import WorkbenchState
from workbench.ui.inspector.turns.timeline import MarkSpot, TimelineLegend, TurnsPanel


@pytest.fixture
def panel(qtbot) -> TurnsPanel:
    made = TurnsPanel()
    qtbot.addWidget(made)
    made.resize(720, made.sizeHint().height())
    made.show()
    made.show_state(*scripted_state())
    return made


def test_the_chosen_turn_is_told_in_words(panel: TurnsPanel):
    detail = panel.detail
    assert (detail.title.text(), detail.headline.text()) == ("Turn 7", "prefix broke")
    assert detail.sentence.text() == "History trimmed up to message 12."
    assert detail.cache.text() == "Cache: 1,792 predicted, 1,792 reported."
    panel.timeline.choose(4)
    assert (detail.title.text(), detail.headline.text()) == ("Turn 4", "as predicted")
    assert not detail.mark.isVisible()


def test_its_envelope_can_be_opened(panel: TurnsPanel):
    told: list[object] = []
    panel.wishes.intent.connect(told.append)
    panel.wishes.wish.connect(told.append)
    QTest.mouseClick(panel.detail.open, Qt.MouseButton.LeftButton)
    assert told == [OpenTurn(CHAT, 7), "layers"]


def test_the_turn_that_was_opened_elsewhere_is_the_chosen_one(panel: TurnsPanel):
    """It stayed on another turn, and offered to open what was open."""
    state, chat = scripted_state()
    panel.show_state(state, replace(chat, opened=sent_view(4)))
    assert panel.detail.title.text() == "Turn 4"
    assert not panel.detail.open.isVisible()
    panel.timeline.choose(3)
    assert panel.detail.open.isVisible()
    panel.show_state(state, replace(chat, opened=sent_view(4), draft="typed"))
    assert panel.detail.title.text() == "Turn 3"  # who looks at another one stays there
    panel.show_state(state, chat)
    assert panel.detail.title.text() == "Turn 3"
    assert panel.detail.open.isVisible()


def test_folded_it_says_the_most_important(panel: TurnsPanel):
    assert panel.summary() == "8, turn 7 broke the prefix"


def test_the_same_turns_again_change_nothing(panel: TurnsPanel):
    state, chat = scripted_state()
    panel.show_state(state, chat)
    panel.timeline.choose(3)
    shown = panel.detail.turn()
    panel.show_state(state, replace(chat, draft="typed"))
    assert panel.detail.turn() is shown


def test_a_turn_that_changed_is_told_anew(panel: TurnsPanel):
    state, chat = scripted_state()
    turns = tuple(replace(turn, cached_tokens=0) if turn.number == 7 else turn for turn in chat.turns)
    panel.show_state(state, replace(chat, turns=turns))
    assert panel.detail.cache.text() == "Cache: 1,792 predicted, 0 reported."


def test_before_the_first_turn_it_says_what_will_be_here(panel: TurnsPanel):
    state, chat = scripted_state()
    panel.show_state(state, replace(chat, turns=()))
    assert panel.empty.isVisible()
    panel.show_state(WorkbenchState(), None)
    assert panel.empty.isVisible()
    assert panel.summary() == "none yet"


def test_the_words_have_less_than_half_of_the_room(panel: TurnsPanel):
    panel.resize(556, panel.height())
    assert panel.detail.width() == 256
    panel.resize(1_200, panel.height())
    assert panel.detail.width() == 320


def test_a_mark_is_there_only_where_there_is_one(qtbot):
    spot = MarkSpot()
    qtbot.addWidget(spot)
    spot.show_mark("broke")
    assert spot.isVisibleTo(None)  # type: ignore[arg-type]  # Qt takes no parent here
    spot.show_mark("")
    assert spot.isHidden()


def test_it_names_every_pattern_and_asks_for_room_for_all(qtbot):
    legend = TimelineLegend()
    qtbot.addWidget(legend)
    assert legend.accessibleDescription() == "cached, fresh, output, predicted, reported"
    assert 250 < legend.sizeHint().width() < 420


def test_without_room_it_paints_what_fits(qtbot):
    legend = TimelineLegend()
    qtbot.addWidget(legend)
    legend.resize(legend.sizeHint())
    whole = legend.grab().toImage()
    legend.resize(80, 16)
    part = legend.grab().toImage()
    assert part.copy(12, 0, 68, 16) == whole.copy(whole.width() - 68, 0, 68, 16)
