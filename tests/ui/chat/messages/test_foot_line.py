"""The foot of an answer: as many figures as have room, and what can be done."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.ui.chat.chat_samples import turn
from workbench.ui.chat.messages.answer_view import FootLine
from workbench.ui.chat.messages.usage_words import PRICE, SECONDS, usage_groups


def foot(
    qtbot: QtBot, width: int, *, resumable: bool = False, badge: tuple[str, str] | None = None
) -> FootLine:
    made = FootLine()
    qtbot.addWidget(made)
    made.resize(width, 28)
    made.show()
    groups = usage_groups(turn(1, "q", "a", completion_tokens=1_249), kept=resumable)
    made.show_foot(groups, badge, resumable=resumable)
    return made


@pytest.mark.parametrize(("width", "gone"), [(548, set()), (424, {PRICE, SECONDS})])
def test_seconds_and_then_the_price_go_where_there_is_no_room(qtbot: QtBot, width: int, gone: set[int]):
    shown = {group.rank for group in foot(qtbot, width).shown_groups()}
    assert {PRICE, SECONDS} - shown == gone


def test_something_is_shown_however_narrow_it_is(qtbot: QtBot):
    made = foot(qtbot, 120)
    assert made.shown_groups()
    assert not made.grab().isNull()


@pytest.mark.parametrize(
    ("name", "action"), [("copy", "copy"), ("regenerate", "regenerate"), ("more", "more")]
)
def test_buttons_ask_for_what_they_say(qtbot: QtBot, name: str, action: str):
    made = foot(qtbot, 548)
    with qtbot.waitSignal(made.asked) as told:
        QTest.mouseClick(getattr(made, name), Qt.MouseButton.LeftButton)
    assert told.args == [action]


def test_an_answer_that_can_be_gone_on_with_offers_it_in_words(qtbot: QtBot):
    made = foot(qtbot, 548, resumable=True, badge=("stop", "stopped by you"))
    assert made.resume is not None
    assert made.again is not None
    assert made.resume.isVisible()
    assert made.again.isVisible()
    assert not made.regenerate.isVisible()
    with qtbot.waitSignal(made.asked) as told:
        made.resume.click()
    assert told.args == ["continue"]


def test_where_there_is_little_room_answering_again_is_a_sign(qtbot: QtBot):
    made = foot(qtbot, 380, resumable=True, badge=("stop", "stopped by you"))
    assert made.again is not None
    assert not made.again.isVisible()
    assert made.regenerate.isVisible()


def test_its_name_says_all_figures_even_those_without_room(qtbot: QtBot):
    assert foot(qtbot, 200).accessibleName().endswith("13.4 s")


def test_what_the_provider_says_of_its_cache_is_told_on_hover(qtbot: QtBot):
    made = foot(qtbot, 548)
    groups = usage_groups(turn(1, "q", "a"))
    made.show_foot(groups, resumable=False, said="The provider says: so.")
    assert "The provider says: so." in made.toolTip()
    assert made.accessibleDescription() == "The provider says: so."
    made.show_foot(groups, resumable=False)
    assert "provider" not in made.toolTip() + made.accessibleDescription()
