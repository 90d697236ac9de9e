"""What lies over the messages, and when."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.chat.chat_samples import long_chat
from workbench.ui.chat.messages.feed import items_of
from workbench.ui.chat.standing import Marks
from workbench.ui.chat.transcript.following_scroll import FollowingScroll
from workbench.ui.chat.transcript.overlays import Overlays


@pytest.fixture
def overlays(qtbot: QtBot) -> Overlays:
    area = FollowingScroll()
    qtbot.addWidget(area)
    area.resize(596, 500)
    area.show()
    made = Overlays(area)
    made.area_kept = area  # type: ignore[attr-defined]
    made.refresh()
    return made


def test_without_a_chat_it_says_what_to_do(overlays: Overlays, qtbot: QtBot):
    assert overlays.no_chat.isVisible()
    assert not overlays.ask.isVisible()
    with qtbot.waitSignal(overlays.no_chat.pressed):
        overlays.no_chat.button.click()


def test_an_empty_chat_asks_for_a_question(overlays: Overlays):
    overlays.has_chat = True
    overlays.refresh()
    assert overlays.ask.isVisible()
    assert not overlays.no_chat.isVisible()


def test_the_way_to_the_end_is_shown_to_those_who_left_it(overlays: Overlays):
    area = overlays._area
    overlays.has_chat = True
    area.open_items(items_of(long_chat(40), Marks()))
    area.finish_drawing()
    assert not overlays.jump.isVisible()
    assert not overlays.ask.isVisible()
    area.verticalScrollBar().setValue(0)
    assert overlays.jump.isVisible()
    overlays.jump.click()
    assert area.follows()
    assert not overlays.jump.isVisible()


def test_what_is_above_is_counted_and_can_be_asked_for(overlays: Overlays):
    area = overlays._area
    overlays.has_chat = True
    area.open_items(items_of(long_chat(2_000), Marks()))
    area.settle()
    area.verticalScrollBar().setValue(0)
    assert overlays.earlier.isVisible()
    assert overlays.earlier.text().startswith("Show 1,9")
    before = area.column.first
    overlays.earlier.click()
    area.make_more()
    assert area.column.first < before
