"""The drop order: its steps, its sentence and its edges."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import over_view
from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.shown.envelope_view import DropOrder, EnvelopeView, RowKey
from workbench.engine.tuning_intents import TuneAttached
from workbench.ui.inspector.drop_order import DropRail, KeyHints, _Edge
from workbench.ui.steps import Step
from workbench.ui.widgets.labels import KeyCap

CHAT_STATE = sample_state().open[CHAT]
LOG, SOURCE = RowKey("L3_TURN", "logs/big.log"), RowKey("L3_TURN", "src/auth.py")


def shown() -> EnvelopeView:
    assert CHAT_STATE.view is not None
    return CHAT_STATE.view


@pytest.fixture
def rail(qtbot: QtBot) -> DropRail:
    made = DropRail()
    qtbot.addWidget(made)
    made.resize(720, 40)
    made.show_request(CHAT_STATE, shown())
    made.show()
    return made


def steps_of(rail: DropRail) -> list[Step]:
    found: list[Step] = []
    rail.wishes.step.connect(found.append)
    return found


def edges(rail: DropRail) -> list[bool]:
    return [edge.isVisible() for edge in cast(list[_Edge], rail.findChildren(_Edge))]


def test_moving_a_card_gives_priorities_that_make_it_so(rail: DropRail):
    found = steps_of(rail)
    rail.list.moved.emit(SOURCE, LOG)
    change = cast(TuneAttached, found[0].do[0])
    after = change.of(CHAT_STATE.conversation.attached)
    priorities = {artifact.key: artifact.priority for artifact in after}
    assert priorities["src/auth.py"] >= priorities["logs/big.log"]
    assert "drop order" in found[0].title


def test_keys_on_a_card_are_steps(rail: DropRail):
    found = steps_of(rail)
    rail.select(SOURCE)
    QTest.keyClick(rail.list, Qt.Key.Key_Space)
    QTest.keyClick(rail.list, Qt.Key.Key_Delete)
    assert [step.title for step in found] == ["Pin src/auth.py", "Leave out"]


def test_choosing_a_card_tells_its_key(rail: DropRail, qtbot: QtBot):
    with qtbot.waitSignal(rail.selected) as told:
        QTest.keyClick(rail.list, Qt.Key.Key_Right)
    assert told.args == [LOG]


def test_where_all_is_pinned_a_sentence_says_so(rail: DropRail):
    assert not rail.sentence.isVisible()
    rail.show_request(CHAT_STATE, over_view())
    assert rail.sentence.isVisible()
    assert rail.sentence.text() == ("Nothing can be dropped: every file is pinned. Unpin one to change that.")
    assert rail.list.isVisible()
    assert rail.list.focusPolicy() is Qt.FocusPolicy.NoFocus


def test_where_nothing_is_attached_the_sentence_says_what_will_stand_here(rail: DropRail):
    bare = replace(shown(), layers=(), drop_order=DropOrder())
    rail.show_request(CHAT_STATE, bare)
    assert not rail.list.isVisible()
    assert rail.sentence.text().startswith("Attached files")
    rail.show_request(CHAT_STATE, shown())
    assert rail.list.isVisible()
    assert not rail.sentence.isVisible()


def test_the_edges_fade_where_there_is_more(rail: DropRail, qtbot: QtBot):
    assert edges(rail) == [False, False]
    rail.resize(400, 40)
    qtbot.waitUntil(lambda: edges(rail) == [False, True])
    forward = cast(list[_Edge], rail.findChildren(_Edge))[1]
    QTest.mouseClick(forward, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: edges(rail)[0])
    rail.grab()


def test_the_chosen_card_stays_chosen_when_the_order_changes(rail: DropRail, qtbot: QtBot):
    rail.select(SOURCE)
    cards = shown().drop_order.cards
    turned = replace(shown(), drop_order=replace(shown().drop_order, cards=cards[::-1]))
    with qtbot.assertNotEmitted(rail.selected):
        rail.show_request(CHAT_STATE, turned)
    assert rail.list.selected_key() == SOURCE


def test_without_a_chat_nothing_is_done(rail: DropRail):
    found = steps_of(rail)
    rail.show_request(None, None)
    rail.list.moved.emit(SOURCE, None)
    rail.list.wanted.emit(SOURCE, "pin")
    assert found == []


def test_the_keys_are_hinted_at(qtbot: QtBot):
    hints = KeyHints()
    qtbot.addWidget(hints)
    assert [cap.text() for cap in cast(list[KeyCap], hints.findChildren(KeyCap))] == [
        "Space",
        "+",
        "−",
        "Del",
    ]
