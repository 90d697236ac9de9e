"""The card of a side question: in a wide window whole, in a narrow one a line until it is unfolded; and what failed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.side import SideQuestion
from workbench.engine.state import RunningTurn
from workbench.ui.chat.side_card import LINE_PX, SideCard
from workbench.ui.wishes import Wishes

TALK = sample_state().open[CHAT]
SIDE = SideQuestion("s1", "Which version\nadded it?", "3.11, and 日本語.", "2026-05-05T14:07:00+00:00", "m")


@pytest.fixture
def card(qtbot: QtBot) -> SideCard:
    made = SideCard(Wishes())
    qtbot.addWidget(made)
    made.resize(1200, 400)
    return made


def test_in_a_narrow_window_it_is_one_line_until_it_is_unfolded(card: SideCard):
    card.resize(1000, 400)
    card.show_state(replace(TALK, sides=(SIDE,)))
    assert card.isHidden()
    card.open("s1")
    assert card.inner.isVisible()
    card.close_card()
    running = RunningTurn(asked="Which version?", number=4, question="s1", text="", side=True)
    card.show_state(replace(TALK, running=running))
    card.show_state(replace(TALK, sides=(SIDE,)))
    assert not card.inner.isVisible()
    assert card.sizeHint().height() == LINE_PX
    assert card.note.text() == "Which version added it? · answered"
    QTest.mouseClick(card.unfold, Qt.MouseButton.LeftButton)
    assert card.inner.isVisible()
    card.resize(1200, 400)
    assert card.note.text() == "not part of this chat"


def test_a_side_question_that_failed_says_why_and_cannot_become_a_turn(card: SideCard):
    failed = replace(SIDE, answer="", problem="The request is over its limit by 19 tokens.")
    card.show_state(replace(TALK, sides=(failed,)))
    card.open("s1")
    assert card.figures.text() == "The request is over its limit by 19 tokens."
    assert not card.make.isEnabled()
    QTest.keyClick(card, Qt.Key.Key_Escape)
    assert card.isHidden()


def test_the_answer_stands_on_the_cards_own_ground(card: SideCard):
    """A scroll area gives its content the ground of the window: the answer stood on a grey band."""
    card.show_state(replace(TALK, sides=(SIDE,)))
    card.open("s1")
    card.show()
    spot = card.area.mapTo(card, card.area.rect().topRight()) - QPoint(4, -4)
    drawn = card.grab().toImage()
    beside = card.figures.mapTo(card, QPoint(card.figures.width() // 2, 2))
    assert drawn.pixelColor(spot) == drawn.pixelColor(beside)
