"""The timeline: choosing turns by pointer and keyboard, and painting only what is in view."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import many_turns, scripted_state
from tests.fakes.sample_state import CHAT
from workbench.engine.intents import OpenTurn
from workbench.engine.state import WorkbenchState
from workbench.ui.inspector.turns.timeline_layout import SLOT, Timeline
from workbench.ui.look.theme import LIGHT, colour


@pytest.fixture
def timeline(qtbot) -> Timeline:
    made = Timeline()
    qtbot.addWidget(made)
    made.resize(9 * SLOT + 20, made.sizeHint().height())
    made.show()
    made.show_state(*scripted_state())
    return made


def click(timeline: Timeline, place: int) -> None:
    QTest.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place * SLOT + 10, 40))


def chosen(timeline: Timeline) -> int | None:
    turn = timeline.turn()
    return None if turn is None else turn.number


def test_at_first_the_frame_is_on_the_turn_worth_looking_at(timeline: Timeline):
    assert chosen(timeline) == 7
    assert timeline.accessibleDescription().startswith("Turn 7: 3,379 tokens in")


def test_a_click_chooses_a_turn_and_the_next_request_is_none(timeline: Timeline):
    numbers: list[int] = []
    timeline.chosen.connect(numbers.append)
    click(timeline, 2)
    click(timeline, 8)
    assert numbers == [3]
    assert timeline.accessibleDescription().startswith("Turn 3:")


def test_arrows_home_and_end_move_the_frame_and_enter_opens(timeline: Timeline):
    numbers: list[int] = []
    intents: list[object] = []
    timeline.chosen.connect(numbers.append)
    timeline.wishes.intent.connect(intents.append)
    for key in (
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Home,
        Qt.Key.Key_Left,
        Qt.Key.Key_End,
        Qt.Key.Key_Return,
    ):
        QTest.keyClick(timeline, key)
    assert numbers == [6, 7, 1, 8]
    assert intents == [OpenTurn(CHAT, 8)]


def test_a_double_click_opens(timeline: Timeline):
    intents: list[object] = []
    timeline.wishes.intent.connect(intents.append)
    QTest.mouseDClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(3 * SLOT + 10, 40))
    assert intents == [OpenTurn(CHAT, 7)] or intents == [OpenTurn(CHAT, 4)]


def test_of_a_thousand_turns_the_newest_are_in_view(timeline: Timeline):
    state, chat = scripted_state()
    timeline.show_state(state, replace(chat, turns=many_turns(1_000)))
    bar = timeline.horizontalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()
    QTest.keyClick(timeline, Qt.Key.Key_Home)
    assert bar.value() == 0
    timeline.grab()


def test_the_chosen_turn_has_a_frame(timeline: Timeline):
    timeline.clearFocus()
    seen = timeline.viewport().grab().toImage()
    column = {seen.pixelColor(6 * SLOT, y).name() for y in range(20, 80)}
    assert colour(LIGHT.accent).name() in column


def test_a_new_turn_leaves_the_choice_and_another_chat_makes_its_own(timeline: Timeline):
    state, chat = scripted_state()
    click(timeline, 2)
    timeline.show_state(state, replace(chat, turns=(*chat.turns, replace(chat.turns[-1], number=9))))
    assert chosen(timeline) == 3
    timeline.show_state(state, replace(chat, chat=replace(chat.chat, id="another"), turns=chat.turns[:4]))
    assert chosen(timeline) == 4


def test_while_a_turn_is_in_flight_the_last_bar_is_now(timeline: Timeline):
    state, chat = scripted_state()
    assert chat.view is not None
    assert timeline._label(timeline._bars[-1]) == "next"
    timeline.show_state(state, replace(chat, in_flight=replace(chat.view, standing="in_flight")))
    assert timeline._label(timeline._bars[-1]) == "now"


def test_without_a_chat_there_is_nothing(timeline: Timeline):
    timeline.show_state(WorkbenchState(), None)
    assert chosen(timeline) is None
    QTest.keyClick(timeline, Qt.Key.Key_Right)
    timeline.grab()
